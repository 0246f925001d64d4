"""The claim guard: cases C of the source project. It reads records, never prose."""

import uuid
from dataclasses import replace

import pytest

from turnframe_django import flow, ids
from turnframe_django.flow.claims import check
from turnframe_django.flow.reply import Draft

E1, E2, E3, CARD = (uuid.UUID(int=number) for number in (1, 2, 3, 9))
RECEIPT = Draft("receipt", "receipt:a", {"receipt": {"severity": "success"}}, event_ids=(E1, E2))
SHOWN = Draft("interaction", "interaction:9", {}, interaction_id=CARD)


def prose(*events: uuid.UUID, card: uuid.UUID | None = None, kind: str = "transition") -> Draft:
    return Draft(kind, f"{kind}:0", {"text": "…"}, author="model", event_ids=events, interaction_id=card)


def codes(*drafts: Draft, raised: frozenset[uuid.UUID] = frozenset()) -> list[str]:
    return [violation.code for violation in check(drafts, raised)]


@pytest.mark.parametrize("cited", [(), (E1,), (E1, E2)])
def test_c1_prose_that_cites_what_a_receipt_holds_passes(cited: tuple[uuid.UUID, ...]) -> None:
    assert codes(prose(*cited), RECEIPT) == []


def test_c3_a_receipt_without_events_is_refused() -> None:
    assert codes(replace(RECEIPT, event_ids=())) == ["receipt_without_events"]


def test_c4_a_receipt_for_another_event_than_the_one_cited_backs_nothing() -> None:
    assert codes(prose(E3), RECEIPT) == ["unbacked_operational_outcome"]
    assert codes(prose(E1, E3), RECEIPT, replace(RECEIPT, key="receipt:b", event_ids=(E3,))) == ["unbacked_operational_outcome"]
    assert codes(prose(E1)) == ["unbacked_operational_outcome"]


def test_c6_prose_that_cites_a_card_not_in_the_turn_is_refused() -> None:
    assert codes(prose(card=CARD), raised=frozenset({CARD})) == ["interaction_not_in_turn"]
    assert codes(prose(card=CARD), SHOWN, raised=frozenset({CARD})) == []


def test_c8_a_receipt_s_id_is_that_of_its_events_and_status() -> None:
    assert ids.receipt_id("trip.renamed", [E1, E2]) == ids.receipt_id("trip.renamed", [E2, E1])
    assert len({ids.receipt_id("trip.renamed", [E1]), ids.receipt_id("trip.renamed", [E1, E2]), ids.receipt_id("trip.opened", [E1])}) == 3


def test_c9_an_effect_outside_is_final_and_transmitted_where_the_table_says_so() -> None:
    final = [status for status in flow.ExternalStatus if status.is_final]
    assert final == [flow.ExternalStatus.REJECTED, flow.ExternalStatus.NOT_DELIVERED, flow.ExternalStatus.COMPLETED]
    assert [status.value for status in flow.ExternalStatus if not status.is_transmitted] == [
        "prepared",
        "validated",
        "awaiting_confirmation",
    ]


def test_a_card_that_was_never_stored_is_not_shown() -> None:
    assert codes(SHOWN) == ["interaction_not_persisted"]
    assert codes(replace(SHOWN, interaction_id=None), raised=frozenset({CARD})) == ["interaction_not_persisted"]


def test_the_same_receipt_twice_is_refused() -> None:
    assert codes(RECEIPT, RECEIPT) == ["duplicate_receipt"]
    assert codes(prose(), prose()) == ["duplicate_block"]


@pytest.mark.parametrize("kind", ["receipt", "notice", "interaction", "artifact", "chart"])
def test_a_model_writes_no_facts(kind: str) -> None:
    draft = Draft(kind, f"{kind}:1", {}, author="model", event_ids=(E1,), interaction_id=CARD)
    assert codes(draft, raised=frozenset({CARD})) == ["model_authored_fact"]


def test_an_answer_is_prose_too() -> None:
    assert codes(prose(E3, kind="answer"), RECEIPT) == ["unbacked_operational_outcome"]


def test_a_receipt_rests_on_events_of_this_turn_where_they_are_known() -> None:
    assert check([RECEIPT], (), committed={E1, E2}) == []
    assert [violation.code for violation in check([RECEIPT], (), committed={E1})] == ["receipt_for_uncommitted_event"]


def test_a_forged_claim_in_words_alone_is_not_what_is_checked() -> None:
    assert codes(Draft("transition", "transition:0", {"text": "I have cancelled order 7."}, author="model")) == []
