"""Every system check says what is wrong and what to type."""

from typing import Any

import pytest

from turnframe_django import checks, flow, registry
from turnframe_django.runtime import rows


def found(**turnframe: Any) -> list[tuple[str, str, str]]:
    return [(str(message.id), str(message.msg), str(message.hint)) for message in checks.check_setup(None)]


def codes() -> list[str]:
    return [code for code, _message, _hint in found()]


def test_the_tests_own_set_up_is_clean() -> None:
    assert codes() == []


def test_an_unknown_key_is_refused_with_the_nearest_name(settings: Any) -> None:
    settings.TURNFRAME = {"INTERPRETRE": "x.y"}
    assert [(code, hint) for code, _message, hint in found()] == [("turnframe.E001", "Did you mean 'INTERPRETER'?")]


def test_a_setting_that_is_no_dictionary_is_refused(settings: Any) -> None:
    settings.TURNFRAME = ["INTERPRETER"]
    assert codes() == ["turnframe.E001"]


@pytest.mark.parametrize(
    ("key", "value"), [("MAX_COMMANDS", "many"), ("MAX_COMMANDS", 0), ("LOCK_WAIT_SECONDS", "soon"), ("STAGE_THREADS", True)]
)
def test_a_value_of_the_wrong_kind_is_refused(settings: Any, key: str, value: object) -> None:
    settings.TURNFRAME = {key: value}
    assert codes() == ["turnframe.E002"]


def test_a_path_that_cannot_be_imported_is_refused_with_the_reason(settings: Any) -> None:
    settings.TURNFRAME = {"INTERPRETER": "tests.nowhere.Interpreter"}
    [(code, message, _hint)] = found()
    assert code == "turnframe.E003"
    assert "No module named 'tests.nowhere'" in message


def test_an_interpreter_that_cannot_interpret_is_refused(settings: Any) -> None:
    settings.TURNFRAME = {"INTERPRETER": "tests.desk.models.Parcel"}
    assert codes() == ["turnframe.E004"]


def test_a_missing_rest_framework_is_warned_of(settings: Any) -> None:
    settings.INSTALLED_APPS = [app for app in settings.INSTALLED_APPS if app != "rest_framework"]
    assert codes() == ["turnframe.W001"]


def test_a_destination_without_a_sender_is_warned_of() -> None:
    class Shout(flow.Command[Any, Any], destination="nobody"):
        """Shout."""

    with registry.temporary():
        registry.add("request", "shout_at_nobody", Shout)
        assert codes() == ["turnframe.W002"]


def test_sqlite_without_immediate_is_warned_of(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    connection = rows.connection()
    monkeypatch.setattr(connection, "vendor", "sqlite")
    monkeypatch.setitem(connection.settings_dict, "OPTIONS", {})
    assert codes() == ["turnframe.W003"]
