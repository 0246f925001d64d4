"""Everything one turn writes, gathered first and inserted at the end, one statement per table in key order.

Gathering keeps the order of locks the same everywhere: conversation, cases, cards, counters last. Only rows that carry a counter's number
(events, their links and frames) are inserted after the counters.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from itertools import count
from typing import TypeVar
from uuid import UUID

from django.db import models

from turnframe_django import blocks as kinds
from turnframe_django import codec, ids
from turnframe_django.flow.reply import Draft
from turnframe_django.models import (
    Block,
    BlockEvent,
    Command,
    Conversation,
    ConversationCase,
    DomainEvent,
    Interaction,
    InteractionTransition,
    ModelCall,
    OutboxEntry,
    ReplayRecord,
    StreamFrame,
    Turn,
)
from turnframe_django.protocol.frames import counter_scope
from turnframe_django.protocol.states import InteractionStatus
from turnframe_django.runtime import rows

M = TypeVar("M", bound=models.Model)

_BEFORE_COUNTERS: tuple[type[models.Model], ...] = (
    Turn,
    ConversationCase,
    InteractionTransition,
    Command,
    OutboxEntry,
    Block,
    ReplayRecord,
    ModelCall,
)
_AFTER_COUNTERS: tuple[type[models.Model], ...] = (DomainEvent, BlockEvent, StreamFrame)


class TurnRows:
    """The rows of one turn in one transaction. The conversation is locked by the caller; ``now`` is the time read with that lock."""

    def __init__(self, conversation: Conversation, turn: Turn, now: datetime, actor: str | None) -> None:
        self.conversation = conversation
        self.turn = turn
        self.now = now
        self.actor = actor
        self.bodies: list[str] = []
        #: Every card that moved, and the name of every command that ran, for whoever announces them.
        self.moved: dict[UUID, Interaction] = {}
        self.command_names: dict[UUID, str] = {}
        self._rows: dict[type[models.Model], list[models.Model]] = {model: [] for model in (*_BEFORE_COUNTERS, *_AFTER_COUNTERS)}
        self._early: list[StreamFrame] = []
        self._moves: list[StreamFrame] = []
        self._late: list[StreamFrame] = []

    def add(self, row: M) -> M:
        """Gather ``row`` for its table and return it."""
        self._rows[type(row)].append(row)
        return row

    def gathered(self, model: type[M]) -> list[M]:
        """Return what was gathered for ``model`` so far."""
        return list(self._rows[model])  # type: ignore[arg-type]

    def announce(self, kind: str, data: str = "") -> None:
        """Gather a frame about the turn itself, before any card or block."""
        self._early.append(self._frame(kind, data))

    def conclude(self, kind: str, data: str = "", turn_id: UUID | None = None) -> None:
        """Gather a frame that comes after everything else; of this turn unless ``turn_id`` names another."""
        self._late.append(self._frame(kind, data, turn_id=turn_id))

    def move(self, card: Interaction, before: str, after: InteractionStatus, reason: str) -> None:
        """Gather a card's move: its history row, and the frame that tells it in the card's own conversation.

        The card's own row is written by the caller.
        """
        self.moved[card.pk] = card
        self.add(
            InteractionTransition(
                interaction_id=card.pk,
                from_status=before,
                to_status=str(after),
                at=self.now,
                turn_id=self.turn.pk,
                actor=self.actor,
                reason=reason,
            )
        )
        data: codec.Json = {"from": before or None, "interaction_id": str(card.pk), "reason": reason, "to": str(after)}
        frame = self._frame("interaction.changed", codec.encode(data))
        if card.conversation_id != self.conversation.pk:
            # Whoever follows that conversation has no business with this turn.
            frame.conversation_id, frame.turn_id = card.conversation_id, None
        self._moves.append(frame)

    def write_blocks(self, drafts: Sequence[Draft]) -> list[Block]:
        """Gather the reply: one row per block in the order given, its exact text, and the events it rests on.

        Raises ``InvalidBlock`` where a body is not what its kind says.
        """
        blocks = []
        for draft in drafts:
            block_id = ids.block_id(self.turn.pk, draft.key)
            version, body = kinds.text(draft.kind, block_id, draft.body)
            block = self.add(
                Block(
                    id=block_id,
                    turn_id=self.turn.pk,
                    position=len(self.bodies),
                    kind=draft.kind,
                    schema_version=version,
                    author=draft.author,
                    body=body,
                    digest=codec.digest(body),
                    interaction_id=draft.interaction_id,
                )
            )
            self.bodies.append(body)
            blocks.append(block)
            for position, event in enumerate(draft.event_ids):
                self.add(BlockEvent(block_id=block_id, event_id=event, position=position))
            self._late.append(self._frame("block", "", block_id=block_id))
        return blocks

    def numbered_blocks(self) -> list[tuple[UUID, str]]:
        """Return the id and body of each block gathered so far, in order."""
        return [(block.pk, block.body) for block in self.gathered(Block)]

    def flush(self) -> None:
        """Write everything gathered and forget it."""
        for model in _BEFORE_COUNTERS:
            rows.insert(model, self._rows[model])
        self._number()
        for model in _AFTER_COUNTERS:
            rows.insert(model, self._rows[model])
        for gathered in self._rows.values():
            gathered.clear()

    def _number(self) -> None:
        frames = [*self._early, *self._moves, *self._late]
        events = self.gathered(DomainEvent)
        event_scope = f"account:{self.conversation.account}"
        wanted = Counter(counter_scope(frame.conversation_id) for frame in frames)
        wanted[event_scope] = len(events)
        numbers = {scope: count(first) for scope, first in rows.take(wanted).items()}
        for event in events:
            event.position = next(numbers[event_scope])
        for frame in frames:
            frame.seq = next(numbers[counter_scope(frame.conversation_id)])
            self.add(frame)
        self._early, self._moves, self._late = [], [], []

    def _frame(self, kind: str, data: str, *, block_id: UUID | None = None, turn_id: UUID | None = None) -> StreamFrame:
        return StreamFrame(
            conversation_id=self.conversation.pk,
            seq=0,
            type=kind,
            turn_id=turn_id or self.turn.pk,
            block_id=block_id,
            data=data,
            at=self.now,
        )
