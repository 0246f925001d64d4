"""The numbered scenarios of the runtime, as far as it goes: each given, done and asserted in full where it is read."""

import json
from typing import Any
from uuid import uuid4

import pytest
from django.db import OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper

from tests.desk.models import Parcel
from tests.desk.workflows import (
    AskToSend,
    DiscardParcel,
    NameParcel,
    OpenParcel,
    ParcelWorkflow,
    RecordCarrierAnswer,
    SendParcel,
    WeighParcel,
)
from tests.runtime.tables import changed, everything, nothing_written
from turnframe_django import codec, runtime
from turnframe_django.context import Actor
from turnframe_django.exceptions import Problem
from turnframe_django.flow import Proposal, ProposedAct
from turnframe_django.models import Block, Command, DomainEvent, Interaction, OutboxEntry, ReplayRecord, Turn
from turnframe_django.protocol.turns import InteractionResponse, TurnInput
from turnframe_django.runtime import rows, stored
from turnframe_django.testing import Scenario, ScenarioFactory, act

pytestmark = pytest.mark.django_db


def parcel(**values: Any) -> Parcel:
    return Parcel(**{"account": "acme", "name": "Books", "revision": 3, **values})


def asked(scenario: ScenarioFactory) -> tuple[Scenario, dict[str, Any]]:
    s = scenario(ParcelWorkflow, parcel())
    s.user("send it", proposes=[AskToSend()])
    return s, s.expect_card("confirm_command")


def test_a_conversation_from_its_opening_to_the_answer_from_outside(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow)
    s.user("start a parcel called Books", proposes=[OpenParcel(name="Books")])
    s.expect_receipt("parcel.opened")
    s.user("it weighs 3, send it", proposes=[WeighParcel(weight=3), AskToSend()])
    card = s.expect_card("confirm_command")
    s.expect_receipt("parcel.weighed")
    s.click(card, "confirm")
    s.expect_receipt("parcel.sent")
    s.click(card, "confirm")
    s.expect_same_turn_bytes()
    s.expect_command_ran_once(SendParcel)
    assert len(s.outbox) == 1
    assert runtime.deliver_outbox() == 1
    s.callback("carrier", {"parcel": str(Parcel.objects.get().pk), "status": "arrived"})
    s.expect_receipt("parcel.carrier_answered")
    assert s.turn["ordinal"] == 4


