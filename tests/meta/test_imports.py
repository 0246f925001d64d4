"""Imports that the floors in ``pyproject.toml`` cannot express: parts of other packages, and the demo's use of public names."""

import pytest

from tests.meta.source import DEMO, PACKAGE, imports, modules, shown

#: Where a package, or a part of one, may not be imported.
CLOSED = {
    "django.db": ("blocks", "chat", "codec", "context", "exceptions", "flow", "ids", "protocol", "registry", "tenancy"),
    "django.contrib.admin": ("api", "blocks", "flow", "models", "protocol", "runtime", "understanding"),
    "channels": ("admin", "api", "blocks", "flow", "management", "models", "protocol", "runtime", "templatetags", "understanding"),
    "demo_project": ("",),
    "tests": ("",),
}
#: What a host may import, as docs/reference.md promises it: these names, and the names of these packages, never something inside them.
PUBLIC = {
    "turnframe_django.blocks",
    "turnframe_django.context.Actor",
    "turnframe_django.exceptions.Problem",
    "turnframe_django.flow",
    "turnframe_django.models",
    # What a page of the host's own needs to call ``handle_turn`` and to show a refusal.
    "turnframe_django.protocol.inputs.InputLimits",
    "turnframe_django.protocol.problems.kind_of",
    "turnframe_django.protocol.turns.parse_turn_input",
    "turnframe_django.runtime",
    "turnframe_django.signals",
    "turnframe_django.tenancy.account_is_user",
    "turnframe_django.testing",
    "turnframe_django.urls",
}


@pytest.mark.parametrize("closed", CLOSED)
def test_a_floor_does_not_import_what_is_closed_to_it(closed: str):
    seen = [
        shown(path, node)
        for path in modules(PACKAGE)
        if path.relative_to(PACKAGE).with_suffix("").as_posix().startswith(CLOSED[closed])
        for node, name in imports(path)
        if f"{name}.".startswith(f"{closed}.")
    ]
    assert seen == []


def test_the_demo_uses_public_names_only():
    private = [
        f"{shown(path, node)} {name}"
        for path in modules(DEMO)
        for node, name in imports(path)
        if name.startswith("turnframe_django") and not {name, name.rpartition(".")[0]} & PUBLIC
    ]
    assert private == []
