"""Gathers what a turn's page shows, in a fixed number of statements: each table is asked once, by the turn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import Q

from turnframe_django.admin import columns
from turnframe_django.admin.links import Links
from turnframe_django.models import (
    Block,
    BlockEvent,
    Command,
    DomainEvent,
    Interaction,
    InteractionOption,
    InteractionTransition,
    ModelCall,
    OutboxEntry,
    ReplayRecord,
    Turn,
)


@dataclass(slots=True)
class ShownCard:
    """A card with its options in order and every move it made, oldest first."""

    row: Interaction
    options: list[InteractionOption] = field(default_factory=list)
    history: list[InteractionTransition] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ShownBlock:
    """A block with what it rests on: a receipt's events, or a card."""

    row: Block
    events: tuple[DomainEvent, ...]
    card: ShownCard | None


@dataclass(frozen=True, slots=True)
class ShownInput:
    """What came in: the words, the click, or nothing where the turn was told."""

    text: str = ""
    card_id: str = ""
    option_id: str = ""
    freeform: str = ""
    whole: str = ""

    @property
    def clicked(self) -> bool:
        """Whether a card was answered."""
        return bool(self.card_id)


@dataclass(frozen=True, slots=True)
class TurnPage:
    """All of a turn. ``untold`` are events that no receipt tells of; ``replay`` is absent where retention deleted it."""

    given: ShownInput
    blocks: tuple[ShownBlock, ...]
    untold: tuple[DomainEvent, ...]
    answered: tuple[Interaction, ...]
    commands: tuple[Command, ...]
    outbox: tuple[OutboxEntry, ...]
    replay: ReplayRecord | None
    calls: tuple[ModelCall, ...]
    before: UUID | None
    after: UUID | None


def read(turn: Turn, links: Links) -> TurnPage:
    """Read the page of ``turn``, leaving out the kinds of row that the reader may not view."""
    blocks = list(Block.objects.filter(turn=turn).select_related("interaction").order_by("position"))
    cards = _cards(turn, blocks) if "interaction" in links else {}
    events = _events(turn) if "domainevent" in links else {}
    told = _told(turn) if "domainevent" in links else {}
    replay = ReplayRecord.objects.filter(turn=turn).first()
    beside = dict(
        Turn.objects.filter(conversation_id=turn.conversation_id, ordinal__in=(turn.ordinal - 1, turn.ordinal + 1)).values_list(
            "ordinal", "pk"
        )
    )
    return TurnPage(
        given=_input(turn),
        blocks=tuple(
            ShownBlock(
                block,
                tuple(events[event] for event in told.get(block.pk, ()) if event in events),
                cards.get(block.interaction_id) if block.interaction_id else None,
            )
            for block in blocks
        ),
        untold=_untold(events, told),
        answered=tuple(Interaction.objects.filter(resolved_turn=turn).order_by("id")) if "interaction" in links else (),
        commands=_in_order_run(_commands(turn), replay, events.values()) if "command" in links else (),
        outbox=tuple(OutboxEntry.objects.filter(turn=turn).order_by("created_at", "id")) if "outboxentry" in links else (),
        replay=replay,
        calls=tuple(ModelCall.objects.filter(turn=turn).order_by("at", "id")),
        before=beside.get(turn.ordinal - 1),
        after=beside.get(turn.ordinal + 1),
    )


def with_history(cards: Iterable[Interaction], of: Q) -> dict[UUID, ShownCard]:
    """Return ``cards`` with their options and moves, which ``of`` selects by ``interaction``. Two statements, however many cards."""
    shown = {card.pk: ShownCard(card) for card in cards}
    for option in InteractionOption.objects.filter(of).order_by("position"):
        if option.interaction_id in shown:
            shown[option.interaction_id].options.append(option)
    for move in (
        InteractionTransition.objects.filter(of)
        .select_related("turn")
        .defer("turn__head", "turn__memory", "turn__input")
        .order_by("at", "id")
    ):
        if move.interaction_id in shown:
            shown[move.interaction_id].history.append(move)
    return shown


def _cards(turn: Turn, blocks: Iterable[Block]) -> dict[UUID, ShownCard]:
    shown = Block.objects.filter(turn=turn, interaction__isnull=False).values("interaction_id")
    return with_history((block.interaction for block in blocks if block.interaction is not None), Q(interaction_id__in=shown))


def _events(turn: Turn) -> dict[UUID, DomainEvent]:
    found = DomainEvent.objects.filter(turn=turn).select_related("command__interaction").order_by("position")
    return {event.pk: event for event in found}


def _told(turn: Turn) -> dict[UUID, list[UUID]]:
    told: defaultdict[UUID, list[UUID]] = defaultdict(list)
    for block, event in BlockEvent.objects.filter(block__turn=turn).order_by("position").values_list("block_id", "event_id"):
        told[block].append(event)
    return told


def _untold(events: dict[UUID, DomainEvent], told: dict[UUID, list[UUID]]) -> tuple[DomainEvent, ...]:
    known = {event for linked in told.values() for event in linked}
    return tuple(event for key, event in events.items() if key not in known)


def _commands(turn: Turn) -> tuple[Command, ...]:
    rows = Command.objects.filter(Q(turn=turn) | Q(settled_turn=turn)).select_related("interaction", "turn", "settled_turn")
    heavy = ("turn__head", "turn__memory", "turn__input", "settled_turn__head", "settled_turn__memory", "settled_turn__input")
    return tuple(rows.defer("interaction__payload", *heavy).order_by("created_at", "position", "id"))


def _in_order_run(commands: tuple[Command, ...], replay: ReplayRecord | None, events: Iterable[DomainEvent]) -> tuple[Command, ...]:
    # A journal entry's position counts within its act or card; between those the order stands in the outcomes and, without them, in the
    # ledger. What has not run comes last.
    record: Any = columns.read(replay.record) if replay is not None else None
    outcomes = record.get("outcomes") if isinstance(record, dict) else None
    ran = [str(outcome.get("command_id")) for outcome in outcomes or ()] or [str(event.command_id) for event in events]
    places = {key: place for place, key in reversed(list(enumerate(ran)))}
    return tuple(sorted(commands, key=lambda command: places.get(str(command.pk), len(ran))))


def _input(turn: Turn) -> ShownInput:
    given: Any = columns.read(turn.input)
    if not isinstance(given, dict):
        return ShownInput(whole=turn.input)
    answer = given.get("interaction_response")
    answer = answer if isinstance(answer, dict) else {}
    return ShownInput(
        text=str(given.get("text") or ""),
        card_id=str(answer.get("interaction_id") or ""),
        option_id=str(answer.get("option_id") or ""),
        freeform=str(answer.get("freeform_input") or ""),
        whole=turn.input,
    )
