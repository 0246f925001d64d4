"""How a conversation is opened and described."""

import datetime
import json
from typing import Any
from uuid import UUID

import pytest

from turnframe_django.exceptions import Problem
from turnframe_django.protocol.conversations import conversation_document, parse_conversation_input
from turnframe_django.protocol.inputs import InputLimits

LIMITS = InputLimits(locales=frozenset({"en", "it"}))
AT = datetime.datetime(2026, 12, 1, 9, 30, tzinfo=datetime.UTC)


def test_nothing_needs_to_be_said_to_open_one() -> None:
    found = parse_conversation_input(b"{}", LIMITS)
    assert (found.chat, found.locale, found.title, found.cases) == (None, None, None, None)


def test_records_are_named_by_workflow_and_key() -> None:
    found = parse_conversation_input(b'{"cases":[{"name":"trip","case_id":"1"}],"title":"Rome","locale":"it"}', LIMITS)
    assert [(case.name, case.case_id) for case in found.cases or ()] == [("trip", "1")]
    assert (found.title, found.locale) == ("Rome", "it")


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ({"owner": "x"}, ("/owner", "unknown_member")),
        ({"cases": {}}, ("/cases", "wrong_type")),
        ({"cases": [{"name": "trip"}]}, ("/cases/0/case_id", "missing")),
        ({"cases": [{"name": "trip", "case_id": "1", "revision": 1}]}, ("/cases/0/revision", "unknown_member")),
        ({"cases": [{"name": "trip", "case_id": str(n)} for n in range(21)]}, ("/cases", "too_long")),
        ({"title": "t" * 201}, ("/title", "too_long")),
        ({"title": 5}, ("/title", "wrong_type")),
        ({"locale": "de"}, ("/locale", "unknown_locale")),
        ({"chat": ""}, ("/chat", "too_short")),
        ([], ("", "wrong_type")),
    ],
)
def test_what_does_not_belong_is_refused_where_it_stands(body: Any, fault: tuple[str, str]) -> None:
    with pytest.raises(Problem) as caught:
        parse_conversation_input(json.dumps(body).encode(), LIMITS)
    errors: Any = caught.value.members["errors"]
    assert [(error["pointer"], error["code"]) for error in errors] == [fault]


@pytest.mark.parametrize("chat", [None, "finder"])
def test_a_description_names_its_chat_only_when_it_has_one(chat: str | None) -> None:
    document = conversation_document(
        conversation_id=UUID(int=1),
        engine="chat" if chat else "flow",
        chat=chat,
        title="",
        locale="en",
        created_at=AT,
        last_activity_at=AT,
        turn_in_progress=False,
    )
    assert ("chat" in document) is (chat is not None)
    assert document["created_at"] == "2026-12-01T09:30:00.000000Z"
