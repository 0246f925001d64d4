"""What each stored action does when its option is clicked, and what is kept of it."""

import json
from typing import Any

import pytest
from django.db import DatabaseError

from tests.desk.models import Parcel
from tests.desk.workflows import AskToSend, NameParcel, NoteParcel, ParcelWorkflow, SendParcel
from tests.runtime.crates import CrateWorkflow, NoteCrate, OfferCrate, SealCrate
from tests.runtime.tables import nothing_written
from turnframe_django import codec
from turnframe_django.models import Command, DomainEvent, Interaction, OutboxEntry, ReplayRecord, Turn
from turnframe_django.runtime import rows
from turnframe_django.testing import Scenario, ScenarioFactory

pytestmark = pytest.mark.django_db

DOUBTED = Parcel.Status.DOUBTED
OFFERED = Parcel.Status.OFFERED


def parcel(**values: object) -> Parcel:
    return Parcel(**{"account": "acme", "name": "Books", "revision": 3, **values})


def asked(scenario: ScenarioFactory) -> Scenario:
    """A conversation in which sending the parcel waits for a click."""
    s = scenario(ParcelWorkflow, parcel())
    s.user("send it", proposes=[AskToSend()])
    s.expect_no_receipt()
    return s


def moves(card: Interaction) -> list[tuple[str, str, str]]:
    return list(card.history.order_by("at", "id").values_list("from_status", "to_status", "reason"))


def test_confirm_runs_the_waiting_command(scenario: ScenarioFactory) -> None:
    s = asked(scenario)
    card = s.expect_card("confirm_command")
    waiting = Command.objects.get()
    assert (waiting.status, waiting.origin, waiting.decision) == ("awaiting_confirmation", None, "turnframe.policy.confirmation_required")
    s.click(card, "confirm")
    s.expect_receipt("parcel.sent")
    s.expect_no_card()
    ran = Command.objects.get()
    assert ran.pk == waiting.pk
    assert (ran.status, ran.origin, ran.decision) == ("committed", "confirmed_interaction", "turnframe.policy.allowed")
    assert ran.settled_turn is not None
    assert str(ran.settled_turn.pk) == s.turn["turn_id"]
    assert "click on confirm_command, confirms_commands" in ran.reason
    row = Interaction.objects.get()
    assert (row.status, row.resolved_option_id) == ("resolved", "confirm")
    assert row.resolved_turn_id == ran.settled_turn_id
    assert moves(row) == [("", "active", "raised"), ("active", "resolved", "answered")]
    assert s.fresh().status == Parcel.Status.SENT
    assert s.fresh().revision == 4


def test_confirm_stores_the_effect_outside_in_the_same_turn(scenario: ScenarioFactory) -> None:
    s = asked(scenario)
    assert not OutboxEntry.objects.exists()
    s.click(s.expect_card("confirm_command"), "confirm")
    entry = OutboxEntry.objects.get()
    assert (entry.destination, entry.status, entry.key) == ("carrier", "pending", Command.objects.get().idempotency_key)
    assert json.loads(entry.payload) == {"name": "Books"}


def test_decline_with_a_reason_keeps_the_reason_in_the_input_of_the_turn(scenario: ScenarioFactory) -> None:
    s = asked(scenario)
    s.click(s.expect_card("confirm_command"), "decline", freeform="too dear")
    s.expect_notice("turnframe.notice.instruction_declined")
    s.expect_no_receipt()
    row = Interaction.objects.get()
    assert (row.status, row.resolved_option_id) == ("declined", "decline")
    assert row.resolved_turn is not None
    assert json.loads(row.resolved_turn.input)["interaction_response"]["freeform_input"] == "too dear"
    assert row.history.get(to_status="declined").turn_id == row.resolved_turn_id
    dropped = Command.objects.get()
    assert (dropped.status, dropped.origin, json.loads(dropped.outcome)) == ("dropped", None, {"code": "declined"})
    assert not DomainEvent.objects.exists()
    assert s.fresh().revision == 3


