"""Frames: exact text, joined from what is stored."""

import datetime
from uuid import UUID

from turnframe_django import codec
from turnframe_django.protocol.frames import frame_text, received_text

TURN = UUID("01890000-0000-7000-8000-000000000001")
AT = datetime.datetime(2026, 12, 1, 9, 30, tzinfo=datetime.UTC)


def test_a_frame_is_in_canonical_form() -> None:
    text = frame_text(5, "turn.phase", TURN, AT, '{"phase":"reduced"}')
    assert codec.encode(codec.decode(text)) == text
    assert codec.decode(text) == {
        "at": "2026-12-01T09:30:00.000000Z",
        "data": {"phase": "reduced"},
        "seq": 5,
        "turn_id": str(TURN),
        "type": "turn.phase",
        "v": 1,
    }


def test_a_frame_without_a_turn_has_no_such_member() -> None:
    assert codec.decode(frame_text(1, "answers", None, AT, "{}")) == {
        "at": "2026-12-01T09:30:00.000000Z",
        "data": {},
        "seq": 1,
        "type": "answers",
        "v": 1,
    }


def test_what_a_frame_announces_goes_in_byte_for_byte() -> None:
    body = '{"z":1.50,"kind":"later"}'
    assert f'"data":{body},' in frame_text(1, "block", TURN, AT, body)


def test_a_received_turn_is_told_with_its_input_or_without_one() -> None:
    assert received_text(3, "user", '{"text":"é"}') == '{"input":{"text":"é"},"ordinal":3,"source":"user"}'
    assert received_text(3, "callback", "") == '{"input":null,"ordinal":3,"source":"callback"}'
