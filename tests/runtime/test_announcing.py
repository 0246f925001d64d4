"""Signals are sent after the commit and only then, with ids and codes and never a user's words."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.dispatch import Signal

from tests.desk import workflows as desk
from tests.desk.models import Parcel
from tests.desk.workflows import AskToSend, NameParcel, ParcelWorkflow, WeighParcel
from turnframe_django import flow, signals
from turnframe_django.models import Conversation, DomainEvent, Interaction, OutboxEntry, Turn
from turnframe_django.runtime import deliver_outbox
from turnframe_django.testing import Scenario

pytestmark = pytest.mark.django_db(transaction=True)

ALL: dict[str, Signal] = {name: value for name, value in vars(signals).items() if isinstance(value, Signal)}
Heard = list[tuple[str, dict[str, Any]]]


@pytest.fixture
def heard() -> Iterator[Heard]:
    """Every signal that was sent, in order."""
    told: Heard = []
    receivers = []
    for name, signal in ALL.items():

        def receive(sender: Any, _name: str = name, **values: Any) -> None:
            values.pop("signal")
            told.append((_name, {"sender": sender, **values}))

        signal.connect(receive, weak=False)
        receivers.append((signal, receive))
    yield told
    for signal, receive in receivers:
        signal.disconnect(receive)


def asked(heard: Heard) -> tuple[Scenario, dict[str, Any]]:
    s = Scenario(ParcelWorkflow, Parcel(account="acme", name="Secret", revision=3))
    s.user("send it", proposes=[AskToSend()])
    card = s.expect_card("confirm_command")
    heard.clear()
    return s, card


def names(heard: Heard) -> list[str]:
    return [name for name, _values in heard]


def test_a_click_announces_its_command_its_card_and_its_turn(heard: Heard) -> None:
    s, card = asked(heard)
    s.click(card, "confirm")
    assert names(heard) == ["command_committed", "interaction_settled", "turn_delivered"]
    committed, settled, delivered = (values for _name, values in heard)
    event, turn = DomainEvent.objects.get(), Turn.objects.get(pk=s.turn["turn_id"])
    case = f"flow/parcel/{s.fresh().pk}"
    assert committed["event_ids"] == [event.pk]
    assert (committed["name"], committed["case"], committed["turn_id"]) == ("parcel.send_parcel", case, turn.pk)
    assert (settled["status"], settled["option_id"], settled["turn_id"], settled["case"]) == ("resolved", "confirm", turn.pk, case)
    assert settled["sender"] is Interaction
    assert (delivered["turn_id"], delivered["source"], delivered["account"], delivered["sender"]) == (turn.pk, "user", "acme", Turn)
    assert "Secret" not in str(heard)


def test_a_text_announces_what_it_raised(heard: Heard) -> None:
    s = Scenario(ParcelWorkflow, Parcel(account="acme", name="Secret", revision=3))
    assert names(heard) == ["conversation_opened"]
    assert heard[0][1] == {"sender": Conversation, "conversation_id": s.conversation.pk, "account": "acme"}
    heard.clear()
    s.user("it weighs 4, send it", proposes=[WeighParcel(weight=4), AskToSend()])
    assert names(heard) == ["command_committed", "interaction_raised", "turn_delivered"]


def test_a_repeat_announces_nothing(heard: Heard) -> None:
    s, card = asked(heard)
    s.click(card, "confirm")
    heard.clear()
    s.click(card, "confirm")
    assert not heard


def test_a_failed_turn_announces_that_and_nothing_else(heard: Heard) -> None:
    s, _card = asked(heard)
    s.user("call it broken", proposes=[NameParcel(name="broken")])
    assert names(heard) == ["turn_failed"]
    assert heard[0][1]["error_code"] == "internal"


def test_what_was_rolled_back_is_not_announced(heard: Heard, monkeypatch: pytest.MonkeyPatch) -> None:
    s, card = asked(heard)

    def broken(self: Any) -> None:
        raise OperationalError("the connection broke")

    with monkeypatch.context() as patched:
        patched.setattr(BaseDatabaseWrapper, "_commit", broken)
        s.click(card, "confirm")
    s.expect_problem("temporarily_unavailable")
    assert not heard


def test_a_receiver_that_breaks_changes_nothing(heard: Heard) -> None:
    def broken(sender: Any, **values: Any) -> None:
        raise RuntimeError("the host's bug")

    s, card = asked(heard)
    signals.command_committed.connect(broken)
    try:
        s.click(card, "confirm")
    finally:
        signals.command_committed.disconnect(broken)
    s.expect_receipt("parcel.sent")
    assert names(heard)[-1] == "turn_delivered"


@pytest.mark.parametrize(("answer", "status"), [(flow.Completed(), "completed"), (flow.Unknown(), "outcome_unknown")])
def test_an_effect_outside_announces_its_outcome(heard: Heard, answer: Any, status: str) -> None:
    s, card = asked(heard)
    s.click(card, "confirm")
    heard.clear()
    desk.ANSWER[:] = [answer]
    deliver_outbox()
    assert names(heard) == ["outbox_settled"]
    values = heard[0][1]
    assert (values["status"], values["destination"], values["sender"]) == (status, "carrier", OutboxEntry)
    assert values["outbox_id"] == OutboxEntry.objects.get().pk