def test_a_decline_needs_no_reason(scenario: ScenarioFactory) -> None:
    s = asked(scenario)
    s.click(s.expect_card("confirm_command"), "decline")
    s.expect_notice("turnframe.notice.instruction_declined")
    assert Interaction.objects.get().status == "declined"


def test_dismiss_puts_the_question_away_and_does_nothing(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel(status=DOUBTED))
    s.user("hello")
    card = s.expect_card("boolean")
    assert card["expires_at"] is None
    s.click(card, "dismiss")
    s.expect_no_receipt()
    s.expect_no_card()
    row = Interaction.objects.get()
    assert (row.status, row.resolved_option_id) == ("dismissed", "dismiss")
    assert not Command.objects.exists()
    assert s.fresh().revision == 3


def test_apply_runs_the_stored_operation_with_the_text_in_its_place(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel(status=DOUBTED))
    s.user("hello")
    s.click(s.expect_card("boolean"), "yes", freeform="for Ada")
    assert s.fresh().note == "for Ada"
    command = Command.objects.get()
    assert (command.name, command.status, command.origin) == ("parcel.note_parcel", "committed", "confirmed_interaction")
    assert codec.decode(command.arguments) == {"note": "for Ada"}


@pytest.mark.parametrize("freeform", [None, "", "  "])
def test_apply_without_a_text_runs_with_the_value_that_was_stored(scenario: ScenarioFactory, freeform: str | None) -> None:
    s = scenario(ParcelWorkflow, parcel(status=DOUBTED))
    s.user("hello")
    s.click(s.expect_card("boolean"), "yes", freeform=freeform)
    assert s.problem is None
    assert s.fresh().note == "mine"


@pytest.mark.parametrize("freeform", [None, "", "  "])
def test_a_blank_text_beside_a_click_with_words_is_no_text_either(scenario: ScenarioFactory, freeform: str | None) -> None:
    s = scenario(ParcelWorkflow, parcel(status=DOUBTED))
    s.user("hello")
    s.click(s.expect_card("boolean"), "yes", freeform=freeform, text="thanks")
    assert s.problem is None
    assert s.fresh().note == "mine"


def test_apply_that_means_nothing_now_says_so_and_resolves_the_card(scenario: ScenarioFactory, crates: type[CrateWorkflow]) -> None:
    s = scenario(crates, parcel(status=DOUBTED))
    s.user("hello")
    s.click(s.expect_card("boolean"), "yes")
    s.expect_notice("turnframe.notice.no_change")
    s.expect_no_receipt()
    assert Interaction.objects.get().status == "resolved"
    assert not Command.objects.exists()


def test_apply_that_the_domain_refuses_to_plan_fails_the_card(scenario: ScenarioFactory, crates: type[CrateWorkflow]) -> None:
    s = scenario(crates, parcel(status=DOUBTED, note="stuck"))
    s.user("hello")
    first = s.expect_card("boolean")
    s.click(first, "yes")
    s.expect_notice("crate.stuck")
    s.expect_no_receipt()
    failed = Interaction.objects.get(pk=first["interaction_id"])
    assert (failed.status, failed.failure_code) == ("failed", "crate.stuck")


def test_apply_of_a_command_that_needs_more_than_a_yes_asks_for_that(scenario: ScenarioFactory, crates: type[CrateWorkflow]) -> None:
    s = scenario(crates, parcel(status=DOUBTED))
    s.user("hello")
    first = s.expect_card("boolean")
    s.click(first, "seal")
    s.expect_no_receipt()
    second = s.expect_card("confirm_command")
    assert Interaction.objects.get(pk=first["interaction_id"]).status == "resolved"
    assert not DomainEvent.objects.exists()
    s.click(second, "confirm")
    s.expect_receipt("crate.sealed")
    s.expect_command_ran_once(SealCrate)


