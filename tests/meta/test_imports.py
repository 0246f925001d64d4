"""Imports that the floors in ``pyproject.toml`` cannot express: parts of other packages, and the demo's use of public names."""

import re

import pytest

from tests.meta.source import DEMO, PACKAGE, ROOT, imports, modules, shown

#: Where a package, or a part of one, may not be imported.
CLOSED = {
    "django.db": ("blocks", "chat", "codec", "context", "exceptions", "flow", "ids", "protocol", "registry", "tenancy"),
    "django.contrib.admin": ("api", "blocks", "flow", "models", "protocol", "runtime", "understanding"),
    "channels": ("admin", "api", "blocks", "flow", "management", "models", "protocol", "runtime", "templatetags", "understanding"),
    "demo_project": ("",),
    "tests": ("",),
}
#: What a host may import: the names that the reference promises, and those of the packages among them, never something inside.
PUBLIC = set(re.findall(r"`(turnframe_django\.[\w.]+)`", (ROOT / "docs" / "reference.md").read_text().partition("\n## ")[0]))


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
    assert "turnframe_django.flow" in PUBLIC