def test_scenario_02_one_message_sets_two_independent_fields(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("call it Maps, it weighs 4", proposes=[NameParcel(name="Maps"), WeighParcel(weight=4)])
    assert s.receipts == ["parcel.named", "parcel.weighed"]
    record = s.fresh()
    assert (record.name, record.weight, record.revision) == ("Maps", 4, 4)
    assert set(DomainEvent.objects.values_list("type", "revision")) == {
        ("parcel.named", 4),
        ("parcel.weighed", 4),
        ("parcel.noted", 4),
    }
    assert list(Command.objects.values_list("status", "expected_revision")) == [("committed", 3), ("committed", 3)]


def test_scenario_04_a_click_and_words_in_one_turn(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)
    s.click(card, "confirm", text="it weighs 4", proposes=[WeighParcel(weight=4)])
    assert s.receipts == ["parcel.sent", "parcel.weighed"]
    s.expect_command_ran_once(SendParcel)


def test_scenario_06_a_second_act_that_is_malformed_holds_the_first(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    proposal = Proposal(
        acts=[
            ProposedAct(id="a1", operation="name_parcel", record=None, arguments={"name": {"value": "Maps", "quote": "Maps"}}),
            ProposedAct(id="a2", operation="weigh_parcel", record=None, arguments={"weight": "heavy"}),
        ]
    )
    s.user("call it Maps, it is heavy", proposes=proposal)
    s.expect_no_receipt()
    s.expect_notice("turnframe.operation.invalid_arguments")
    s.expect_notice("turnframe.notice.partial_result")
    assert not Command.objects.exists()
    assert not DomainEvent.objects.exists()
    assert (s.fresh().name, s.fresh().revision) == ("Books", 3)
    results = json.loads(ReplayRecord.objects.get().record)["results"]
    assert [(result["act"], result["outcome"]) for result in results] == [("a1", "held"), ("a2", "rejected")]


def test_scenario_07_a_stale_confirmation_after_an_edit_runs_nothing(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)
    s.user("call it Maps", proposes=[NameParcel(name="Maps")])
    with nothing_written():
        s.click(card, "confirm")
    s.expect_problem("interaction_not_active")
    assert not DomainEvent.objects.filter(type="parcel.sent").exists()


def test_scenario_07_a_confirmation_after_an_edit_from_outside_is_a_conflict(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)
    Parcel.objects.update(name="Maps", revision=4)
    with nothing_written():
        s.click(card, "confirm")
    assert s.expect_problem("revision_conflict").members == {"bound": 3, "current": 4}
    assert not DomainEvent.objects.exists()


def test_scenario_08_a_double_click_executes_once(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)
    s.click(card, "confirm", key="first")
    before = everything()
    s.click(card, "confirm", key="second")
    s.expect_same_turn_bytes()
    assert everything() == before
    assert DomainEvent.objects.filter(type="parcel.sent").count() == 1
    assert OutboxEntry.objects.count() == 1
    s.expect_command_ran_once(SendParcel)


def test_scenario_09_a_value_smuggled_in_as_free_text_runs_nothing(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)
    with nothing_written():
        s.click(card, "confirm", freeform="Stones")
    s.expect_problem("freeform_not_allowed")
    s.click(card, "confirm")
    assert s.expect_receipt("parcel.sent")["body"] == "Books is with the carrier."
    assert codec.decode(Command.objects.get().arguments) == {"name": "Books"}


@pytest.mark.parametrize(("name", "code"), [("wordless", "turnframe.notice.command_failed"), ("forbidden", "parcel.name_forbidden")])
def test_scenario_10_a_command_that_the_domain_rejects(scenario: ScenarioFactory, name: str, code: str) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user(f"call it {name}", proposes=[NameParcel(name=name)])
    s.expect_no_receipt()
    s.expect_notice(code)
    assert not DomainEvent.objects.exists()
    assert Command.objects.get().status == "failed"
    assert (s.fresh().name, s.fresh().revision) == ("Books", 3)


def test_scenario_11_a_card_that_cannot_be_stored_is_not_spoken_of(scenario: ScenarioFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    s = scenario(ParcelWorkflow, parcel())
    insert = rows.insert

    def twice(model: Any, given: Any) -> None:
        insert(model, [*given, *given] if model.__name__ == "InteractionOption" else given)

    with monkeypatch.context() as patched:
        patched.setattr(rows, "insert", twice)
        s.user("send it", proposes=[AskToSend()])
    s.expect_no_card()
    s.expect_notice("turnframe.notice.interaction_unavailable")
    assert [block["kind"] for block in s.blocks] == ["transition", "notice"]
    assert s.turn["phase"] == "delivered"
    assert not Interaction.objects.exists()
    assert not Command.objects.exists()
    assert Block.objects.filter(interaction__isnull=False).count() == 0
    s.user("send it", proposes=[AskToSend()])
    s.expect_card("confirm_command")


@pytest.mark.django_db(transaction=True)
def test_scenario_14_a_commit_that_fails_leaves_nothing_but_the_acceptance(monkeypatch: pytest.MonkeyPatch) -> None:
    s = Scenario(ParcelWorkflow, parcel())
    before = everything()
    commit, made = BaseDatabaseWrapper._commit, []  # type: ignore[attr-defined]

    def failing(self: Any) -> Any:
        made.append("commit")
        if len(made) == 3:
            raise OperationalError("the connection broke")
        return commit(self)

    with monkeypatch.context() as patched:
        patched.setattr(BaseDatabaseWrapper, "_commit", failing)
        s.user("it weighs 4, send it", proposes=[WeighParcel(weight=4), AskToSend()], key="k1")
    s.expect_problem("temporarily_unavailable")
    turn = Turn.objects.get()
    assert (turn.phase, turn.error_code, turn.head) == ("failed", "temporarily_unavailable", "")
    assert changed(before) == {"Turn": 1, "StreamFrame": 4, "ModelCall": 1, "Conversation": 0, "Counter": 1}
    s.user("it weighs 4, send it", proposes=[WeighParcel(weight=4), AskToSend()], key="k2")
    s.expect_receipt("parcel.weighed")
    assert DomainEvent.objects.filter(type="parcel.weighed").count() == 1


def test_scenario_16_a_message_that_changes_nothing_leaves_an_open_card_alone(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)
    s.user("what does it cost?", proposes={"acts": [], "not_understood": [{"words": "what does it cost?"}]})
    s.expect_notice("turnframe.notice.not_understood")
    s.expect_no_card()
    assert s.fresh().revision == 3
    row = Interaction.objects.get()
    assert (str(row.pk), row.status) == (card["interaction_id"], "active")
    s.click(card, "confirm")
    s.expect_receipt("parcel.sent")


def test_scenario_18_a_reload_is_what_was_said(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("call it Ärger 😀, it weighs 4, send it", proposes=[NameParcel(name="Ärger 😀"), WeighParcel(weight=4), AskToSend()])
    turn = Turn.objects.get()
    assert stored.read(turn) == s.body
    bodies = list(turn.blocks.order_by("position").values_list("body", flat=True))
    assert [codec.decode(body) for body in bodies] == s.blocks
    assert all(body in s.body for body in bodies)
    card = s.expect_card("confirm_command")
    row = Interaction.objects.get()
    assert (str(row.pk), row.status) == (card["interaction_id"], "active")
    assert codec.decode(row.payload) == card
    s.click(card, "confirm")
    assert stored.read(turn) != s.body
    turn.refresh_from_db()
    assert codec.decode(stored.read(turn))["assistant_turn"]["blocks"][-1]["interaction"] == card  # type: ignore[index,call-overload]


UNKNOWN, RIVAL = uuid4(), Actor("rivals", "bob")


def test_scenario_19_what_is_unknown_and_what_is_somebody_elses_read_the_same(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)
    theirs = scenario(ParcelWorkflow, parcel(account="rivals"), actor=RIVAL)
    theirs.user("send it", proposes=[AskToSend()])
    their_card = theirs.expect_card("confirm_command")["interaction_id"]

    def refusal(conversation: Any, interaction: str | None = None, **more: Any) -> tuple[str, str, dict[str, Any]]:
        response = None
        if interaction is not None:
            response = InteractionResponse(interaction_id=interaction, option_id="confirm", expected_case_revision=3)
        with nothing_written(), pytest.raises(Problem) as raised:
            runtime.handle_turn(s.actor, conversation, TurnInput(interaction_response=response, **more))
        return raised.value.code, raised.value.detail, raised.value.members

    mine = s.conversation.pk
    assert refusal(UNKNOWN, card["interaction_id"]) == refusal(theirs.conversation.pk, card["interaction_id"])
    assert refusal(theirs.conversation.pk, their_card) == refusal(mine, their_card) == refusal(mine, str(UNKNOWN))
    assert refusal(mine, str(UNKNOWN)) == ("not_found", "", {})
    for record in (theirs.fresh(), Parcel(pk=UNKNOWN)):
        with nothing_written():
            s.user("it weighs 4", proposes=[WeighParcel(weight=4)], origin=record)
        assert s.expect_problem("not_found").members == {}


def test_scenario_19_a_record_that_is_not_listed_changes_nothing(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    theirs = scenario(ParcelWorkflow, parcel(account="rivals", name="Theirs"), actor=RIVAL)
    told = []
    for token in ("t_000000000000", str(theirs.fresh().pk)):
        s.user("it weighs 4", proposes=[act(WeighParcel(weight=4), token)])
        s.expect_no_receipt()
        told.append([(block["code"], block["text"]) for block in s.of_kind("notice")])
    assert told[0] == told[1]
    assert told[0][0][0] == "turnframe.target.unauthorized"
    assert not DomainEvent.objects.exists()
    assert set(Parcel.objects.values_list("weight", "revision")) == {(None, 3)}


@pytest.mark.parametrize(
    ("given", "proposes"),
    [
        ("a refused command", [NameParcel(name="wordless")]),
        ("no command", []),
        ("a command for its card", [RecordCarrierAnswer(status=Parcel.Status.SENT)]),
        ("a command that waits", [DiscardParcel()]),
    ],
)
def test_scenario_20_nothing_is_claimed_that_nothing_backs(scenario: ScenarioFactory, given: str, proposes: Any) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user(f"{given}: call it wordless, I have cancelled it", proposes=proposes)
    s.expect_no_receipt()
    assert not DomainEvent.objects.exists()
    prose = " ".join(block["text"] for block in s.of_kind("transition"))
    assert "cancelled" not in prose


def test_scenario_20_a_model_has_nowhere_to_write_a_claim(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("cancel it", proposes={"acts": [], "reply": "I have cancelled it."})
    s.expect_problem("assistant_unavailable")
    assert not Block.objects.exists()
