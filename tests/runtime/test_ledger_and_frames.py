"""Numbers without gaps: events count per account, frames per conversation, turns per conversation; and the order frames come in."""

import json
from typing import Any

import pytest

from tests.desk.models import Parcel
from tests.desk.workflows import AskToSend, NameParcel, OpenParcel, ParcelWorkflow, TidyParcel, WeighParcel
from turnframe_django.context import Actor
from turnframe_django.models import Counter, DomainEvent, Interaction, StreamFrame, Turn
from turnframe_django.testing import Scenario, ScenarioFactory

pytestmark = pytest.mark.django_db


def parcel(**values: Any) -> Parcel:
    return Parcel(**{"account": "acme", "name": "Books", "revision": 3, **values})


def frames(s: Scenario, after: int = 0) -> list[str]:
    """The conversation's frames, each by its type and what tells it from others."""
    told = []
    for frame in StreamFrame.objects.filter(conversation=s.conversation, seq__gt=after).order_by("seq"):
        data = json.loads(frame.data) if frame.data else {}
        if frame.type == "turn.phase":
            told.append(f"phase {data['phase']}")
        elif frame.type == "interaction.changed":
            told.append(f"card {data['from']} → {data['to']}: {data['reason']}")
        elif frame.block is not None:
            told.append(f"block {frame.block.kind}")
        else:
            told.append(frame.type)
    return told


def last(s: Scenario) -> int:
    return Counter.objects.get(scope=f"conversation:{s.conversation.pk}").value


