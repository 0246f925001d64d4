"""A turn that holds its conversation's lease: fenced, moved along, and failed where it cannot go on.

A lease lasts the turn's budget and a little more, is not renewed, and carries a token. Every stage after acceptance checks the token under
the conversation's lock, so a turn that lost its lease writes nothing.
"""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from turnframe_django import codec
from turnframe_django.context import Actor
from turnframe_django.models import Conversation, Interaction, ModelCall, Turn
from turnframe_django.protocol.states import TurnPhase
from turnframe_django.protocol.turns import TurnInput
from turnframe_django.runtime import announcing, cards, rows
from turnframe_django.runtime.intake import lock_conversation
from turnframe_django.runtime.transactions import work
from turnframe_django.runtime.writing import TurnRows


@dataclass(slots=True)
class Accepted:
    """A turn that holds its conversation's lease: what later stages need to find their way back."""

    actor: Actor
    conversation_id: UUID
    turn_id: UUID
    token: int
    turn_input: TurnInput
    locale: str
    answered: bool = False
    calls: list[ModelCall] = field(default_factory=list)


class LeaseLost(Exception):
    """Another turn took the conversation over; this one must not write."""


def progress(accepted: Accepted) -> None:
    """Store that the whole turn is decided, and what the models were asked for it. Raises ``LeaseLost``."""
    with work():
        gathered = fenced(accepted)
        gathered.turn.reduce()
        rows.update(gathered.turn, "phase")
        for phase in ("interpreted", "reduced"):
            gathered.announce("turn.phase", codec.encode({"phase": phase}))
        for call in accepted.calls:
            gathered.add(call)
        gathered.flush()


def fail(accepted: Accepted, code: str, reference: str) -> None:
    """Store that the turn failed, give its card back and release the lease. A turn that lost its lease is left alone."""
    with work():
        try:
            gathered = fenced(accepted)
        except LeaseLost:
            return
        for call in accepted.calls:
            if not ModelCall.objects.filter(pk=call.pk).exists():
                gathered.add(call)
        _fail(gathered, gathered.turn, code, reference)
        conversation = gathered.conversation
        conversation.lease_turn, conversation.lease_until = None, None
        rows.update(conversation, "lease_turn", "lease_until")
        gathered.flush()


def end_abandoned(actor: Actor, conversation_id: UUID) -> bool:
    """Fail the turn whose lease ran out, and return whether there was one. Raises ``Problem`` ``not_found``."""
    with work():
        conversation, now = lock_conversation(actor, conversation_id)
        abandoned = abandoned_turn(conversation, now)
        if abandoned is None:
            return False
        gathered = TurnRows(conversation, abandoned, now, None)
        give_up(gathered, abandoned)
        conversation.lease_turn, conversation.lease_until = None, None
        rows.update(conversation, "lease_turn", "lease_until")
        gathered.flush()
        return True


def abandoned_turn(conversation: Conversation, now: datetime) -> Turn | None:
    """Return the unfinished turn whose lease on the locked conversation ran out, or None."""
    if conversation.lease_turn is None or (conversation.lease_until is not None and conversation.lease_until > now):
        return None
    found = rows.select(Turn, "id = %s AND phase IN ('received', 'reduced')", [conversation.lease_turn])
    return found[0] if found else None


def give_up(gathered: TurnRows, turn: Turn) -> None:
    """Fail a turn whose lease ran out, so that it does not stand unfinished for ever."""
    _fail(gathered, turn, "temporarily_unavailable", "")


def fenced(accepted: Accepted) -> TurnRows:
    """Lock the conversation and return the turn's rows to write. Raises ``LeaseLost``."""
    conversation, now = lock_conversation(accepted.actor, accepted.conversation_id)
    found = rows.select(Turn, "id = %s", [accepted.turn_id])
    if conversation.lease_token != accepted.token or not found or found[0].phase in (TurnPhase.DELIVERED, TurnPhase.FAILED):
        raise LeaseLost
    return TurnRows(conversation, found[0], now, accepted.actor.user)


def _fail(gathered: TurnRows, turn: Turn, code: str, reference: str) -> None:
    turn.fail()
    turn.error_code, turn.error_reference = code, reference
    rows.update(turn, "phase", "error_code", "error_reference")
    for card in rows.select(Interaction, "resolved_turn_id = %s AND status = 'resolving' ORDER BY id", [turn.pk], lock=True):
        cards.restore(gathered, card, "turn_failed")
    gathered.conclude("turn.failed", codec.encode({"code": code}), turn_id=turn.pk)
    announcing.failed(gathered, turn)
