"""When a card is raised, when it ends without an answer, and what takes its place."""

import json
from datetime import timedelta
from typing import Any

import pytest

from tests.desk.models import Parcel
from tests.desk.workflows import AskToSend, DiscardParcel, NameParcel, OpenParcel, ParcelWorkflow, SendParcel, WeighParcel
from tests.runtime.crates import CrateWorkflow, FinishCrate, NoteCrate, OfferCrate, SealCrate
from tests.runtime.tables import nothing_written
from turnframe_django.models import Command, DomainEvent, Interaction
from turnframe_django.testing import Scenario, ScenarioFactory, act, later

pytestmark = pytest.mark.django_db

DAY = timedelta(hours=24)
OFFERED = Parcel.Status.OFFERED
REPLACED = "turnframe.notice.interaction_replaced"


def parcel(**values: Any) -> Parcel:
    return Parcel(**{"account": "acme", "name": "Books", "revision": 3, **values})


def asked(scenario: ScenarioFactory, **values: Any) -> tuple[Scenario, dict[str, Any]]:
    s = scenario(ParcelWorkflow, parcel(**values))
    s.user("send it", proposes=[AskToSend()])
    return s, s.expect_card("confirm_command")


def offered(scenario: ScenarioFactory, **values: Any) -> tuple[Scenario, dict[str, Any]]:
    s = scenario(ParcelWorkflow, parcel(status=OFFERED, **values))
    s.user("hello")
    return s, s.expect_card("confirm_command")


def status(card: dict[str, Any]) -> str:
    return str(Interaction.objects.get(pk=card["interaction_id"]).status)


def standing() -> list[str]:
    """The ids of the blocking cards that are open."""
    return [str(pk) for pk in Interaction.objects.filter(blocking=True, status__in=["active", "resolving"]).values_list("pk", flat=True)]


# Silence.


def test_a_declined_demand_is_silent_at_that_revision(scenario: ScenarioFactory) -> None:
    s, card = offered(scenario)
    s.click(card, "decline")
    for words in ("hello", "hello again"):
        s.user(words)
        s.expect_no_card()
    assert Interaction.objects.count() == 1


def test_a_dismissed_demand_is_silent_at_that_revision(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel(status=Parcel.Status.DOUBTED))
    s.user("hello")
    s.click(s.expect_card("boolean"), "dismiss")
    s.user("hello")
    s.expect_no_card()


def test_a_declined_demand_is_raised_anew_when_the_record_moved(scenario: ScenarioFactory) -> None:
    s, card = offered(scenario)
    s.click(card, "decline")
    s.user("it weighs 3", proposes=[WeighParcel(weight=3)])
    again = s.expect_card("confirm_command")
    assert again["interaction_id"] != card["interaction_id"]
    assert again["case_ref"]["revision"] == 4


def test_a_declined_demand_is_raised_anew_when_the_record_moved_outside(scenario: ScenarioFactory) -> None:
    s, card = offered(scenario)
    s.click(card, "decline")
    Parcel.objects.update(revision=9)
    s.user("hello")
    assert s.expect_card("confirm_command")["case_ref"]["revision"] == 9


def test_a_new_request_in_the_users_words_raises_a_new_card_after_a_decline(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)
    s.click(card, "decline")
    s.user("send it after all", proposes=[AskToSend()])
    again = s.expect_card("confirm_command")
    assert again["interaction_id"] != card["interaction_id"]
    s.click(again, "confirm")
    s.expect_command_ran_once(SendParcel)
    assert sorted(Command.objects.values_list("status", flat=True)) == ["committed", "dropped"]


def test_a_card_that_stands_is_not_raised_again(scenario: ScenarioFactory) -> None:
    s, card = offered(scenario)
    s.user("hello")
    s.expect_no_card()
    assert standing() == [card["interaction_id"]]


# Expiry.


def test_a_card_stands_for_a_day_unless_it_says_otherwise(scenario: ScenarioFactory) -> None:
    _s, _card = offered(scenario)
    row = Interaction.objects.get()
    assert row.expires_at is not None
    assert row.expires_at - row.created_at == DAY


def test_a_click_after_its_time_is_refused_and_writes_nothing(scenario: ScenarioFactory) -> None:
    s, card = offered(scenario)
    with later(DAY), nothing_written():
        s.click(card, "confirm")
    s.expect_problem("interaction_expired")
    assert status(card) == "active"


def test_the_next_turn_settles_an_expired_card_and_raises_it_anew(scenario: ScenarioFactory) -> None:
    s, card = offered(scenario)
    with later(DAY):
        s.user("hello")
        again = s.expect_card("confirm_command")
    assert again["interaction_id"] != card["interaction_id"]
    assert status(card) == "expired"
    expired = Interaction.objects.get(pk=card["interaction_id"])
    assert expired.history.get(to_status="expired").reason == "expired"
    assert expired.resolved_turn_id is None
    waiting = Command.objects.get(interaction_id=card["interaction_id"])
    assert (waiting.status, json.loads(waiting.outcome)) == ("dropped", {"code": "expired"})
    with later(DAY):
        s.click(again, "confirm")
    s.expect_command_ran_once(SendParcel)