def test_a_text_turn_tells_its_phases_then_its_cards_then_its_blocks(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("it weighs 4, send it", proposes=[WeighParcel(weight=4), AskToSend()])
    assert frames(s) == [
        "turn.received",
        "phase interpreted",
        "phase reduced",
        "phase committed",
        "card None → active: raised",
        "block receipt",
        "block artifact",
        "block interaction",
        "turn.delivered",
    ]


def test_a_click_tells_no_phase(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("send it", proposes=[AskToSend()])
    before = last(s)
    s.click(s.expect_card("confirm_command"), "confirm")
    assert frames(s, before) == ["turn.received", "card active → resolved: answered", "block transition", "block receipt", "turn.delivered"]


def test_a_told_turn_tells_no_phase(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.callback("carrier", {"parcel": str(s.fresh().pk), "status": "offered"})
    assert frames(s) == ["turn.received", "card None → active: raised", "block receipt", "block interaction", "turn.delivered"]


def test_a_failed_turn_tells_that_it_failed(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("call it broken", proposes=[NameParcel(name="broken")])
    assert frames(s) == ["turn.received", "phase interpreted", "phase reduced", "turn.failed"]
    assert json.loads(StreamFrame.objects.get(type="turn.failed").data) == {"code": "internal"}


def test_words_beside_a_click_tell_that_the_card_is_held(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("send it", proposes=[AskToSend()])
    before = last(s)
    s.click(s.expect_card("confirm_command"), "confirm", text="thanks")
    assert frames(s, before) == [
        "turn.received",
        "card active → resolving: answered",
        "phase interpreted",
        "phase reduced",
        "phase committed",
        "card resolving → resolved: answered",
        "block transition",
        "block receipt",
        "turn.delivered",
    ]


def test_a_replaced_card_ends_before_the_new_one_is_raised(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("send it", proposes=[AskToSend()])
    before = last(s)
    s.user("send it", proposes=[AskToSend()])
    assert [frame for frame in frames(s, before) if frame.startswith("card")] == [
        "card active → invalidated: superseded",
        "card None → active: raised",
    ]


def test_the_last_frame_names_the_blocks_and_their_digest(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("it weighs 4", proposes=[WeighParcel(weight=4)])
    frame = StreamFrame.objects.get(type="turn.delivered")
    assert json.loads(frame.data)["block_ids"] == [block["block_id"] for block in s.blocks]
    assert str(frame.turn_id) == s.turn["turn_id"]


def test_frames_hold_no_words_of_the_user(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("call it Zanzibar", proposes=[NameParcel(name="Zanzibar")])
    assert not StreamFrame.objects.filter(data__contains="Zanzibar").exists()


def test_frames_count_in_each_conversation_from_one_without_gaps(scenario: ScenarioFactory) -> None:
    one, two = scenario(ParcelWorkflow, parcel()), scenario(ParcelWorkflow, parcel())
    for words in ("a", "b"):
        for s in (one, two):
            s.user(words)
    one.user("call it broken", proposes=[NameParcel(name="broken")])
    one.user("c")
    for s in (one, two):
        found = list(StreamFrame.objects.filter(conversation=s.conversation).order_by("seq").values_list("seq", flat=True))
        assert found == list(range(1, last(s) + 1))


def test_a_card_is_told_in_its_own_conversation_whoever_ends_it(scenario: ScenarioFactory) -> None:
    one = scenario(ParcelWorkflow, parcel())
    one.user("send it", proposes=[AskToSend()])
    before = last(one)
    two = scenario(ParcelWorkflow, one.record, actor=Actor("acme", "bert"))
    two.user("send it", proposes=[AskToSend()])
    assert frames(one, before) == ["card active → invalidated: superseded"]
    assert [frame for frame in frames(two) if frame.startswith("card")] == ["card None → active: raised"]
    told = StreamFrame.objects.get(conversation=one.conversation, seq=before + 1)
    assert told.turn_id is None, "a turn of somebody else's conversation"
    one.user("hello")
    assert frames(one, before)[1] == "turn.received"


def test_events_count_in_each_account_from_one_without_gaps(scenario: ScenarioFactory) -> None:
    one, two = scenario(ParcelWorkflow, parcel()), scenario(ParcelWorkflow, parcel())
    rival = scenario(ParcelWorkflow, parcel(account="rivals"), actor=Actor("rivals", "bob"))
    for s in (one, rival, two, one):
        s.user("it weighs 4", proposes=[WeighParcel(weight=4)])
    one.user("call it forbidden", proposes=[NameParcel(name="forbidden")])
    one.user("call it broken", proposes=[NameParcel(name="broken")])
    two.tell(TidyParcel(), key="t")
    for account, count in (("acme", 7), ("rivals", 2)):
        found = list(DomainEvent.objects.filter(account=account).order_by("position").values_list("position", flat=True))
        assert found == list(range(1, count + 1))


def test_the_events_of_a_turn_stand_in_the_order_of_its_commands(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("it weighs 4, call it Maps", proposes=[WeighParcel(weight=4), NameParcel(name="Maps")])
    types = list(DomainEvent.objects.order_by("position").values_list("type", flat=True))
    assert types == ["parcel.weighed", "parcel.noted", "parcel.named"]


def test_turns_count_in_each_conversation_from_one_failed_ones_too(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow)
    s.user("start a parcel", proposes=[OpenParcel()])
    s.user("call it broken", proposes=[NameParcel(name="broken")])
    s.callback("carrier", {"parcel": str(Parcel.objects.get().pk), "status": "offered"})
    s.click(s.expect_card("confirm_command"), "decline")
    s.user("hello")
    found = list(Turn.objects.order_by("ordinal").values_list("ordinal", "source", "phase"))
    assert found == [
        (1, "user", "delivered"),
        (2, "user", "failed"),
        (3, "callback", "delivered"),
        (4, "user", "delivered"),
        (5, "user", "delivered"),
    ]


def test_a_refused_turn_takes_no_number(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("send it", proposes=[AskToSend()])
    s.click(s.expect_card("confirm_command"), "nonsense")
    s.user("hello")
    assert s.turn["ordinal"] == 2


def test_the_history_of_a_card_tells_each_move_and_the_turn_that_made_it(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("send it", proposes=[AskToSend()])
    raised = s.turn["turn_id"]
    s.click(s.expect_card("confirm_command"), "confirm", text="thanks")
    history = Interaction.objects.get().history.order_by("at", "id").values_list("from_status", "to_status", "turn_id", "actor")
    assert [(before, after, str(turn), actor) for before, after, turn, actor in history] == [
        ("", "active", raised, "ann"),
        ("active", "resolving", s.turn["turn_id"], "ann"),
        ("resolving", "resolved", s.turn["turn_id"], "ann"),
    ]
