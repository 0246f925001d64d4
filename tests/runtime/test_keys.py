"""The same key with the same body is the same turn; another body under it is a mistake that is told."""

from typing import Any

import pytest
from django.conf import LazySettings

from tests.desk.models import Parcel
from tests.desk.workflows import AskToSend, NameParcel, ParcelWorkflow, WeighParcel
from tests.runtime.tables import nothing_written
from turnframe_django import runtime
from turnframe_django.exceptions import Problem
from turnframe_django.models import Command, DomainEvent, Turn
from turnframe_django.protocol.turns import TurnInput
from turnframe_django.testing import Scenario, ScenarioFactory

pytestmark = pytest.mark.django_db


def parcel(**values: Any) -> Parcel:
    return Parcel(**{"account": "acme", "name": "Books", "revision": 3, **values})


def asked(scenario: ScenarioFactory) -> tuple[Scenario, dict[str, Any]]:
    s = scenario(ParcelWorkflow, parcel())
    s.user("send it", proposes=[AskToSend()])
    return s, s.expect_card("confirm_command")


def test_r23_the_same_key_and_body_give_the_same_bytes_and_ask_no_model(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("it weighs 4", key="k1", proposes=[WeighParcel(weight=4)])

    def asked_again() -> None:
        raise AssertionError("a model was asked")

    with nothing_written():
        for _ in range(3):
            s.user("it weighs 4", key="k1", meanwhile=asked_again)
            s.expect_same_turn_bytes()
    assert DomainEvent.objects.filter(type="parcel.weighed").count() == 1


def test_a_repeat_answers_200_where_the_first_answered_201(scenario: ScenarioFactory, settings: LazySettings) -> None:
    settings.TURNFRAME = {"INTERPRETER": "turnframe_django.testing.ScriptedInterpreter"}
    s = scenario(ParcelWorkflow, parcel())
    first, again = (runtime.handle_turn(s.actor, s.conversation.pk, TurnInput(client_turn_id="k1", text="hello")) for _ in range(2))
    assert (first.status, first.replayed) == (201, False)
    assert (again.status, again.replayed, again.body, again.resolved_option) == (200, True, first.body, None)


def test_r23_another_body_under_the_key_is_a_mismatch(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("it weighs 4", key="k1", proposes=[WeighParcel(weight=4)])
    with nothing_written():
        s.user("it weighs 5", key="k1", proposes=[WeighParcel(weight=5)])
    s.expect_problem("idempotency_mismatch")
    assert s.fresh().weight == 4


def test_r23_the_key_of_another_conversation_is_another_key(scenario: ScenarioFactory) -> None:
    one, two = scenario(ParcelWorkflow, parcel()), scenario(ParcelWorkflow, parcel())
    one.user("hello", key="k1")
    two.user("something else", key="k1")
    assert two.problem is None
    assert not two.replayed
    assert Turn.objects.filter(client_turn_id="k1").count() == 2


def test_r23_without_a_key_each_message_is_a_turn(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    for _ in range(2):
        s.user("it weighs 4", proposes=[WeighParcel(weight=4)])
        assert not s.replayed
    assert Turn.objects.count() == 2


def test_the_key_of_a_failed_turn_repeats_its_problem(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("call it broken", key="k1", proposes=[NameParcel(name="broken")])
    first = s.expect_problem("internal")
    assert not first.replayed
    with nothing_written():
        s.user("call it broken", key="k1", proposes=[WeighParcel(weight=4)])
    again = s.expect_problem("internal")
    assert again.replayed
    assert again.members == first.members
    assert again.members["reference"]


def test_the_key_of_a_turn_whose_model_failed_repeats_that_it_may_be_retried(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("hello", key="k1", proposes={"acts": "none"})
    first = s.expect_problem("assistant_unavailable")
    assert first.members["retryable"] is True
    with nothing_written():
        s.user("hello", key="k1")
    again = s.expect_problem("assistant_unavailable")
    assert (again.replayed, again.members) == (True, first.members)
    s.user("hello", key="k2")
    assert s.problem is None


def test_another_body_under_the_key_of_a_failed_turn_is_a_mismatch(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("call it broken", key="k1", proposes=[NameParcel(name="broken")])
    s.user("hello", key="k1")
    s.expect_problem("idempotency_mismatch")


def test_a_click_under_the_key_of_a_text_is_a_mismatch_and_runs_nothing(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)
    s.user("hello", key="k1")
    with nothing_written():
        s.click(card, "confirm", key="k1")
    s.expect_problem("idempotency_mismatch")
    s.click(card, "confirm", key="k2")
    s.expect_receipt("parcel.sent")


def test_a_text_under_the_key_of_a_click_is_a_mismatch(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)
    s.click(card, "confirm", key="k1")
    with nothing_written():
        s.user("hello", key="k1")
    s.expect_problem("idempotency_mismatch")


def test_a_click_under_the_key_of_another_cards_click_is_a_mismatch(scenario: ScenarioFactory) -> None:
    s, first = asked(scenario)
    s.click(first, "decline", key="k1")
    s.user("send it", proposes=[AskToSend()])
    second = s.expect_card("confirm_command")
    with nothing_written():
        s.click(second, "decline", key="k1")
    s.expect_problem("idempotency_mismatch")


def test_words_beside_a_click_are_part_of_the_body(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)
    s.click(card, "confirm", text="it weighs 4", key="k1", proposes=[WeighParcel(weight=4)])
    with nothing_written():
        s.click(card, "confirm", text="it weighs 4", key="k1")
        s.expect_same_turn_bytes()
        s.click(card, "confirm", text="it weighs 5", key="k1")
        s.expect_problem("idempotency_mismatch")


def test_commands_have_a_key_of_their_own_that_repeats_nowhere(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    for _ in range(2):
        s.user("it weighs 4 and again 4", proposes=[WeighParcel(weight=4), WeighParcel(weight=4)])
    keys = list(Command.objects.values_list("idempotency_key", flat=True))
    assert len(keys) == len(set(keys)) == 4
    assert all(len(key) == 64 for key in keys)


def test_a_text_without_an_interpreter_is_refused_before_anything_is_stored(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)
    with nothing_written(), pytest.raises(Problem) as raised:
        runtime.handle_turn(s.actor, s.conversation.pk, TurnInput(text="hello"))
    assert (raised.value.code, raised.value.members) == ("assistant_unavailable", {"retryable": False})
    s.click(card, "confirm")
    s.expect_receipt("parcel.sent")
