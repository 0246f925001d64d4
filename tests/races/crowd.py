"""A crowd around one record: its conversations, its cards, and what came of everybody's turn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from tests.desk.models import Parcel
from tests.desk.workflows import ParcelWorkflow
from turnframe_django import codec, runtime
from turnframe_django.context import Actor
from turnframe_django.exceptions import Problem
from turnframe_django.models import Conversation
from turnframe_django.protocol.turns import InteractionResponse, TurnInput
from turnframe_django.runtime import TurnAnswer

#: As many as the acceptance asks for: SQLite has one writer at a time, so fewer there.
CROWD = {"postgresql": 32, "sqlite": 10}
ANN = Actor("acme", "ann")


def crowd() -> int:
    """How many act at once on the database of this pass."""
    return CROWD[connection.vendor]


def parcel(**values: Any) -> Parcel:
    """A stored parcel."""
    return Parcel.objects.create(**{"account": "acme", "name": "Books", "revision": 3, **values})


def about(*records: Parcel) -> Conversation:
    """A conversation of Ann's about the records."""
    return runtime.open_conversation(ANN, cases_named=[(ParcelWorkflow.name, str(record.pk)) for record in records])


def say(conversation: Conversation, words: str, key: str | None = None) -> TurnAnswer:
    """Send words."""
    return runtime.handle_turn(ANN, conversation.pk, TurnInput(text=words, client_turn_id=key))


@dataclass
class Card:
    """A card as it was shown, in its conversation."""

    conversation: Conversation
    shown: dict[str, Any]

    def click(self, option: str = "confirm", key: str | None = None) -> TurnAnswer:
        """Answer it."""
        response = InteractionResponse(
            interaction_id=self.shown["interaction_id"],
            option_id=option,
            expected_case_revision=self.shown["case_ref"]["revision"],
        )
        return runtime.handle_turn(ANN, self.conversation.pk, TurnInput(interaction_response=response, client_turn_id=key))


def asked(record: Parcel | None = None) -> Card:
    """A conversation in which sending the parcel waits for a click."""
    conversation = about(record or parcel())
    return Card(conversation, blocks(say(conversation, "send it"), "interaction")[0]["interaction"])


def blocks(answer: TurnAnswer, kind: str) -> list[dict[str, Any]]:
    """The blocks of that kind in an answer."""
    turn: Any = codec.decode(answer.body)
    return [block for block in turn["assistant_turn"]["blocks"] if block["kind"] == kind]


def notices(answer: TurnAnswer) -> list[str]:
    """The codes of an answer's notices."""
    return [block["code"] for block in blocks(answer, "notice")]


def answers(outcomes: Sequence[TurnAnswer | Exception]) -> list[TurnAnswer]:
    """Every outcome, each of which must be an answer."""
    refused = [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    assert not refused, refused
    return [outcome for outcome in outcomes if isinstance(outcome, TurnAnswer)]


def codes(outcomes: Sequence[TurnAnswer | Exception]) -> list[str]:
    """What each came to: an HTTP status, or a problem's code; anything else is raised."""
    told = []
    for outcome in outcomes:
        if isinstance(outcome, Exception) and not isinstance(outcome, Problem):
            raise outcome
        told.append(outcome.code if isinstance(outcome, Problem) else str(outcome.status))
    return sorted(told)
