"""Turns that are interrupted: a client that leaves, a process that dies, a card whose time runs out meanwhile."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync

from tests.desk.models import Parcel
from tests.desk.workflows import AskToSend, ParcelWorkflow, TidyParcel, WeighParcel
from tests.runtime.tables import unguarded
from turnframe_django import runtime
from turnframe_django.exceptions import Problem
from turnframe_django.models import Block, Interaction, InteractionOption, Turn
from turnframe_django.runtime import turns
from turnframe_django.testing import Scenario, ScenarioFactory, later


class Dies(BaseException):
    """The process ends here."""


def parcel(**values: Any) -> Parcel:
    return Parcel(**{"account": "acme", "name": "Books", "revision": 3, **values})


def offered(scenario: ScenarioFactory, **values: Any) -> tuple[Scenario, dict[str, Any]]:
    s = scenario(ParcelWorkflow, parcel(status=Parcel.Status.OFFERED, **values))
    s.user("hello")
    return s, s.expect_card("confirm_command")


def interrupted_click(scenario: ScenarioFactory) -> tuple[Scenario, dict[str, Any]]:
    """Return a conversation whose process died while it read the words beside a click."""
    s = scenario(ParcelWorkflow, parcel())
    s.user("send it", proposes=[AskToSend()])
    card = s.expect_card("confirm_command")

    def die() -> None:
        raise Dies

    with pytest.raises(Dies):
        s.click(card, "confirm", text="thanks", meanwhile=die)
    return s, card


def test_a_caller_that_is_cancelled_does_not_cancel_the_call_to_a_model() -> None:
    heard: list[str] = []

    async def work() -> str:
        await asyncio.sleep(0.05)
        heard.append("to the end")
        return "read"

    async def leave() -> str:
        task = asyncio.ensure_future(turns._undisturbed(work()))
        await asyncio.sleep(0)
        task.cancel()
        return await task

    assert async_to_sync(leave)() == "read"
    assert heard == ["to the end"]


def test_an_overdue_card_that_a_dead_turn_holds_does_not_stop_other_turns_on_its_record(scenario: ScenarioFactory) -> None:
    s, card = interrupted_click(scenario)
    other = Scenario(ParcelWorkflow, s.record, actor=s.actor)
    with later(timedelta(minutes=20)):
        other.callback("carrier", {"parcel": str(s.fresh().pk), "status": "sent"})
        other.expect_receipt("parcel.carrier_answered")
        other.user("it weighs 3", proposes=[WeighParcel(weight=3)])
        other.expect_receipt("parcel.weighed")
    assert Interaction.objects.get(pk=card["interaction_id"]).status == "resolving"


def test_news_beside_a_click_with_words_whose_card_runs_out_meanwhile_is_told(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("send it", proposes=[AskToSend()])
    card = s.expect_card("confirm_command")
    other = runtime.open_conversation(s.actor, cases_named=[("parcel", str(s.fresh().pk))])
    told: list[int] = []

    def meanwhile() -> None:
        with later(timedelta(minutes=16)):
            answer = runtime.tell(ParcelWorkflow, str(s.fresh().pk), TidyParcel(), key="x", source="worker", conversation_id=other.pk)
            told.append(answer.status)

    s.click(card, "confirm", text="thanks", meanwhile=meanwhile)
    assert told == [201]


def test_a_click_ends_the_turn_whose_lease_ran_out(scenario: ScenarioFactory) -> None:
    s, _card = offered(scenario)

    def die() -> None:
        raise Dies

    with pytest.raises(Dies):
        s.user("and now", meanwhile=die)
    dead = Turn.objects.get(phase="received")
    card = s.card
    assert card is not None
    with later(timedelta(minutes=5)):
        s.click(card, "confirm")
    s.expect_receipt("parcel.sent")
    dead.refresh_from_db()
    assert (dead.phase, dead.error_code) == ("failed", "temporarily_unavailable")


def test_the_key_of_a_refused_click_keeps_its_answer_when_the_card_has_ended(scenario: ScenarioFactory) -> None:
    s, card = offered(scenario, note="no carrier")
    s.click(card, "confirm", key="k1")
    first = s.body
    s.user("it weighs 3", proposes=[WeighParcel(weight=3)])
    s.click(card, "confirm", key="k1")
    assert (s.problem, s.body, s.replayed) == (None, first, True)
    with later(timedelta(hours=25)):
        s.click(card, "confirm", key="k1")
        assert (s.problem, s.body, s.replayed) == (None, first, True)
        s.click(card, "confirm", key="k2")
    assert s.problem is not None


@pytest.mark.parametrize("action", ["", "garbage", "{}", '{"op":"everything"}', '{"commands":[],"op":"confirm_commands"}', "[]"])
def test_a_stored_action_that_was_tampered_with_is_refused(scenario: ScenarioFactory, action: str) -> None:
    s, card = offered(scenario)
    with unguarded(InteractionOption):
        InteractionOption.objects.update(action=action)
    s.click(card, "confirm")
    s.expect_problem("payload_corrupt")
    assert s.fresh().status == "offered"


def test_a_callback_with_words_no_database_keeps_is_a_problem(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.callback("carrier", {"parcel": str(s.fresh().pk) + "\0", "status": "sent"})
    assert s.problem is not None
    s.callback("carrier", {"parcel": str(s.fresh().pk), "status": "sent"}, key="\ud800")
    s.expect_problem("invalid_text")
    assert not Block.objects.exists()


@pytest.mark.django_db
def test_a_title_that_no_database_keeps_is_refused() -> None:
    with pytest.raises(Problem, match="invalid_text"):
        runtime.open_conversation(Scenario(ParcelWorkflow, parcel()).actor, title="a\0b")
