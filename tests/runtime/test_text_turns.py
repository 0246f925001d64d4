"""What a turn with words commits: one transaction, all or nothing, each record's batch in a savepoint of its own."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError

from tests.desk.models import Parcel
from tests.desk.workflows import (
    AskToSend,
    DiscardParcel,
    NameParcel,
    NoteParcel,
    OpenParcel,
    ParcelWorkflow,
    RecordCarrierAnswer,
    TidyParcel,
    WeighParcel,
)
from tests.runtime.crates import CrateWorkflow, NoteCrate, OpenCrate, SealCrate
from tests.runtime.tables import changed, everything, nothing_written
from turnframe_django.context import Actor
from turnframe_django.flow import NotUnderstood, Proposal
from turnframe_django.models import Command, ConversationCase, DomainEvent, Interaction, ReplayRecord, Turn
from turnframe_django.runtime import rows
from turnframe_django.testing import Scenario, ScenarioFactory, act, later

pytestmark = pytest.mark.django_db

CONFLICT = "turnframe.notice.revision_conflict"
#: What an accepted turn that fails leaves: its row, its frames (received, and failed) with their counter, the call to the model, the
#: conversation that counted it.
LEFT_BY_A_FAILED_TURN = {"Turn": 1, "StreamFrame": 2, "ModelCall": 1, "Conversation": 0, "Counter": 1}


def parcel(**values: Any) -> Parcel:
    return Parcel(**{"account": "acme", "name": "Books", "revision": 3, **values})


def about(scenario: ScenarioFactory, *names: str) -> Scenario:
    """A conversation about several parcels."""
    s = scenario(ParcelWorkflow, parcel(name=names[0]))
    for name in names[1:]:
        s.user(f"start a parcel called {name}", proposes=[OpenParcel(name=name)])
    return s


def event_types() -> list[str]:
    return list(DomainEvent.objects.order_by("position").values_list("type", flat=True))


def test_two_records_in_one_message_are_two_batches(scenario: ScenarioFactory) -> None:
    s = about(scenario, "One", "Two")
    s.user("they weigh 4 and 5", proposes=[act(WeighParcel(weight=4), "One"), act(WeighParcel(weight=5), "Two")])
    assert s.receipts == ["parcel.weighed", "parcel.weighed"]
    assert dict(Parcel.objects.values_list("name", "weight")) == {"One": 4, "Two": 5}
    assert dict(Parcel.objects.values_list("name", "revision")) == {"One": 4, "Two": 2}


def test_a_record_no_turn_had_touched_is_changed_like_any_other(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, Parcel(account="acme", name="Books"))
    s.user("it weighs 4", proposes=[WeighParcel(weight=4)])
    s.expect_receipt("parcel.weighed")
    assert s.fresh().revision == 1


# Refused by the domain.


def test_a_refusal_takes_back_its_own_batch_and_is_journaled_and_told(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("it weighs 4, call it forbidden", proposes=[WeighParcel(weight=4), NameParcel(name="forbidden")])
    assert s.expect_notice("parcel.name_forbidden")["text"] == "That name is not allowed."
    s.expect_no_receipt()
    record = s.fresh()
    assert (record.name, record.weight, record.revision) == ("Books", None, 3)
    rows_of = {row.name: row for row in Command.objects.all()}
    assert {name: row.status for name, row in rows_of.items()} == {"parcel.weigh_parcel": "failed", "parcel.name_parcel": "failed"}
    assert json.loads(rows_of["parcel.name_parcel"].outcome) == {"code": "parcel.name_forbidden"}
    assert not event_types()


def test_a_refusal_lets_earlier_batches_stand_and_later_ones_unrun(scenario: ScenarioFactory) -> None:
    s = about(scenario, "One", "Two", "Three", "Four")
    before = len(event_types())
    s.user(
        "One weighs 4; call Two forbidden; Three weighs 6; a note on Four: soft",
        proposes=[
            act(WeighParcel(weight=4), "One"),
            act(NameParcel(name="forbidden"), "Two"),
            act(WeighParcel(weight=6), "Three"),
            act(NoteParcel(note="soft"), "Four"),
        ],
    )
    assert s.receipts == ["parcel.weighed"]
    s.expect_notice("parcel.name_forbidden")
    assert event_types()[before:] == ["parcel.weighed", "parcel.noted"]
    assert set(Parcel.objects.filter(name__in=["Two", "Three", "Four"]).values_list("weight", "note")) == {(None, "")}
    told = s.expect_notice("turnframe.notice.partial_result")["text"]
    assert "say what it weighs" in told
    assert "leave a note" in told
    assert "unclear" not in told


def test_what_an_author_changed_before_refusing_is_not_shown(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel(name=""))
    s.user("call it forbidden", proposes=[NameParcel(name="forbidden")])
    # Projected from memory, the parcel would have a name and no open question.
    assert "What is the parcel called?" in s.blocks[0]["text"]


def test_an_opening_that_the_domain_refuses_leaves_no_record(scenario: ScenarioFactory, crates: type[CrateWorkflow]) -> None:
    s = scenario(crates)
    s.user("start a crate called forbidden", proposes=[OpenCrate(name="forbidden")])
    s.click(s.expect_card("confirm_command"), "confirm")
    s.expect_notice("crate.forbidden")
    s.expect_no_receipt()
    assert not Parcel.objects.exists()


# Broken from inside.


@pytest.mark.parametrize("first", [None, WeighParcel(weight=4)], ids=["alone", "behind a good one"])
def test_any_other_error_fails_the_whole_turn_with_a_reference(scenario: ScenarioFactory, first: WeighParcel | None) -> None:
    s = about(scenario, "One", "Two")
    before = everything()
    acts = [act(NameParcel(name="broken"), "Two")] if first is None else [act(first, "One"), act(NameParcel(name="broken"), "Two")]
    s.user("it weighs 4, call it broken", proposes=acts)
    problem = s.expect_problem("internal")
    assert problem.detail == ""
    failed = Turn.objects.get(phase="failed")
    assert problem.members == {"reference": failed.error_reference, "turn_id": str(failed.pk)}
    assert (failed.error_code, failed.head, failed.delivered_at) == ("internal", "", None)
    assert changed(before) == {"Turn": 1, "StreamFrame": 4, "ModelCall": 1, "Conversation": 0, "Counter": 0}
    conversation = failed.conversation
    assert (conversation.lease_turn, conversation.lease_until) == (None, None)
    s.user("it weighs 4", proposes=[act(WeighParcel(weight=4), "One")])
    s.expect_receipt("parcel.weighed")


def test_a_broken_command_under_a_click_stores_nothing_and_frees_its_key(
    scenario: ScenarioFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("send it", proposes=[AskToSend()])
    card = s.expect_card("confirm_command")
    before = everything()
    with monkeypatch.context() as patched:
        patched.setattr("tests.desk.workflows.SendParcel.execute", lambda command, record: 1 / 0)
        s.click(card, "confirm", key="k1")
    problem = s.expect_problem("internal")
    assert set(problem.members) == {"reference"}
    assert not changed(before)
    s.click(card, "confirm", key="k1")
    s.expect_receipt("parcel.sent")


@pytest.mark.parametrize("note", ["broken"])
def test_a_view_that_breaks_a_rule_rolls_the_turn_back(scenario: ScenarioFactory, crates: type[CrateWorkflow], note: str) -> None:
    s = scenario(crates, parcel())
    before = everything()
    s.user("note: broken", proposes=[NoteCrate(note=note)])
    s.expect_problem("internal")
    assert changed(before) == {**LEFT_BY_A_FAILED_TURN, "StreamFrame": 4}
    assert s.fresh().note == ""


def test_a_record_whose_view_is_broken_stops_the_turn_before_the_model(scenario: ScenarioFactory, crates: type[CrateWorkflow]) -> None:
    s = scenario(crates, parcel(note="broken"))
    before = everything()

    def asked() -> None:
        raise AssertionError("a model was asked")

    s.user("hello", meanwhile=asked)
    s.expect_problem("internal")
    assert changed(before) == {name: grown for name, grown in LEFT_BY_A_FAILED_TURN.items() if name != "ModelCall"}


def test_a_command_that_says_nothing_of_what_it_did_is_taken_back(scenario: ScenarioFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(command: WeighParcel, record: Parcel) -> list[Any]:
        record.weight = command.weight
        return []

    s = scenario(ParcelWorkflow, parcel())
    monkeypatch.setattr(WeighParcel, "execute", silent)
    s.user("it weighs 4", proposes=[WeighParcel(weight=4)])
    s.expect_problem("internal")
    assert s.fresh().weight is None


@pytest.mark.parametrize("table", ["ReplayRecord", "Block", "DomainEvent", "StreamFrame", "Command"])
@pytest.mark.parametrize("error", [DatabaseError, IntegrityError])
def test_a_row_that_cannot_be_stored_takes_the_effect_back(
    scenario: ScenarioFactory, monkeypatch: pytest.MonkeyPatch, table: str, error: type[DatabaseError]
) -> None:
    s = scenario(ParcelWorkflow, parcel())
    before = everything()
    insert = rows.insert

    def failing(model: Any, given: Any) -> None:
        if model.__name__ == table and any(turn.phase == "reduced" for turn in Turn.objects.all()):
            raise error("no")
        insert(model, given)

    with monkeypatch.context() as patched:
        patched.setattr(rows, "insert", failing)
        s.user("it weighs 4", proposes=[WeighParcel(weight=4)], key="k1")
    assert s.problem is not None
    grown = changed(before)
    assert "Parcel" not in grown
    assert not {"DomainEvent", "Command", "Block", "ReplayRecord"} & grown.keys()
    s.user("it weighs 4", proposes=[WeighParcel(weight=4)], key="k2")
    s.expect_receipt("parcel.weighed")


def test_a_card_that_cannot_be_stored_lets_the_rest_of_the_turn_stand(scenario: ScenarioFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    s = scenario(ParcelWorkflow, parcel())
    insert = rows.insert

    def twice(model: Any, given: Any) -> None:
        insert(model, [*given, *given] if model is Interaction else given)

    with monkeypatch.context() as patched:
        patched.setattr(rows, "insert", twice)
        s.user("it weighs 4, send it", proposes=[WeighParcel(weight=4), AskToSend()])
    s.expect_receipt("parcel.weighed")
    s.expect_notice("turnframe.notice.interaction_unavailable")
    s.expect_no_card()
    assert not Interaction.objects.exists()
    assert not Command.objects.filter(status="awaiting_confirmation").exists()


# Moved meanwhile.


def test_a_revision_that_moved_under_a_text_turn_runs_nothing_and_is_told(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("it weighs 4", proposes=[WeighParcel(weight=4)], meanwhile=lambda: Parcel.objects.update(revision=4, note="seen"))
    s.expect_notice(CONFLICT)
    s.expect_no_receipt()
    assert s.turn["phase"] == "delivered"
    record = s.fresh()
    assert (record.weight, record.note, record.revision) == (None, "seen", 4)
    assert not Command.objects.exists()


def test_a_revision_that_moved_stops_that_record_only(scenario: ScenarioFactory) -> None:
    s = about(scenario, "One", "Two")
    s.user(
        "they weigh 4 and 5",
        proposes=[act(WeighParcel(weight=4), "One"), act(WeighParcel(weight=5), "Two")],
        meanwhile=lambda: Parcel.objects.filter(name="One").update(revision=4),
    )
    s.expect_notice(CONFLICT)
    assert s.receipts == ["parcel.weighed"]
    assert dict(Parcel.objects.values_list("name", "weight")) == {"One": None, "Two": 5}


def test_a_record_that_vanished_meanwhile_is_told_as_changed(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("it weighs 4", proposes=[WeighParcel(weight=4)], meanwhile=lambda: Parcel.objects.all().delete())
    s.expect_notice(CONFLICT)


def test_a_request_for_a_card_on_a_record_that_vanished_is_told_as_changed(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("send it", proposes=[AskToSend()], meanwhile=lambda: Parcel.objects.update(hidden_from="ann"))
    s.expect_notice(CONFLICT)
    s.expect_no_card()


def test_a_card_for_a_record_that_moved_shows_the_record_as_it_is(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("send it", proposes=[AskToSend()], meanwhile=lambda: Parcel.objects.update(revision=4, name="Maps"))
    card = s.expect_card("confirm_command")
    assert card["case_ref"]["revision"] == 4
    s.click(card, "confirm")
    assert s.expect_receipt("parcel.sent")["body"] == "Maps is with the carrier."


def test_no_card_is_raised_for_what_the_record_no_longer_offers(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("throw it away", proposes=[DiscardParcel()], meanwhile=lambda: Parcel.objects.update(revision=4, status="arrived"))
    s.expect_no_card()
    assert s.notices == ["turnframe.operation.unknown"]


def test_no_card_is_raised_for_what_is_no_longer_needed(scenario: ScenarioFactory, crates: type[CrateWorkflow]) -> None:
    s = scenario(crates, parcel())
    s.user("seal it", proposes=[SealCrate()], meanwhile=lambda: Parcel.objects.update(revision=4, note="sealed"))
    s.expect_no_card()
    assert s.notices == ["turnframe.notice.no_change"]


def test_news_told_while_a_text_is_read_meets_its_commit(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())

    def told() -> None:
        s.tell(TidyParcel(), key="t1")

    s.user("it weighs 4", proposes=[WeighParcel(weight=4)], meanwhile=told)
    s.expect_notice(CONFLICT)
    assert event_types() == ["parcel.noted"]
    assert list(Turn.objects.order_by("ordinal").values_list("ordinal", "source", "phase")) == [
        (1, "user", "delivered"),
        (2, "worker", "delivered"),
    ]


# What is kept of it.


def test_the_turn_is_accounted_for(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("it weighs 4, sing", proposes=[WeighParcel(weight=4), RecordCarrierAnswer(status=Parcel.Status.SENT)])
    turn = Turn.objects.get()
    record, material = (json.loads(text) for text in ReplayRecord.objects.values_list("record", "material").get())
    assert [result["outcome"] for result in record["results"]] == ["ready", "rejected"]
    assert record["results"][1]["code"] == "turnframe.operation.not_proposable"
    assert record["events"] == [str(pk) for pk in DomainEvent.objects.order_by("position").values_list("pk", flat=True)]
    assert [block["block_id"] for block in record["blocks"]] == [str(block.pk) for block in turn.blocks.order_by("position")]
    assert record["versions"]["workflow:parcel"] == 1
    (outcome,) = record["outcomes"]
    assert (outcome["origin"], outcome["decision"], outcome["status"]) == ("direct_safe_user_act", "turnframe.policy.allowed", "committed")
    assert material["records"][0]["state"]["weight"] is None
    assert material["proposal"]["acts"][0]["operation"] == "weigh_parcel"
    (call,) = turn.model_calls.all()
    assert (call.purpose, call.verdict) == ("interpret", "accepted")


def test_every_reply_ends_on_a_way_forward(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel(name=""))
    s.user("it weighs 4", proposes=[WeighParcel(weight=4)])
    assert s.blocks[0]["text"] == "What is the parcel called?"
    s.user("call it Maps", proposes=[NameParcel(name="Maps")])
    assert s.blocks[0]["text"].startswith("You can now: ")
    s.user("call it Maps", proposes=[NameParcel(name="Maps")])
    assert s.notices == ["turnframe.notice.no_change"]
    assert "You can now: " in s.blocks[0]["text"]
    s.user("blah", proposes=Proposal(not_understood=[NotUnderstood(words="blah", reason="unclear")]))
    assert s.notices == ["turnframe.notice.not_understood"]
    assert s.blocks[0]["text"].startswith("I did not understand that. You can now: ")
    s.user("fly it", proposes=Proposal(not_understood=[NotUnderstood(words="fly it", reason="no_operation")]))
    assert s.blocks[0]["text"].startswith("That cannot be done here now. You can now: ")
    assert s.blocks[1]["text"] == "Nothing that can be done here now does this: “fly it”."


# The record that the page shows.


def test_the_record_of_the_page_is_in_view_and_joins_once_it_was_touched(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow)
    shown = parcel()
    shown.save()
    s.user("hello", origin=shown)
    assert not ConversationCase.objects.exists()
    s.user("it weighs 4", proposes=[WeighParcel(weight=4)])
    s.expect_notice("turnframe.target.missing")
    s.user("it weighs 4", proposes=[WeighParcel(weight=4)], origin=shown)
    s.expect_receipt("parcel.weighed")
    assert ConversationCase.objects.get().case_id == str(shown.pk)
    s.user("it weighs 5", proposes=[WeighParcel(weight=5)], origin=shown)
    s.user("it weighs 6", proposes=[WeighParcel(weight=6)])
    s.expect_receipt("parcel.weighed")
    assert ConversationCase.objects.count() == 1


@pytest.mark.parametrize("actor", [Actor("acme", "colleague"), Actor("rivals", "bob"), Actor("rivals", "ann")], ids=str)
def test_words_in_somebody_elses_conversation_are_not_found(scenario: ScenarioFactory, actor: Actor) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.actor = actor
    with nothing_written():
        s.user("it weighs 4", proposes=[WeighParcel(weight=4)])
    s.expect_problem("not_found")


def test_a_record_hidden_from_the_user_is_not_in_view(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    Parcel.objects.update(hidden_from="ann")
    s.user("it weighs 4", proposes=[WeighParcel(weight=4)])
    s.expect_notice("turnframe.target.missing")
    assert not DomainEvent.objects.exists()


def test_words_beside_an_open_card_end_on_the_question_that_waits(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, Parcel(account="acme", name="Books"))
    s.user("send it", proposes=[AskToSend()])
    s.user("ok then")
    assert s.blocks[0]["text"].endswith("A question is waiting for you: “Send it now?”")
    s.expect_no_card()


def test_a_question_that_nobody_can_answer_any_more_does_not_wait(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, Parcel(account="acme", name="Books"))
    s.user("send it", proposes=[AskToSend()])
    with later(timedelta(minutes=16)):
        s.user("ok then")
    assert "A question is waiting" not in s.blocks[0]["text"]
    s.user("ok then")
    assert "A question is waiting" in s.blocks[0]["text"]
    Parcel.objects.update(revision=9)
    s.user("ok then")
    assert "A question is waiting" not in s.blocks[0]["text"]


def test_the_card_that_code_writes_names_its_record(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("throw it away", proposes=[DiscardParcel()])
    assert s.expect_card("confirm_command")["body"] == "Books\ndiscard the parcel"


def test_several_records_that_fit_are_named_in_the_question(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow)
    s.user("start Books", proposes=[OpenParcel(name="Books")])
    s.user("start Wool", proposes=[OpenParcel(name="Wool")])
    s.user("it weighs 3", proposes=[WeighParcel(weight=3)])
    s.expect_notice("turnframe.target.unresolved")
    assert s.blocks[0]["text"].endswith("Which one do you mean: Books or Wool?")
