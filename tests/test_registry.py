"""The registry: each name once, and tests leave nothing behind."""

import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import override_settings

from turnframe_django import registry
from turnframe_django.registry import AlreadyRegistered


@pytest.fixture(autouse=True)
def empty_registry() -> Iterator[None]:
    with registry.temporary(empty=True):
        yield


def test_what_is_registered_is_found_in_order() -> None:
    registry.add("workflow", "b", 1)
    registry.add("workflow", "a", 2)
    assert dict(registry.workflows()) == {"b": 1, "a": 2}
    assert list(registry.workflows()) == ["b", "a"]


def test_a_name_is_taken_once_and_the_message_names_both() -> None:
    registry.add("event", "x", 1, owner="first")
    with pytest.raises(AlreadyRegistered, match="The event name 'x' is taken: first and second"):
        registry.add("event", "x", 2, owner="second")
    assert registry.events()["x"] == 1


def test_the_same_name_may_be_used_for_different_kinds() -> None:
    for kind in ("workflow", "request", "event", "callback", "sender", "chat", "block"):
        registry.add(kind, "x", kind)
    found = [registry.workflows, registry.requests, registry.events, registry.callbacks, registry.senders, registry.chats, registry.blocks]
    assert [view()["x"] for view in found] == ["workflow", "request", "event", "callback", "sender", "chat", "block"]


def test_nothing_can_be_registered_past_the_door() -> None:
    with pytest.raises(TypeError):
        registry.workflows()["x"] = 1  # type: ignore[index]


def test_an_owner_is_described_where_none_is_given() -> None:
    registry.add("sender", "x", Path)
    with pytest.raises(AlreadyRegistered, match=r"pathlib\.Path and builtins\.int"):
        registry.add("sender", "x", 3)


def test_what_is_registered_for_a_while_is_forgotten_and_what_was_there_returns() -> None:
    registry.add("workflow", "kept", 1, owner="first")
    view = registry.workflows()
    with registry.temporary():
        registry.add("workflow", "new", 2)
        assert list(view) == ["kept", "new"]
    with registry.temporary(empty=True):
        assert not view
        registry.add("workflow", "kept", 3)
    assert dict(view) == {"kept": 1}
    with pytest.raises(AlreadyRegistered, match="first"):
        registry.add("workflow", "kept", 4)


def test_several_names_are_registered_together_or_not_at_all() -> None:
    registry.add("event", "taken", 1)

    def add_both() -> None:
        with registry.all_or_nothing():
            registry.add("workflow", "new", 2)
            registry.add("event", "taken", 3)

    with pytest.raises(AlreadyRegistered):
        add_both()
    assert not registry.workflows()
    with registry.all_or_nothing():
        registry.add("workflow", "new", 2)
    assert registry.workflows()["new"] == 2


@pytest.fixture
def host_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    package = tmp_path / "registry_host"
    package.mkdir()
    (package / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield package
    for name in [name for name in sys.modules if name.startswith("registry_host")]:
        del sys.modules[name]


def test_workflows_and_chats_of_installed_apps_are_imported(host_app: Path) -> None:
    for module in ("workflows", "chats"):
        (host_app / f"{module}.py").write_text("")
    with override_settings(INSTALLED_APPS=["registry_host"]):
        registry.autodiscover()
    assert isinstance(sys.modules["registry_host.workflows"], types.ModuleType)
    assert "registry_host.chats" in sys.modules


def test_an_error_in_a_discovered_module_is_not_swallowed(host_app: Path) -> None:
    (host_app / "workflows.py").write_text("import a_module_that_is_not_there\n")
    with override_settings(INSTALLED_APPS=["registry_host"]), pytest.raises(ModuleNotFoundError, match="a_module_that_is_not_there"):
        registry.autodiscover()