def test_an_expired_card_that_nothing_demands_is_settled_by_who_needs_its_place(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)
    with later(timedelta(hours=1)):
        s.user("hello")
        s.expect_no_card()
        assert status(card) == "active"
        s.user("send it", proposes=[AskToSend()])
        again = s.expect_card("confirm_command")
    assert status(card) == "expired"
    assert standing() == [again["interaction_id"]]


def test_a_question_that_authorises_nothing_may_stand_for_ever(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel(status=Parcel.Status.DOUBTED))
    s.user("hello")
    card = s.expect_card("boolean")
    with later(timedelta(days=4000)):
        s.click(card, "dismiss")
    assert status(card) == "dismissed"


# One place for each record.


def test_a_record_has_one_blocking_card_and_a_second_request_takes_its_place(scenario: ScenarioFactory) -> None:
    s, first = asked(scenario)
    s.user("send it now", proposes=[AskToSend()])
    second = s.expect_card("confirm_command")
    assert standing() == [second["interaction_id"]]
    assert status(first) == "invalidated"
    told = s.expect_notice(REPLACED)
    assert told["details"] == {
        "ended": [{"interaction_id": first["interaction_id"], "reason": "superseded", "replaced_by": second["interaction_id"]}]
    }
    assert json.loads(Command.objects.get(interaction_id=first["interaction_id"]).outcome) == {"code": "superseded"}
    with nothing_written():
        s.click(first, "confirm")
    assert s.expect_problem("interaction_not_active").members == {"status": "invalidated"}
    s.click(second, "confirm")
    s.expect_command_ran_once(SendParcel)


def test_another_request_takes_the_place_of_the_demand_and_the_demand_comes_back(scenario: ScenarioFactory) -> None:
    s, first = offered(scenario)
    s.user("throw it away", proposes=[DiscardParcel()])
    second = s.expect_card("confirm_command")
    assert s.expect_notice(REPLACED)["details"]["ended"][0]["replaced_by"] == second["interaction_id"]
    assert status(first) == "invalidated"
    s.click(second, "decline")
    third = s.expect_card("confirm_command")
    assert standing() == [third["interaction_id"]]
    assert Interaction.objects.get(pk=third["interaction_id"]).key == "offer"


def test_a_card_that_the_record_left_behind_is_withdrawn_and_told(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)
    s.user("call it Maps", proposes=[NameParcel(name="Maps")])
    s.expect_receipt("parcel.named")
    s.expect_no_card()
    ended = {"interaction_id": card["interaction_id"], "reason": "revision_changed", "replaced_by": None}
    assert s.expect_notice(REPLACED)["details"] == {"ended": [ended]}
    assert status(card) == "invalidated"
    assert Command.objects.get(interaction_id=card["interaction_id"]).status == "dropped"


def test_a_demand_that_the_record_left_behind_is_replaced_by_one_of_the_present_revision(scenario: ScenarioFactory) -> None:
    s, first = offered(scenario)
    s.user("call it Maps", proposes=[NameParcel(name="Maps")])
    second = s.expect_card("confirm_command")
    ended = {"interaction_id": first["interaction_id"], "reason": "revision_changed", "replaced_by": second["interaction_id"]}
    assert s.expect_notice(REPLACED)["details"]["ended"] == [ended]
    s.click(second, "confirm")
    assert s.expect_receipt("parcel.sent")["body"] == "Maps is with the carrier."


def test_each_records_replaced_card_is_told_when_one_turn_replaces_two(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel(name="One"))
    s.user("start a parcel called Two", proposes=[OpenParcel(name="Two")])
    for label in ("One", "Two"):
        s.user(f"send {label}", proposes=[act(AskToSend(), label)])
    first = set(standing())
    assert len(first) == 2
    s.user("they weigh 4", proposes=[act(WeighParcel(weight=4), "One"), act(WeighParcel(weight=4), "Two")])
    told = [ended["interaction_id"] for notice in s.of_kind("notice") if notice["code"] == REPLACED for ended in notice["details"]["ended"]]
    assert set(told) == first


def test_a_click_on_another_record_leaves_a_card_alone(scenario: ScenarioFactory) -> None:
    _one, first = asked(scenario)
    two, second = asked(scenario)
    two.click(second, "confirm")
    two.expect_receipt("parcel.sent")
    assert status(first) == "active"


