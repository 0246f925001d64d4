"""What the API reads: scoped to the actor before anything else, a fixed number of statements a page, text joined from text.

Nothing here writes. A row that is foreign is not found, by the same statement as one that never was.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Case, CharField, F, Q, QuerySet, Value, When
from django.db.models.functions import Now

from turnframe_django.codec import Json
from turnframe_django.context import Actor
from turnframe_django.exceptions import Problem
from turnframe_django.models import Block, Conversation, Counter, Interaction, InteractionTransition, StreamFrame, Turn
from turnframe_django.protocol.frames import FrameType, counter_scope, frame_text, received_text
from turnframe_django.protocol.inputs import parse_id
from turnframe_django.protocol.states import OPEN_INTERACTION, InteractionStatus
from turnframe_django.protocol.times import rfc3339
from turnframe_django.protocol.turns import redacted_body
from turnframe_django.runtime import rows, stored

#: How many cards a conversation's own ``interaction_states`` tells of, beside those still open: the newest.
RECENT_CARDS = 100


def identified(text: str) -> UUID:
    """Return the id in an address. Raises ``not_found``: a text that is no id is nobody's."""
    found = parse_id(text)
    if found is None:
        raise Problem("not_found")
    return found


def conversations(actor: Actor) -> QuerySet[Conversation]:
    """The actor's conversations."""
    return Conversation.objects.using(rows.database()).for_actor(actor)


def conversation(actor: Actor, key: UUID) -> Conversation:
    """Return one conversation of the actor's. Raises ``not_found``."""
    found = conversations(actor).filter(pk=key).first()
    if found is None:
        raise Problem("not_found")
    return found


def require(actor: Actor, key: UUID) -> None:
    """Raise ``not_found`` unless the conversation is the actor's: what tells an empty page from a foreign one."""
    if not conversations(actor).filter(pk=key).exists():
        raise Problem("not_found")


def latest(actor: Actor, before: tuple[datetime, UUID] | None, count: int) -> list[Conversation]:
    """Return ``count`` conversations and one more, newest activity first, that come after the cursor's."""
    found = conversations(actor).order_by("-last_activity_at", "-id")
    if before is not None:
        at, key = before
        found = found.filter(Q(last_activity_at__lt=at) | Q(last_activity_at=at, id__lt=key))
    return list(found[: count + 1])


# --- turns -----------------------------------------------------------------------------------------------------------------------------


def turns(actor: Actor, conversation_id: UUID) -> QuerySet[Turn]:
    """The turns of one conversation of the actor's, oldest first, without what only the server needs."""
    owned = Q(conversation_id=conversation_id, conversation__account=actor.account, conversation__owner=actor.user)
    return Turn.objects.using(rows.database()).filter(owned).order_by("ordinal").defer("memory", "request_digest")


def turn_texts(found: Sequence[Turn]) -> tuple[list[str], dict[str, Json]]:
    """Return the exact text of each turn, and the present states of the cards they show. One statement, however many turns."""
    bodies: dict[UUID, list[str]] = {turn.pk: [] for turn in found}
    states: dict[str, Json] = {}
    shown = (
        Block.objects.using(rows.database())
        .filter(turn__in=list(bodies))
        .order_by("turn_id", "position")
        .annotate(card_status=_status("interaction__"))
        .values_list(
            "turn_id",
            "id",
            "kind",
            "schema_version",
            "body",
            "redacted_at",
            "interaction_id",
            "card_status",
            "interaction__resolved_option_id",
            "interaction__resolved_at",
        )
    )
    for turn_id, block_id, kind, version, body, redacted_at, card_id, status, option_id, resolved_at in shown:
        bodies[turn_id].append(body if redacted_at is None else redacted_body(kind, block_id, version))
        if card_id is not None:
            states[str(card_id)] = state(status, option_id, resolved_at)
    return [stored.text(turn, bodies[turn.pk]) for turn in found], states


# --- cards -----------------------------------------------------------------------------------------------------------------------------


def cards(actor: Actor, conversation_id: UUID, *, status: str | None = None, before: tuple[datetime, UUID] | None = None) -> QuerySet[Any]:
    """The cards of one conversation of the actor's, newest first, each with its status now (``current``).

    ``status`` keeps those that stand there, ``before`` those that come after the cursor's.
    """
    found = Interaction.objects.using(rows.database()).for_actor(actor).filter(conversation_id=conversation_id)
    shown: QuerySet[Any] = found.annotate(current=_status()).order_by("-created_at", "-id")
    if status is not None:
        shown = shown.filter(current=status)
    if before is not None:
        at, key = before
        shown = shown.filter(Q(created_at__lt=at) | Q(created_at=at, id__lt=key))
    return shown


