"""The exact text of a turn: joined from what is stored, canonical as a whole."""

import datetime
from uuid import UUID

import pytest

from turnframe_django import codec
from turnframe_django.protocol.times import rfc3339
from turnframe_django.protocol.turns import assistant_turn_text, head_text, redacted_body, turn_text

TURN = UUID("01890000-0000-7000-8000-000000000001")
CONVERSATION = UUID("01890000-0000-7000-8000-000000000002")
TOKEN = UUID("01890000-0000-8000-8000-000000000003")
AT = datetime.datetime(2026, 12, 1, 9, 30, tzinfo=datetime.UTC)
HEAD = head_text(conversation_id=CONVERSATION, turn_id=TURN, replay_token=TOKEN)
#: Stored by another release: its keys are in an order of their own, and its number has more digits than we would write.
BODIES = ['{"z":1.50,"kind":"later"}', '{"block_id":"x","kind":"transition","schema_version":1,"text":"é\u2028"}']


def delivered(**changed: object) -> str:
    given = {
        "turn_id": TURN,
        "client_turn_id": 'a "key"',
        "conversation_id": CONVERSATION,
        "ordinal": 7,
        "source": "user",
        "phase": "delivered",
        "input_text": '{"text":"hi"}',
        "received_at": AT,
        "delivered_at": AT + datetime.timedelta(seconds=1),
        "head": HEAD,
        "bodies": BODIES[1:],
    }
    return turn_text(**{**given, **changed})  # type: ignore[arg-type]


def test_a_turn_is_in_canonical_form() -> None:
    text = delivered()
    assert codec.encode(codec.decode(text)) == text


def test_a_turn_holds_exactly_the_members_of_the_contract() -> None:
    turn = codec.decode(delivered())
    assert isinstance(turn, dict)
    assert sorted(turn) == [
        "assistant_turn",
        "client_turn_id",
        "conversation_id",
        "delivered_at",
        "error",
        "input",
        "ordinal",
        "phase",
        "received_at",
        "source",
        "turn_id",
    ]
    assert turn["client_turn_id"] == 'a "key"'
    assert turn["received_at"] == "2026-12-01T09:30:00.000000Z"
    assert turn["delivered_at"] == "2026-12-01T09:30:01.000000Z"
    assistant = turn["assistant_turn"]
    assert isinstance(assistant, dict)
    assert sorted(assistant) == ["blocks", "conversation_id", "replay_token", "turn_id"]


def test_stored_bodies_go_out_byte_for_byte() -> None:
    text = delivered(bodies=BODIES)
    assert f'{{"assistant_turn":{{"blocks":[{BODIES[0]},{BODIES[1]}],"conversation_id":' in text
    assert assistant_turn_text(HEAD, BODIES) in text


def test_a_reply_without_blocks_is_an_empty_list() -> None:
    assert '"blocks":[]' in delivered(bodies=())


def test_a_turn_that_is_not_delivered_has_no_reply() -> None:
    turn = codec.decode(delivered(phase="received", head="", bodies=(), delivered_at=None))
    assert isinstance(turn, dict)
    assert (turn["assistant_turn"], turn["delivered_at"], turn["error"]) == (None, None, None)


def test_a_told_or_redacted_input_is_null() -> None:
    assert '"input":null' in delivered(input_text="")


def test_a_failed_turn_says_its_code_and_reference_and_nothing_else() -> None:
    turn = codec.decode(delivered(phase="failed", head="", bodies=(), delivered_at=None, error_code="internal", error_reference="r1"))
    assert isinstance(turn, dict)
    assert turn["error"] == {"code": "internal", "reference": "r1"}
    assert turn["assistant_turn"] is None


def test_a_redacted_block_says_what_it_was_and_nothing_of_what_it_said() -> None:
    assert redacted_body("notice", TURN, 1) == f'{{"block_id":"{TURN}","kind":"notice","redacted":true,"schema_version":1}}'


def test_moments_are_utc_with_microseconds_and_z() -> None:
    rome = datetime.timezone(datetime.timedelta(hours=1))
    assert rfc3339(datetime.datetime(2026, 12, 1, 10, 30, 0, 5, tzinfo=rome)) == "2026-12-01T09:30:00.000005Z"
    with pytest.raises(ValueError, match="time zone"):
        rfc3339(datetime.datetime(2026, 12, 1))  # noqa: DTZ001
