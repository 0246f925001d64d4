"""What the page shows of a conversation: read with a fixed number of queries, however long the conversation is.

It reads rows and writes none. Blocks are handed to the template as they are stored.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from django.utils.translation import gettext as _

from demo_project.travel.desk import sentence_of
from demo_project.travel.models import Trip
from turnframe_django.context import Actor
from turnframe_django.models import Block, Conversation, ConversationCase, Interaction, InteractionOption, OutboxEntry, StreamFrame, Turn

#: Turns on one page.
TURNS = 20
#: Conversations at the side.
CONVERSATIONS = 40


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """One exchange: what the user wrote or clicked, and the blocks that answered."""

    id: UUID
    ordinal: int
    source: str
    at: datetime
    text: str
    chosen: str
    words: str
    blocks: Sequence[Block]
    problem: str


@dataclass(frozen=True, slots=True)
class Talk:
    """A page of a conversation. ``older`` is the ordinal before which there is more; ``waiting`` says that the airline has not answered."""

    turns: Sequence[ShownTurn]
    older: int | None
    is_latest: bool
    states: Mapping[str, Mapping[str, Any]]
    trips: Sequence[Trip]
    waiting: bool
    last_frame: int

    def block_of(self, card: str) -> UUID | None:
        """Return the block that shows ``card`` on this page, the last one where there are several."""
        found = [block.pk for turn in self.turns for block in turn.blocks if block.interaction_id and str(block.interaction_id) == card]
        return found[-1] if found else None


@dataclass(frozen=True, slots=True)
class RefusedAnswer:
    """An answer to a card that was not taken: the card, the option, and the words that went with it."""

    card: str
    option: str
    words: str


@dataclass(frozen=True, slots=True)
class Listed:
    """A conversation at the side, known by its title or the names of its trips."""

    id: UUID
    title: str
    at: datetime


def conversations(actor: Actor) -> list[Listed]:
    """Return the actor's newest conversations."""
    found = list(Conversation.objects.for_actor(actor).latest_first()[:CONVERSATIONS])
    cases = ConversationCase.objects.filter(conversation__in=found, name="trip").order_by("created_at")
    trips_of: dict[UUID, list[str]] = defaultdict(list)
    for conversation_id, case_id in cases.values_list("conversation_id", "case_id"):
        trips_of[conversation_id].append(case_id)
    every = [case_id for case_ids in trips_of.values() for case_id in case_ids]
    names = {str(pk): name for pk, name in Trip.objects.of(actor.account).filter(pk__in=every).values_list("pk", "name")}
    return [Listed(row.pk, row.title or _title(trips_of[row.pk], names), row.last_activity_at) for row in found]


def _title(case_ids: Sequence[str], names: Mapping[str, str]) -> str:
    known = [names[case_id] for case_id in case_ids if names.get(case_id)]
    return ", ".join(known) or _("New conversation")


def read(actor: Actor, conversation: Conversation, before: int | None = None) -> Talk:
    """Return the newest turns of ``conversation``, or those before the ordinal ``before``, oldest first."""
    rows = Turn.objects.filter(conversation=conversation)
    if before is not None:
        rows = rows.filter(ordinal__lt=before)
    found = list(rows.order_by("-ordinal")[: TURNS + 1])
    turns = found[:TURNS][::-1]
    blocks: dict[UUID, list[Block]] = defaultdict(list)
    for block in Block.objects.filter(turn__in=turns).order_by("turn_id", "position"):
        blocks[block.turn_id].append(block)
    shown = [block.interaction_id for listed in blocks.values() for block in listed if block.interaction_id]
    inputs = {turn.pk: _input(turn) for turn in turns}
    labels = _labels([UUID(clicked["interaction_id"]) for given in inputs.values() if (clicked := given.get("interaction_response"))])
    trips = (
        ConversationCase.objects.filter(conversation=conversation, name="trip").order_by("-created_at").values_list("case_id", flat=True)
    )
    return Talk(
        turns=[_shown(turn, inputs[turn.pk], labels, blocks[turn.pk]) for turn in turns],
        older=turns[0].ordinal if len(found) > TURNS else None,
        is_latest=before is None,
        states={str(row["pk"]): row for row in Interaction.objects.filter(pk__in=shown).values("pk", "status", "resolved_option_id")},
        trips=list(Trip.objects.of(actor.account).filter(pk__in=list(trips[:10])).prefetch_related("extras").order_by("-pk")),
        waiting=OutboxEntry.objects.filter(turn__conversation=conversation, status__in=["pending", "dispatching"]).exists(),
        last_frame=StreamFrame.objects.filter(conversation=conversation).order_by("-seq").values_list("seq", flat=True).first() or 0,
    )


def _input(turn: Turn) -> dict[str, Any]:
    return cast("dict[str, Any]", json.loads(turn.input)) if turn.input else {}


def _labels(interaction_ids: Sequence[UUID]) -> dict[tuple[str, str], str]:
    options = InteractionOption.objects.filter(interaction__in=interaction_ids).values_list("interaction_id", "option_id", "label")
    return {(str(interaction_id), option_id): label for interaction_id, option_id, label in options}


def _shown(turn: Turn, given: Mapping[str, Any], labels: Mapping[tuple[str, str], str], blocks: Sequence[Block]) -> ShownTurn:
    clicked = given.get("interaction_response") or {}
    option = clicked.get("option_id", "")
    return ShownTurn(
        id=turn.pk,
        ordinal=turn.ordinal,
        source=turn.source,
        at=turn.received_at,
        text=given.get("text") or "",
        chosen=labels.get((clicked.get("interaction_id", ""), option), option),
        words=clicked.get("freeform_input") or "",
        blocks=blocks,
        problem=sentence_of(turn.error_code) if turn.error_code else "",
    )