def test_an_option_runs_its_own_commands_and_drops_the_others(scenario: ScenarioFactory, crates: type[CrateWorkflow]) -> None:
    s = scenario(crates, parcel())
    s.user("offer it", proposes=[OfferCrate()])
    s.click(s.expect_card("confirm_command"), "both")
    assert s.receipts == ["crate.sealed", "crate.stamped"]
    ended = {(row.name, row.position): (row.status, row.outcome) for row in Command.objects.filter(interaction__isnull=False)}
    assert {key: status for key, (status, _outcome) in ended.items()} == {
        ("crate.seal_crate", 0): "committed",
        ("crate.stamp_crate", 1): "committed",
        ("crate.seal_crate", 2): "dropped",
    }
    assert json.loads(ended["crate.seal_crate", 2][1]) == {"code": "not_chosen"}
    assert set(DomainEvent.objects.filter(type__in=["crate.sealed", "crate.stamped"]).values_list("revision", flat=True)) == {5}


def test_the_other_option_runs_the_other_commands(scenario: ScenarioFactory, crates: type[CrateWorkflow]) -> None:
    s = scenario(crates, parcel())
    s.user("offer it", proposes=[OfferCrate()])
    s.click(s.expect_card("confirm_command"), "seal")
    assert s.receipts == ["crate.sealed"]
    assert not DomainEvent.objects.filter(type="crate.stamped").exists()


def test_consent_to_two_commands_runs_both_or_none(scenario: ScenarioFactory, crates: type[CrateWorkflow]) -> None:
    s = scenario(crates, parcel(name="no ink"))
    s.user("offer it", proposes=[OfferCrate()])
    s.click(s.expect_card("confirm_command"), "both")
    s.expect_notice("crate.no_ink")
    s.expect_no_receipt()
    assert s.fresh().note == ""
    assert not DomainEvent.objects.filter(type="crate.sealed").exists()
    assert set(Command.objects.filter(interaction__status="failed").values_list("status", flat=True)) == {"failed", "dropped"}


def test_consent_is_not_half_taken_when_policy_refuses_one_of_the_commands(scenario: ScenarioFactory, crates: type[CrateWorkflow]) -> None:
    s = scenario(crates, parcel())
    s.user("offer it", proposes=[OfferCrate()])
    card = s.expect_card("confirm_command")
    Parcel.objects.update(note="watched")
    s.click(card, "both")
    s.expect_notice("turnframe.policy.human_review_required")
    s.expect_no_receipt()
    assert Interaction.objects.get(pk=card["interaction_id"]).status == "failed"
    assert not DomainEvent.objects.filter(type__in=["crate.sealed", "crate.stamped"]).exists()


def test_a_card_that_comes_back_after_a_policy_refusal_can_still_be_answered(
    scenario: ScenarioFactory, crates: type[CrateWorkflow]
) -> None:
    s = scenario(crates, parcel(weight=7))
    s.user("offer it", proposes=[OfferCrate()])
    card = s.expect_card("confirm_command")
    Parcel.objects.update(note="watched")
    s.click(card, "both")
    s.expect_notice("turnframe.policy.human_review_required")
    assert Interaction.objects.get().status == "active"
    assert set(Command.objects.filter(interaction__isnull=False).values_list("status", flat=True)) == {"awaiting_confirmation"}
    Parcel.objects.update(note="")
    s.click(card, "both")
    assert s.receipts == ["crate.sealed", "crate.stamped"]


def test_a_click_is_judged_by_the_stored_action_whatever_the_model_says_now(scenario: ScenarioFactory) -> None:
    # A model that would propose another name later is never asked between the card and its command.
    s = asked(scenario)
    card = s.expect_card("confirm_command")
    s.click(card, "confirm")
    assert codec.decode(Command.objects.get().arguments) == {"name": "Books"}
    record = json.loads(ReplayRecord.objects.get(turn_id=s.turn["turn_id"]).record)
    assert record["outcomes"][0]["name"] == "parcel.send_parcel"
    assert ReplayRecord.objects.get(turn_id=s.turn["turn_id"]).material == ""
    s.expect_command_ran_once(SendParcel)


