"""The same answer again: one turn, one text, whichever way it is asked for."""

import hashlib
import json
from typing import Any

import pytest
from django.conf import LazySettings

from tests.api.conftest import Api, cards_of, is_uuid, kinds_of, problem_of, row_counts
from tests.desk.models import Parcel
from turnframe_django import codec
from turnframe_django.models import Block, DomainEvent, Turn
from turnframe_django.protocol.blocks import BlockBody, read_body

pytestmark = pytest.mark.django_db

UNICODE = "é\u2028\u202e 🏳️‍🌈 \ufffe \x01 </script> \\ \" '"


def test_a_new_turn_is_created_and_says_where_it_is(traveller: Api) -> None:
    conversation = traveller.open()
    response = traveller.say(conversation, "start a parcel")
    assert response.status_code == 201
    turn = response.json()
    assert is_uuid(turn["turn_id"])
    assert is_uuid(turn["client_turn_id"])
    assert (turn["ordinal"], turn["source"], turn["phase"], turn["error"]) == (1, "user", "delivered", None)
    assert turn["conversation_id"] == turn["assistant_turn"]["conversation_id"] == conversation
    assert turn["turn_id"] == turn["assistant_turn"]["turn_id"]
    assert kinds_of(turn) == ["transition", "receipt"]
    assert traveller.client.get(response["Location"]).content == response.content
    assert "Idempotency-Replayed" not in response


@pytest.mark.parametrize("text", ["start a parcel", UNICODE])
def test_r27_the_first_answer_the_repeat_and_every_reload_are_the_same_bytes(traveller: Api, text: str) -> None:
    conversation = traveller.open()
    first = traveller.say(conversation, text, client_turn_id="k")
    again = traveller.say(conversation, text, client_turn_id="k")
    turn_id = first.json()["turn_id"]
    one = traveller.get(f"conversations/{conversation}/turns/{turn_id}/")
    page = traveller.get(f"conversations/{conversation}/turns/")
    assert (first.status_code, again.status_code) == (201, 200)
    assert again["Idempotency-Replayed"] == "true"
    assert first.content == again.content == one.content
    assert first.content in page.content
    stored = [block.body for block in Block.objects.filter(turn=turn_id).order_by("position")]
    assert ('"blocks":[' + ",".join(stored) + "]").encode() in first.content
    assert codec.encode(codec.decode(first.content)) == first.content.decode()
    assert json.loads(first.content)["input"]["text"] == text


def test_a_second_click_returns_the_first_bytes_and_says_so(traveller: Api) -> None:
    conversation, card = traveller.offered()
    first = traveller.click(conversation, card, client_turn_id="one")
    before = row_counts()
    assert first.status_code == 201
    repeats: list[dict[str, Any]] = [
        {"client_turn_id": "one"},
        {"client_turn_id": "two"},
        {},
        {"option_id": "decline"},
        {"response": {"option_id": "other"}},
    ]
    for more in repeats:
        again = traveller.click(conversation, card, **more)
        assert again.status_code == 200
        assert again.content == first.content
        assert again["Idempotency-Replayed"] == "true"
        assert again["Turnframe-Resolved-Option"] == "confirm"
    assert row_counts() == before
    assert DomainEvent.objects.count() == 1


def test_a_declined_card_answers_every_later_click(traveller: Api) -> None:
    conversation, card = traveller.offered()
    first = traveller.click(conversation, card, "decline")
    again = traveller.click(conversation, card)
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.content == first.content
    assert again["Turnframe-Resolved-Option"] == "decline"
    assert DomainEvent.objects.count() == 0


def test_the_header_is_a_key_as_good_as_the_member(traveller: Api) -> None:
    conversation = traveller.open()
    path = f"conversations/{conversation}/turns/"
    first = traveller.post(path, {"text": "hello"}, **{"Idempotency-Key": "k"})
    again = traveller.post(path, {"client_turn_id": "k", "text": "hello"})
    assert first.json()["client_turn_id"] == "k"
    assert again.content == first.content


def test_the_same_key_with_other_words_is_a_mismatch(traveller: Api) -> None:
    conversation = traveller.open()
    traveller.say(conversation, "hello", client_turn_id="k")
    before = row_counts()
    problem_of(traveller.say(conversation, "hello!", client_turn_id="k"), 422, "idempotency_mismatch")
    assert row_counts() == before


def test_without_a_key_every_text_is_a_turn_of_its_own(traveller: Api) -> None:
    conversation = traveller.open()
    turns = [traveller.say(conversation, "hello").json() for _ in range(2)]
    assert [turn["ordinal"] for turn in turns] == [1, 2]


