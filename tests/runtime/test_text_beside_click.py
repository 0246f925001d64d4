"""A click with words beside it: the click runs its stored action first, then the words are decided against what it left."""

from datetime import timedelta
from typing import Any

import pytest

from tests.desk.models import Parcel
from tests.desk.workflows import AskToSend, DiscardParcel, NameParcel, NoteParcel, OpenParcel, ParcelWorkflow, SendParcel, WeighParcel
from tests.runtime.crates import CrateWorkflow, OfferCrate, SealCrate
from tests.runtime.tables import changed, everything
from turnframe_django.models import Command, DomainEvent, Interaction, Turn
from turnframe_django.testing import Scenario, ScenarioFactory, act, later

pytestmark = pytest.mark.django_db

ANSWERED = "turnframe.notice.already_answered"


def parcel(**values: Any) -> Parcel:
    return Parcel(**{"account": "acme", "name": "Books", "revision": 3, **values})


def asked(scenario: ScenarioFactory, **values: Any) -> tuple[Scenario, dict[str, Any]]:
    s = scenario(ParcelWorkflow, parcel(**values))
    s.user("send it", proposes=[AskToSend()])
    return s, s.expect_card("confirm_command")


def test_both_are_executed_the_click_first(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)
    s.click(card, "confirm", text="it weighs 4", proposes=[WeighParcel(weight=4)])
    assert s.receipts == ["parcel.sent", "parcel.weighed"]
    events = DomainEvent.objects.order_by("position").values_list("type", "revision")
    assert list(events) == [("parcel.sent", 4), ("parcel.weighed", 5), ("parcel.noted", 5)]
    assert s.fresh().revision == 5
    assert Interaction.objects.get().status == "resolved"
    assert s.turn["input"]["text"] == "it weighs 4"
    assert s.turn["input"]["interaction_response"]["option_id"] == "confirm"


def test_the_words_are_decided_against_what_the_click_left(scenario: ScenarioFactory, crates: type[CrateWorkflow]) -> None:
    s = scenario(crates, parcel())
    s.user("offer it", proposes=[OfferCrate()])
    s.click(s.expect_card("confirm_command"), "seal", text="seal it", proposes=[SealCrate()])
    assert s.receipts == ["crate.sealed"]
    assert "turnframe.notice.no_change" in s.notices
    assert DomainEvent.objects.filter(type="crate.sealed").count() == 1


def test_the_click_authorises_its_own_card_only(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)
    s.user("start a parcel called Maps", proposes=[OpenParcel(name="Maps")])
    s.click(card, "confirm", text="and throw Maps away", proposes=[act(DiscardParcel(), "Maps")])
    assert s.receipts == ["parcel.sent"]
    second = s.expect_card("confirm_command")
    assert second["case_ref"]["case_id"] == str(Parcel.objects.get(name="Maps").pk)
    assert dict(Parcel.objects.values_list("name", "status")) == {"Books": "sent", "Maps": "packing"}


def test_typed_words_answer_no_card(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)
    for words in ("yes", "Send", "confirm", "ok"):
        s.user(words)
        s.expect_no_receipt()
    assert Interaction.objects.get().status == "active"
    assert not DomainEvent.objects.exists()
    s.click(card, "confirm")
    s.expect_command_ran_once(SendParcel)


def test_a_decline_beside_words_declines_and_the_words_run(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)
    s.click(card, "decline", freeform="too dear", text="it weighs 4", proposes=[WeighParcel(weight=4)])
    assert s.receipts == ["parcel.weighed"]
    s.expect_notice("turnframe.notice.instruction_declined")
    assert Interaction.objects.get().status == "declined"


def test_a_click_that_the_domain_refuses_keeps_the_words_from_running(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario, note="no carrier")
    s.click(card, "confirm", text="it weighs 4", proposes=[WeighParcel(weight=4)])
    s.expect_no_receipt()
    s.expect_notice("parcel.no_carrier")
    assert "say what it weighs" in s.expect_notice("turnframe.notice.partial_result")["text"]
    assert Interaction.objects.get().status == "failed"
    assert s.fresh().weight is None


def test_a_click_on_an_answered_card_is_told_and_the_words_go_on(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)
    s.click(card, "confirm")
    first = s.body
    s.click(card, "decline", text="it weighs 4", proposes=[WeighParcel(weight=4)])
    assert not s.replayed
    s.expect_notice(ANSWERED)
    assert s.receipts == ["parcel.weighed"]
    s.expect_command_ran_once(SendParcel)
    assert Interaction.objects.get().status == "resolved"
    s.click(card, "confirm")
    assert s.body == first