def test_no_card_is_raised_on_a_record_that_is_done(scenario: ScenarioFactory, crates: type[CrateWorkflow]) -> None:
    s = scenario(crates, parcel())
    s.user("finish it and seal it", proposes=[FinishCrate(), SealCrate()])
    s.expect_receipt("crate.done")
    s.expect_no_card()
    assert not standing()


# What the card showed.


def test_a_card_whose_preview_changed_is_refused_failed_and_asked_again(scenario: ScenarioFactory) -> None:
    s, card = offered(scenario)
    Parcel.objects.update(name="Stones")
    s.click(card, "confirm")
    s.expect_notice("turnframe.card.preview_changed")
    s.expect_no_receipt()
    assert status(card) == "failed"
    assert not DomainEvent.objects.exists()
    again = s.expect_card("confirm_command")
    assert standing() == [again["interaction_id"]]
    s.click(again, "confirm")
    assert s.expect_receipt("parcel.sent")["body"] == "Stones is with the carrier."


def test_a_card_that_a_user_asked_for_fails_when_its_preview_changed(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)
    Parcel.objects.update(name="Stones")
    s.click(card, "confirm")
    s.expect_notice("turnframe.card.preview_changed")
    s.expect_no_card()
    assert status(card) == "failed"
    assert Command.objects.get().status == "failed"
    s.click(card, "confirm")
    s.expect_same_turn_bytes()


def test_a_change_that_the_preview_does_not_show_is_no_reason_to_refuse(scenario: ScenarioFactory) -> None:
    s, card = offered(scenario)
    Parcel.objects.update(weight=12)
    s.click(card, "confirm")
    s.expect_receipt("parcel.sent")


# After a refusal.


def test_a_card_declared_restore_comes_back_after_a_refused_command(scenario: ScenarioFactory) -> None:
    s, card = offered(scenario, note="no carrier")
    s.click(card, "confirm")
    s.expect_notice("parcel.no_carrier")
    s.expect_no_receipt()
    row = Interaction.objects.get()
    assert (row.status, row.resolved_option_id, row.resolved_turn_id, row.resolved_at) == ("active", "", None, None)
    waiting = Command.objects.get()
    assert (waiting.status, waiting.origin, waiting.outcome) == ("awaiting_confirmation", None, "")
    assert s.fresh().status == OFFERED
    first = s.body
    s.click(card, "confirm")
    assert s.body != first
    s.expect_notice("parcel.no_carrier")
    Parcel.objects.update(note="")
    s.click(card, "confirm")
    s.expect_receipt("parcel.sent")
    s.expect_command_ran_once(SendParcel)
    s.click(card, "confirm")
    s.expect_same_turn_bytes()


def test_a_card_that_failed_is_raised_anew_where_the_phase_still_demands_it(scenario: ScenarioFactory, crates: type[CrateWorkflow]) -> None:
    s = scenario(crates, parcel(name="no ink"))
    s.user("offer it", proposes=[OfferCrate()])
    card = s.expect_card("confirm_command")
    s.click(card, "both")
    s.expect_notice("crate.no_ink")
    again = s.expect_card("confirm_command")
    assert status(card) == "failed"
    assert standing() == [again["interaction_id"]]


def test_a_card_that_failed_is_not_raised_anew_where_nothing_demands_it(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario, note="no carrier")
    s.click(card, "confirm")
    s.expect_no_card()
    assert status(card) == "failed"
    assert not standing()


# A write beside it.


def test_a_phase_that_demands_a_card_gets_it_though_nothing_was_written(scenario: ScenarioFactory) -> None:
    _s, card = offered(scenario)
    assert not DomainEvent.objects.exists()
    assert standing() == [card["interaction_id"]]


def test_a_card_raised_by_a_write_is_bound_to_the_new_revision(scenario: ScenarioFactory, crates: type[CrateWorkflow]) -> None:
    s = scenario(crates, parcel())
    s.user("note hi and offer it", proposes=[NoteCrate(note="hi"), OfferCrate()])
    card = s.expect_card("confirm_command")
    assert card["case_ref"]["revision"] == 4
    assert Interaction.objects.get().bound_revision == 4


def test_a_card_that_is_not_bound_stands_while_its_record_moves(scenario: ScenarioFactory, crates: type[CrateWorkflow]) -> None:
    s = scenario(crates, parcel(status=Parcel.Status.DOUBTED, weight=4))
    s.user("hello")
    card = s.expect_card("confirm_command")
    s.user("note: hi", proposes=[NoteCrate(note="hi")])
    s.expect_no_card()
    assert standing() == [card["interaction_id"]]
    with nothing_written():
        s.click({**card, "case_ref": {**card["case_ref"], "revision": 4}}, "seal")
    assert s.expect_problem("revision_conflict").members == {"bound": 3, "current": 4}
    s.click(card, "seal")
    s.expect_receipt("crate.sealed")
    assert s.fresh().revision == 5