def test_a_failed_turn_repeats_its_problem_under_its_key(traveller: Api, settings: LazySettings) -> None:
    conversation = traveller.open()
    first = traveller.say(conversation, "malformed", client_turn_id="k")
    problem = problem_of(first, 503, "assistant_unavailable")
    again = traveller.say(conversation, "malformed", client_turn_id="k")
    repeated = problem_of(again, 503, "assistant_unavailable")
    assert first["Retry-After"]
    assert "Idempotency-Replayed" not in first
    assert again["Idempotency-Replayed"] == "true"
    assert repeated["turn_id"] == problem["turn_id"]
    turn = traveller.get(f"conversations/{conversation}/turns/{problem['turn_id']}/").json()
    assert (turn["phase"], turn["assistant_turn"], turn["delivered_at"]) == ("failed", None, None)
    assert turn["error"]["code"] == "assistant_unavailable"
    assert set(turn["error"]) == {"code", "reference"}


def test_a_refused_command_is_no_problem_response(traveller: Api) -> None:
    conversation = traveller.open(cases=[{"name": "parcel", "case_id": str(Parcel.objects.create(account=traveller.account).pk)}])
    response = traveller.say(conversation, "send it")
    assert response.status_code == 201
    assert "receipt" not in kinds_of(response.json())


def test_every_block_that_is_sent_has_a_form_that_is_known(traveller: Api) -> None:
    conversation = traveller.open()
    for text in ("start a parcel", "call it Box", "send it", "what?"):
        traveller.say(conversation, text)
    conversation, card = traveller.offered()
    traveller.click(conversation, card, "decline")
    assert {block.kind for block in Block.objects.all()} >= {"transition", "receipt", "notice", "interaction"}
    for block in Block.objects.all():
        body = read_body(block.body)
        assert isinstance(body, BlockBody), block.body
        assert (body.kind, body.block_id, body.schema_version) == (block.kind, str(block.pk), block.schema_version)
        assert block.digest == hashlib.sha256(block.body.encode()).hexdigest()


def test_a_frame_repeats_the_stored_bytes(traveller: Api) -> None:
    conversation, card = traveller.offered()
    traveller.click(conversation, card)
    content = traveller.get(f"conversations/{conversation}/frames/").content.decode()
    for block in Block.objects.all():
        assert f'"data":{block.body},"seq":' in content


def test_a_redacted_turn_shows_what_it_was_and_nothing_of_what_it_said(traveller: Api) -> None:
    conversation = traveller.open()
    first: dict[str, Any] = traveller.say(conversation, "call me SECRET").json()
    stamp: dict[str, Any] = {"redacted_at": "2026-12-01T00:00:00Z", "redaction_authority": "officer"}
    Turn.objects.filter(pk=first["turn_id"]).update(input="", **stamp)
    Block.objects.filter(turn=first["turn_id"]).update(body="", **stamp)
    one = traveller.get(f"conversations/{conversation}/turns/{first['turn_id']}/")
    page = traveller.get(f"conversations/{conversation}/turns/")
    frames = traveller.get(f"conversations/{conversation}/frames/")
    turn = one.json()
    assert turn["input"] is None
    assert turn["assistant_turn"]["blocks"] == [
        {"block_id": block["block_id"], "kind": block["kind"], "redacted": True, "schema_version": 1}
        for block in first["assistant_turn"]["blocks"]
    ]
    assert one.content in page.content
    told = [frame["data"] for frame in frames.json()["results"] if frame["type"] in {"turn.received", "block"}]
    assert told[0]["input"] is None
    assert told[1:] == turn["assistant_turn"]["blocks"]
    assert all(b"SECRET" not in response.content for response in (one, page, frames))


def test_an_unknown_kind_of_block_goes_out_byte_for_byte(traveller: Api) -> None:
    conversation = traveller.open()
    turn_id = traveller.say(conversation, "hello").json()["turn_id"]
    body = '{"z":1.50,"kind":"hologram","schema_version":9}'
    Block.objects.create(turn_id=turn_id, position=99, kind="hologram", schema_version=9, body=body, digest=codec.digest(body))
    assert body.encode() in traveller.get(f"conversations/{conversation}/turns/{turn_id}/").content


def test_a_card_that_replaces_another_leaves_the_old_one_closed(traveller: Api) -> None:
    conversation = traveller.open()
    for text in ("start a parcel", "call it Box"):
        traveller.say(conversation, text)
    first = cards_of(traveller.say(conversation, "send it").json())[0]
    second = cards_of(traveller.say(conversation, "send it").json())
    if second:
        problem = problem_of(traveller.click(conversation, first), 409, "interaction_not_active")
        assert problem["status"] == 409
        assert traveller.click(conversation, second[0]).status_code == 201
