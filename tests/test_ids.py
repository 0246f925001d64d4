"""Identifiers: new ones in order, derived ones pinned, because what a replay must reproduce may never change."""

from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnframe_django import ids

PINNED = {
    "command": "e966067e-67c9-8974-99a0-2f53467bcd8f",
    "event": "81fb3ada-78b1-8f7d-b21d-81a58316d2dc",
    "interaction": "1dba0432-211d-84b9-9054-58a92a0956b9",
    "block": "a6bb4530-daa6-8cbb-ae02-d6bfb710f4bc",
    "receipt": "88ab9d1d-ee98-86db-8270-67c036485002",
    "outbox": "c2f896cf-78bb-85be-8c70-5f5a39690b59",
    "replay": "e4f56fff-728c-8fe2-9fe0-f914ca8a6237",
    "case": "1109e361-f618-8e56-9105-c1b99b47634b",
    "target": "t_6292ac08a9da",
    "key": "19746dfe82f5f3771cad3b33d66b6573f5cb40a4046009a8893bc396b6b9fd80",
}
TURN = UUID("01890000-0000-7000-8000-000000000001")
OTHER = UUID("01890000-0000-7000-8000-000000000002")
KEY: dict[str, Any] = {
    "account": "acme",
    "turn": str(TURN),
    "case": "flow/trip/1",
    "revision": 3,
    "origin": "confirmed_interaction",
    "command": "trip.rename",
    "arguments": '{"name":"Rome"}',
}


def test_new_ids_are_version_7_and_in_order_of_creation() -> None:
    made = [ids.new_id() for _ in range(1000)]
    assert all(one.version == 7 for one in made)
    assert made == sorted(made)
    assert len(set(made)) == 1000


def test_derived_ids_are_what_they_were_when_the_first_turns_were_stored() -> None:
    assert {
        "command": str(ids.command_id(TURN, "u1.a1", 0)),
        "event": str(ids.event_id(OTHER, 0)),
        "interaction": str(ids.interaction_id(TURN, "flow/trip/1", "confirm")),
        "block": str(ids.block_id(TURN, "transition:0")),
        "receipt": str(ids.receipt_id("trip.renamed", [TURN, OTHER])),
        "outbox": str(ids.outbox_id(TURN)),
        "replay": str(ids.replay_token(TURN)),
        "case": str(ids.new_case_id(TURN, "trip", "u1.a1")),
        "target": ids.target_token("acme", TURN, "trip", "1"),
        "key": ids.idempotency_key(**KEY),
    } == PINNED


@given(st.text(max_size=20), st.lists(st.text(max_size=10), max_size=4))
def test_a_derived_id_is_a_version_8_uuid_and_equal_for_equal_parts(domain: str, parts: list[str]) -> None:
    made = ids.derived_id(domain.encode("utf-8", "ignore").decode(), *(part.encode("utf-8", "ignore").decode() for part in parts))
    again = ids.derived_id(domain.encode("utf-8", "ignore").decode(), *(part.encode("utf-8", "ignore").decode() for part in parts))
    assert made == again
    assert made.version == 8
    assert made.variant == "specified in RFC 4122"


def test_parts_do_not_run_into_each_other() -> None:
    assert (
        len({ids.derived_id("d", "ab", "c"), ids.derived_id("d", "a", "bc"), ids.derived_id("d", "abc"), ids.derived_id("da", "bc")}) == 4
    )


def test_b13_a_command_is_named_by_its_turn_its_act_and_its_place() -> None:
    one = ids.command_id(TURN, "a", 0)
    assert one == ids.command_id(TURN, "a", 0)
    assert len({one, ids.command_id(OTHER, "a", 0), ids.command_id(TURN, "b", 0), ids.command_id(TURN, "a", 1)}) == 4


def test_c8_a_receipt_is_named_by_its_status_and_its_set_of_events() -> None:
    one = ids.receipt_id("done", [TURN, OTHER])
    assert one == ids.receipt_id("done", [OTHER, TURN]) == ids.receipt_id("done", [TURN, OTHER, TURN])
    assert len({one, ids.receipt_id("done", [TURN]), ids.receipt_id("sent", [TURN, OTHER])}) == 3


def test_e1_a_target_keeps_its_token_for_a_turn_and_does_not_tell_its_case() -> None:
    token = ids.target_token("acme", TURN, "trip", "case-1")
    assert token == ids.target_token("acme", TURN, "trip", "case-1")
    assert token.startswith("t_")
    assert "case-1" not in token
    assert len(token) == 14


def test_e2_another_account_or_turn_gives_another_token() -> None:
    tokens = {ids.target_token(account, turn, "trip", "1") for account in ("acme", "other") for turn in (TURN, OTHER)}
    assert len(tokens) == 4


@pytest.mark.parametrize("member", sorted(KEY))
def test_a_journal_key_changes_with_each_of_its_inputs(member: str) -> None:
    changed = {**KEY, member: 4 if member == "revision" else "changed"}
    assert ids.idempotency_key(**changed) != ids.idempotency_key(**KEY)