def card_states(conversation_id: UUID) -> dict[str, Json]:
    """Return the states of a conversation's open cards and of its newest ones. The conversation was scoped by the caller."""
    every = Interaction.objects.using(rows.database()).filter(conversation_id=conversation_id)
    newest = every.order_by("-created_at", "-id").values("pk")[:RECENT_CARDS]
    wanted = every.filter(Q(status__in=OPEN_INTERACTION) | Q(pk__in=newest)).annotate(current=_status())
    found = wanted.values_list("pk", "current", "resolved_option_id", "resolved_at")
    return {str(key): state(status, option_id, resolved_at) for key, status, option_id, resolved_at in found}


def state(status: str, option_id: str, resolved_at: datetime | None) -> dict[str, Json]:
    """Return where a card stands: its status, and once answered the option and the moment."""
    return {
        "resolved_at": rfc3339(resolved_at) if resolved_at is not None else None,
        "resolved_option_id": option_id or None,
        "status": str(status),
    }


def histories(found: Iterable[Interaction]) -> dict[UUID, list[Json]]:
    """Return what happened to each card, in order: from, to, when, why and in which turn. One statement, however many cards."""
    history: dict[UUID, list[Json]] = {card.pk: [] for card in found}
    moves = InteractionTransition.objects.using(rows.database()).filter(interaction__in=list(history)).order_by("at", "id")
    for move in moves:
        history[move.interaction_id].append(
            {
                "at": rfc3339(move.at),
                "from": move.from_status or None,
                "reason": move.reason,
                "to": move.to_status,
                "turn_id": str(move.turn_id) if move.turn_id is not None else None,
            }
        )
    return history


def _status(prefix: str = "") -> Case:
    # A card whose time is over cannot be answered, whether or not a transaction has settled it yet.
    over = Q(**{f"{prefix}status": InteractionStatus.ACTIVE, f"{prefix}expires_at__lte": Now()})
    return Case(When(over, then=Value(str(InteractionStatus.EXPIRED))), default=F(f"{prefix}status"), output_field=CharField())


# --- frames ----------------------------------------------------------------------------------------------------------------------------


def frames(actor: Actor, conversation_id: UUID, after: int, count: int) -> tuple[list[str], int | None]:
    """Return the texts of up to ``count`` frames behind ``after``, and the sequence number to go on from (None: that was all).

    Raises ``not_found``, and ``cursor_expired`` with ``oldest`` where frames behind ``after`` are no longer kept or were never sent.
    """
    owned = Q(conversation_id=conversation_id, conversation__account=actor.account, conversation__owner=actor.user)
    every = StreamFrame.objects.using(rows.database()).filter(owned)
    found = list(
        every.filter(seq__gt=after)
        .order_by("seq")
        .values_list(
            "seq",
            "type",
            "turn_id",
            "at",
            "data",
            "turn__ordinal",
            "turn__source",
            "turn__input",
            "block_id",
            "block__kind",
            "block__schema_version",
            "block__body",
            "block__redacted_at",
        )[: count + 1]
    )
    if not found:
        require(actor, conversation_id)
        last = Counter.objects.using(rows.database()).filter(scope=counter_scope(conversation_id)).values_list("value", flat=True).first()
        if after != (last or 0):
            raise Problem("cursor_expired", oldest=(last or 0) + 1)
        return [], None
    if found[0][0] != after + 1:
        raise Problem("cursor_expired", oldest=found[0][0])
    texts = [_frame(*frame) for frame in found[:count]]
    return texts, found[count - 1][0] if len(found) > count else None


def _frame(
    seq: int,
    kind: str,
    turn_id: UUID | None,
    at: datetime,
    data: str,
    ordinal: int,
    source: str,
    input_text: str,
    block_id: UUID | None,
    block_kind: str,
    version: int,
    body: str,
    redacted_at: datetime | None,
) -> str:
    if kind == FrameType.BLOCK and block_id is not None:
        data = body if redacted_at is None else redacted_body(block_kind, block_id, version)
    elif kind == FrameType.TURN_RECEIVED:
        data = received_text(ordinal, source, input_text)
    return frame_text(seq, kind, turn_id, at, data or "{}")
