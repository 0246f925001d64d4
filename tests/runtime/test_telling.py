"""News that no user's turn brought is a turn of its own: under its key once, in the right conversation, or nowhere at all."""

from typing import Any

import pytest

from tests.desk.models import Parcel
from tests.desk.workflows import (
    AskToSend,
    DiscardParcel,
    OpenParcel,
    ParcelWorkflow,
    RecordCarrierAnswer,
    TidyParcel,
    WeighParcel,
)
from tests.runtime.tables import everything, nothing_written
from turnframe_django import runtime
from turnframe_django.exceptions import Problem
from turnframe_django.models import Command, Conversation, DomainEvent, Interaction, Turn
from turnframe_django.runtime import NotAdmitted
from turnframe_django.testing import Scenario, ScenarioFactory

pytestmark = pytest.mark.django_db


def parcel(**values: Any) -> Parcel:
    return Parcel(**{"account": "acme", "name": "Books", "revision": 3, **values})


def news(s: Scenario, status: str) -> dict[str, str]:
    return {"parcel": str(s.fresh().pk), "status": status}


def test_a_callback_is_a_turn_with_a_receipt_and_no_input(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.callback("carrier", news(s, "sent"))
    assert s.expect_receipt("parcel.carrier_answered")["severity"] == "info"
    assert (s.turn["source"], s.turn["input"], s.turn["ordinal"], s.turn["phase"]) == ("callback", None, 1, "delivered")
    turn = Turn.objects.get()
    assert (turn.actor, turn.input) == (None, "")
    command = Command.objects.get()
    assert (command.origin, command.status) == ("external_callback", "committed")
    assert s.fresh().status == "sent"
    assert s.fresh().revision == 4


def test_the_same_body_again_is_the_same_turn(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.callback("carrier", news(s, "sent"))
    with nothing_written():
        s.callback("carrier", news(s, "sent"))
    s.expect_same_turn_bytes()
    assert DomainEvent.objects.count() == 1
    s.callback("carrier", news(s, "arrived"))
    assert not s.replayed
    assert DomainEvent.objects.count() == 2


def test_a_callbacks_own_key_names_the_delivery(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.callback("carrier", news(s, "sent"), key="d-1")
    assert s.turn["client_turn_id"] == "callback:carrier:d-1"
    with nothing_written():
        s.callback("carrier", news(s, "arrived"), key="d-1")
    s.expect_same_turn_bytes()
    s.callback("carrier", news(s, "arrived"), key="d-2")
    assert s.fresh().status == "arrived"


@pytest.mark.parametrize("key", ["k" * 300, "clé ☃", "line\nbreak", "nul\0inside", " "])
def test_a_key_of_any_length_and_alphabet_names_the_news(scenario: ScenarioFactory, key: str) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.callback("carrier", news(s, "sent"), key=key)
    s.expect_receipt("parcel.carrier_answered")
    with nothing_written():
        s.callback("carrier", news(s, "sent"), key=key)
    s.expect_same_turn_bytes()


@pytest.mark.parametrize("body", [{}, {"parcel": "x"}, {"parcel": "x", "status": "lost"}, {"parcel": 1, "status": "sent"}])
def test_a_body_that_does_not_fit_is_refused(scenario: ScenarioFactory, body: dict[str, Any]) -> None:
    s = scenario(ParcelWorkflow, parcel())
    with nothing_written():
        s.callback("carrier", body)
    s.expect_problem("invalid_input")


def test_an_unknown_callback_is_not_found(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    with nothing_written():
        s.callback("pigeon", {})
    s.expect_problem("not_found")


@pytest.mark.parametrize("case_id", ["0190b5a0-0000-7000-8000-000000000000", "no key", ""])
def test_news_about_no_record_is_not_found(scenario: ScenarioFactory, case_id: str) -> None:
    s = scenario(ParcelWorkflow, parcel())
    with nothing_written():
        s.callback("carrier", {"parcel": case_id, "status": "sent"})
    s.expect_problem("not_found")


def test_news_about_a_record_of_no_conversation_is_not_found() -> None:
    record = parcel()
    record.save()
    with nothing_written(), pytest.raises(Problem) as raised:
        runtime.tell(ParcelWorkflow, str(record.pk), TidyParcel(), key="t", source="worker")
    assert raised.value.code == "not_found"


@pytest.mark.parametrize("source", ["worker", "operator", "application"])
def test_internal_news_is_admitted_by_internal_policy(scenario: ScenarioFactory, source: Any) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.tell(TidyParcel(), key="t1", source=source)
    assert s.problem is None
    assert (s.turn["source"], s.turn["client_turn_id"], s.turn["input"]) == (source, f"{source}:t1", None)
    assert Command.objects.get().origin == "internal_policy"
    with nothing_written():
        s.tell(TidyParcel(), key="t1", source=source)
    s.expect_same_turn_bytes()
    assert DomainEvent.objects.count() == 1


@pytest.mark.parametrize(
    ("source", "command"),
    [
        ("callback", TidyParcel()),
        ("worker", RecordCarrierAnswer(status=Parcel.Status.SENT)),
        ("worker", DiscardParcel()),
        ("callback", WeighParcel(weight=4)),
    ],
)
def test_news_that_policy_does_not_admit_writes_nothing(scenario: ScenarioFactory, source: Any, command: Any) -> None:
    s = scenario(ParcelWorkflow, parcel())
    with nothing_written(), pytest.raises(NotAdmitted):
        s.tell(command, key="t1", source=source)


def test_news_that_the_domain_refuses_is_told_and_journaled_once(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel(status="sent"))
    s.callback("carrier", news(s, "sent"), key="d-1")
    s.expect_notice("parcel.already_so")
    s.expect_no_receipt()
    assert Command.objects.get().status == "failed"
    assert s.fresh().revision == 3
    with nothing_written():
        s.callback("carrier", news(s, "sent"), key="d-1")
    s.expect_same_turn_bytes()


def test_news_that_breaks_stores_nothing_and_may_be_told_again(scenario: ScenarioFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    s = scenario(ParcelWorkflow, parcel())
    before = everything()
    with monkeypatch.context() as patched:
        patched.setattr(TidyParcel, "execute", lambda command, record: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            s.tell(TidyParcel(), key="t1")
    assert everything() == before
    s.tell(TidyParcel(), key="t1")
    assert not s.replayed
    assert s.fresh().note == "tidied"


# Where it is told.


def test_news_is_told_where_a_turn_last_committed_on_the_record(scenario: ScenarioFactory) -> None:
    one = scenario(ParcelWorkflow)
    one.user("start a parcel called Books", proposes=[OpenParcel(name="Books")])
    record = Parcel.objects.get()
    two, three = scenario(ParcelWorkflow, record), scenario(ParcelWorkflow, record)
    three.user("hello")
    one.record = record
    one.tell(TidyParcel(), key="t1")
    assert one.turn["conversation_id"] == str(one.conversation.pk)
    two.user("it weighs 4", proposes=[WeighParcel(weight=4)])
    one.tell(TidyParcel(), key="t2")
    assert one.turn["conversation_id"] == str(two.conversation.pk)


def test_news_about_a_record_nobody_changed_is_told_where_it_was_named_last(scenario: ScenarioFactory) -> None:
    record = parcel()
    scenario(ParcelWorkflow, record)
    two = scenario(ParcelWorkflow, record)
    two.tell(TidyParcel(), key="t1")
    assert two.turn["conversation_id"] == str(two.conversation.pk)


def test_news_is_told_in_the_conversation_that_is_given(scenario: ScenarioFactory) -> None:
    one = scenario(ParcelWorkflow, parcel())
    one.user("it weighs 4", proposes=[WeighParcel(weight=4)])
    two = scenario(ParcelWorkflow, one.record)
    answer = runtime.tell(ParcelWorkflow, str(one.fresh().pk), TidyParcel(), key="t1", conversation_id=two.conversation.pk)
    assert Turn.objects.get(pk=answer.turn_id).conversation_id == two.conversation.pk


def test_news_is_not_told_in_a_conversation_of_another_account(scenario: ScenarioFactory) -> None:
    one = scenario(ParcelWorkflow, parcel())
    rival = scenario(ParcelWorkflow, parcel(account="rivals"))
    with nothing_written(), pytest.raises(Problem) as raised:
        runtime.tell(ParcelWorkflow, str(one.fresh().pk), TidyParcel(), key="t1", conversation_id=rival.conversation.pk)
    assert raised.value.code == "not_found"


def test_the_same_key_of_another_account_is_another_piece_of_news(scenario: ScenarioFactory) -> None:
    one, rival = scenario(ParcelWorkflow, parcel()), scenario(ParcelWorkflow, parcel(account="rivals"))
    one.tell(TidyParcel(), key="t1")
    rival.tell(TidyParcel(), key="t1")
    assert not rival.replayed
    assert DomainEvent.objects.count() == 2


def test_a_key_told_in_one_conversation_is_known_in_every_other(scenario: ScenarioFactory) -> None:
    one = scenario(ParcelWorkflow, parcel())
    one.tell(TidyParcel(), key="t1")
    two = scenario(ParcelWorkflow, one.record)
    with nothing_written():
        answer = runtime.tell(
            ParcelWorkflow, str(one.fresh().pk), TidyParcel(), key="t1", source="worker", conversation_id=two.conversation.pk
        )
    assert answer.body == one.body


# What it does beside other things.


def test_news_takes_no_lease(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    seen: list[Conversation] = []

    def told() -> None:
        s.callback("carrier", news(s, "sent"))
        s.expect_receipt("parcel.carrier_answered")
        seen.append(Conversation.objects.get())

    s.user("hello", meanwhile=told)
    assert seen[0].lease_turn == Turn.objects.get(source="user").pk
    assert s.problem is None
    assert s.turn["ordinal"] == 1


def test_news_raises_the_card_that_the_new_phase_demands(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.callback("carrier", news(s, "offered"))
    card = s.expect_card("confirm_command")
    s.click(card, "confirm")
    s.expect_receipt("parcel.sent")


def test_news_withdraws_the_card_that_the_record_left_behind(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("send it", proposes=[AskToSend()])
    card = s.expect_card("confirm_command")
    s.callback("carrier", news(s, "sent"))
    s.expect_notice("turnframe.notice.interaction_replaced")
    assert Interaction.objects.get().status == "invalidated"
    s.click(card, "confirm")
    s.expect_problem("interaction_not_active")


def test_news_speaks_the_language_of_the_conversation(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel(), locale="it")
    s.user("hello")
    s.callback("carrier", news(s, "sent"))
    assert Turn.objects.get(source="callback").locale == "it"
