"""What every turn begins with: the conversation's lock, the turn's row, and answers to what was already asked."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.utils import translation

from turnframe_django import codec, ids
from turnframe_django.context import Actor
from turnframe_django.exceptions import Problem
from turnframe_django.models import Conversation, Interaction, Turn
from turnframe_django.protocol.states import TurnPhase, TurnSource
from turnframe_django.protocol.turns import TurnInput
from turnframe_django.runtime import clock, rows, stored

#: What makes a conversation, and a card in one, the actor's own: ``for_actor`` of the querysets, for statements prepared once.
_OWN_CONVERSATION = "id = %s AND account = %s AND owner = %s"
_OWN_CARD = (
    "id = %s AND account = %s AND conversation_id IN (SELECT id FROM turnframe_conversation WHERE id = %s AND account = %s AND owner = %s)"
)


@dataclass(frozen=True, slots=True)
class TurnAnswer:
    """What a face sends: the HTTP status, the turn's exact text, and whether it is an earlier turn's."""

    status: int
    body: str
    turn_id: UUID
    replayed: bool = False
    resolved_option: str | None = None


class StillRunning(Exception):
    """The same turn, or the same card's answer, is being worked on by somebody else; wait outside a stage and look again."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.code)
        self.problem = problem


def lock_conversation(actor: Actor, conversation_id: UUID) -> tuple[Conversation, datetime]:
    """Lock the actor's conversation and read the database's clock with it. Raises ``Problem`` ``not_found``: foreign is missing."""
    found = rows.select_with_clock(Conversation, _OWN_CONVERSATION, [conversation_id, actor.account, actor.user])
    if found is None:
        raise Problem("not_found")
    return found[0], clock.read(found[1])


def check_free(conversation: Conversation, now: datetime) -> None:
    """Refuse where another turn holds the conversation. Raises ``Problem`` ``turn_in_progress``."""
    if conversation.lease_turn is not None and conversation.lease_until is not None and conversation.lease_until > now:
        seconds = max(1, round((conversation.lease_until - now).total_seconds()))
        raise Problem("turn_in_progress", turn_id=str(conversation.lease_turn), retry_after=min(seconds, 5))


def new_turn(
    conversation: Conversation,
    now: datetime,
    *,
    actor: str | None,
    source: TurnSource,
    client_turn_id: str | None,
    request_digest: str,
    input_text: str,
    locale: str | None = None,
) -> Turn:
    """Return the unsaved row of the conversation's next turn and count it in the conversation, which the caller has locked."""
    conversation.last_ordinal += 1
    conversation.last_activity_at = now
    turn_id = ids.new_id()
    return Turn(
        id=turn_id,
        conversation_id=conversation.pk,
        ordinal=conversation.last_ordinal,
        source=str(source),
        actor=actor,
        input=input_text,
        client_turn_id=client_turn_id or str(ids.new_id()),
        request_digest=request_digest,
        locale=locale or conversation.locale,
        lease_token=conversation.lease_token,
        replay_token=ids.replay_token(turn_id),
        received_at=now,
    )


def user_turn(conversation: Conversation, now: datetime, actor: Actor, turn_input: TurnInput) -> Turn:
    """Return the unsaved row of the turn that ``actor`` begins with ``turn_input``."""
    return new_turn(
        conversation,
        now,
        actor=actor.user,
        source=TurnSource.USER,
        client_turn_id=turn_input.client_turn_id,
        request_digest=turn_input.digest,
        input_text=turn_input.stored_text,
        locale=turn_input.locale,
    )


def earlier_turn(conversation_id: UUID, client_turn_id: str) -> Turn | None:
    """Return the conversation's turn of that key, or None."""
    found = rows.select(Turn, "conversation_id = %s AND client_turn_id = %s", [conversation_id, client_turn_id])
    return found[0] if found else None


def answer_again(turn: Turn, turn_input: TurnInput) -> TurnAnswer:
    """Answer a repeated key: the first bytes, or the first problem.

    Raises ``Problem``: ``idempotency_mismatch`` for another body under the key, or the stored one marked as replayed. Raises
    ``StillRunning`` while the turn is worked on.
    """
    if turn.request_digest != turn_input.digest:
        raise Problem("idempotency_mismatch")
    if turn.phase == TurnPhase.DELIVERED:
        return TurnAnswer(200, stored.read(turn), turn.pk, replayed=True)
    if turn.phase == TurnPhase.FAILED:
        problem = failure(turn)
        problem.replayed = True
        raise problem
    raise StillRunning(Problem("turn_in_progress", turn_id=str(turn.pk), retry_after=1))


def failure(turn: Turn) -> Problem:
    """Return the problem with which a failed turn answers."""
    members: dict[str, codec.Json] = {"turn_id": str(turn.pk)}
    if turn.error_reference:
        members["reference"] = turn.error_reference
    if turn.error_code == "assistant_unavailable":
        members["retryable"] = True
    problem = Problem(turn.error_code)
    problem.members.update(members)
    return problem


def find_card(actor: Actor, conversation_id: UUID, interaction_id: str) -> Interaction:
    """Read a card of the actor's conversation, without a lock. Raises ``Problem`` ``not_found``."""
    try:
        key = UUID(interaction_id)
    except ValueError:
        raise Problem("not_found") from None
    found = rows.select(Interaction, _OWN_CARD, [key, actor.account, conversation_id, actor.account, actor.user])
    if not found:
        raise Problem("not_found")
    return found[0]


def answer_from(card: Interaction) -> TurnAnswer:
    """Answer a click on an answered card with the bytes of the turn that answered it first."""
    (turn,) = rows.select(Turn, "id = %s", [card.resolved_turn_id])
    return TurnAnswer(200, stored.read(turn), turn.pk, replayed=True, resolved_option=card.resolved_option_id)


def speaking(turn: Turn) -> "translation.override":
    """Return a context in which code speaks the turn's language."""
    return translation.override(turn.locale)