@pytest.mark.parametrize("end", ["broken", "model"])
def test_a_turn_that_fails_gives_the_card_back(scenario: ScenarioFactory, end: str) -> None:
    s, card = asked(scenario)
    proposes: Any = [NameParcel(name="broken")] if end == "broken" else {"acts": "none"}
    s.click(card, "confirm", text="call it broken", proposes=proposes)
    s.expect_problem("internal" if end == "broken" else "assistant_unavailable")
    row = Interaction.objects.get()
    assert (row.status, row.resolved_option_id, row.resolved_turn_id, row.resolved_at) == ("active", "", None, None)
    assert Command.objects.get().status == "awaiting_confirmation"
    assert not DomainEvent.objects.exists()
    assert s.fresh().status == Parcel.Status.PACKING
    s.click(card, "confirm")
    s.expect_receipt("parcel.sent")


def test_a_card_declared_restore_comes_back_after_a_refusal_beside_words_too(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel(status=Parcel.Status.OFFERED, note="no carrier"))
    s.user("hello")
    card = s.expect_card("confirm_command")
    s.click(card, "confirm", text="thanks")
    s.expect_notice("parcel.no_carrier")
    row = Interaction.objects.get()
    assert (row.status, row.resolved_option_id, row.resolved_turn_id) == ("active", "", None)
    Parcel.objects.update(note="")
    s.click(card, "confirm")
    s.expect_command_ran_once(SendParcel)


def test_a_card_whose_time_is_over_while_the_words_are_read_was_answered_in_time(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)
    with later(timedelta(minutes=14, seconds=50)):
        before = everything()
        s.click(card, "confirm", text="thanks", meanwhile=lambda: None)
    s.expect_receipt("parcel.sent")
    assert "OutboxEntry" in changed(before)


def test_a_record_that_moved_while_the_words_are_read_ends_the_click_without_effect(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)
    s.click(card, "confirm", text="thanks", meanwhile=lambda: Parcel.objects.update(revision=4))
    s.expect_notice("turnframe.notice.revision_conflict")
    s.expect_no_receipt()
    row = Interaction.objects.get()
    assert (row.status, row.failure_code) == ("failed", "revision_conflict")
    assert Command.objects.get().status == "dropped"
    assert not DomainEvent.objects.exists()


def test_news_about_a_card_that_is_being_answered_is_told_and_the_click_meets_it(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)
    news: list[str] = []

    def told() -> None:
        s.callback("carrier", {"parcel": str(s.fresh().pk), "status": "offered"})
        assert s.problem is None, s.problem
        news.extend(block["kind"] for block in s.blocks)

    s.click(card, "confirm", text="thanks", meanwhile=told)
    assert news == ["receipt"], "the slot is held, so the demanded card waits for the turn that holds it"
    s.expect_notice("turnframe.notice.revision_conflict")
    second = s.expect_card("confirm_command")
    assert Interaction.objects.get(pk=second["interaction_id"]).key == "offer"
    assert Interaction.objects.get(pk=card["interaction_id"]).status == "failed"
    assert list(DomainEvent.objects.values_list("type", flat=True)) == ["parcel.carrier_answered"]


def test_a_card_that_the_words_replace_at_once_is_never_shown(scenario: ScenarioFactory, crates: type[CrateWorkflow]) -> None:
    # The click leaves a record that demands its decision again; the words ask for something else, and there is one place.
    s = scenario(crates, parcel(note="x"))
    s.user("offer it", proposes=[OfferCrate()])
    s.click(s.expect_card("confirm_command"), "seal", text="seal it again", proposes=[SealCrate()], meanwhile=lambda: None)
    cards = [block["interaction"]["interaction_id"] for block in s.of_kind("interaction")]
    active = [str(pk) for pk in Interaction.objects.filter(status="active").values_list("pk", flat=True)]
    assert cards == active


def test_a_repeat_of_click_and_words_gives_the_same_bytes(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)
    s.click(card, "confirm", text="a note: soft", key="k1", proposes=[NoteParcel(note="soft")])
    s.click(card, "confirm", text="a note: soft", key="k1")
    s.expect_same_turn_bytes()
    s.click(card, "decline")
    s.expect_same_turn_bytes()
    assert Turn.objects.count() == 2