def test_two_cards_of_two_records_are_answered_in_reverse_order(scenario: ScenarioFactory) -> None:
    first = scenario(ParcelWorkflow, parcel(name="One"))
    second = scenario(ParcelWorkflow, parcel(name="Two"))
    for s in (first, second):
        s.user("send it", proposes=[AskToSend()])
    cards = {s: s.expect_card("confirm_command") for s in (first, second)}
    second.click(cards[second], "confirm")
    first.click(cards[first], "confirm")
    assert first.expect_receipt("parcel.sent")["body"] == "One is with the carrier."
    assert second.expect_receipt("parcel.sent")["body"] == "Two is with the carrier."
    for s in (first, second):
        assert Turn.objects.get(pk=s.turn["turn_id"]).commands.count() == 0
        assert DomainEvent.objects.get(turn_id=s.turn["turn_id"]).case_id == str(s.fresh().pk)


def test_the_reply_to_a_click_says_how_to_go_on(scenario: ScenarioFactory) -> None:
    s = asked(scenario)
    s.click(s.expect_card("confirm_command"), "confirm")
    assert [block["kind"] for block in s.blocks] == ["transition", "receipt"]
    assert "You can now" in s.blocks[0]["text"]


def test_a_low_risk_request_needs_no_card(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("call it Maps and leave it soft", proposes=[NameParcel(name="Maps"), NoteParcel(note="soft")])
    assert s.receipts == ["parcel.named"]
    assert s.fresh().revision == 4


@pytest.mark.parametrize("workflow", ["without the command", "with other arguments"])
def test_a_waiting_command_that_the_workflow_no_longer_has_is_refused_and_its_card_ends(
    scenario: ScenarioFactory, crates: type[CrateWorkflow], monkeypatch: pytest.MonkeyPatch, workflow: str
) -> None:
    s = scenario(crates, parcel())
    s.user("seal it", proposes=[SealCrate()])
    card = s.expect_card("confirm_command")
    if workflow == "without the command":
        monkeypatch.delitem(s.workflow._commands, "seal_crate")
    else:
        monkeypatch.setitem(s.workflow._commands, "seal_crate", NoteCrate)
    s.click(card, "confirm")
    s.expect_notice("turnframe.operation.unknown" if workflow == "without the command" else "turnframe.operation.invalid_arguments")
    s.expect_no_receipt()
    assert Interaction.objects.get().status == "failed"
    assert Command.objects.get().status == "dropped"


def test_a_click_on_an_authorising_card_admits_the_operation_it_applies(scenario: ScenarioFactory, crates: type[CrateWorkflow]) -> None:
    s = scenario(crates, parcel(status=DOUBTED, weight=4))
    s.user("hello")
    s.click(s.expect_card("confirm_command"), "seal")
    s.expect_receipt("crate.sealed")
    ran = Command.objects.get()
    assert (ran.origin, ran.confirmation, ran.decision) == ("confirmed_interaction", "explicit_click", "turnframe.policy.allowed")
    assert "click on confirm_command, applies_operation" in ran.reason


def test_what_a_client_sees_of_an_option_holds_no_action(scenario: ScenarioFactory) -> None:
    s = asked(scenario)
    card = s.expect_card("confirm_command")
    assert [set(option) for option in card["options"]] == [{"freeform", "label", "option_id", "style"}] * 2
    assert "send_parcel" not in s.body
    assert "confirm_commands" not in s.body


@pytest.mark.parametrize("table", ["BlockEvent", "DomainEvent", "OutboxEntry", "InteractionTransition", "ReplayRecord"])
def test_a_click_whose_rows_cannot_all_be_stored_stores_none_and_may_be_clicked_again(
    scenario: ScenarioFactory, monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    s = asked(scenario)
    card = s.expect_card("confirm_command")
    insert = rows.insert

    def failing(model: Any, given: Any) -> None:
        if model.__name__ == table:
            raise DatabaseError("no")
        insert(model, given)

    with nothing_written(), monkeypatch.context() as patched:
        patched.setattr(rows, "insert", failing)
        s.click(card, "confirm")
    s.expect_problem("internal")
    s.click(card, "confirm")
    s.expect_receipt("parcel.sent")
