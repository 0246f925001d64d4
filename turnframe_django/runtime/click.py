"""A click without words: judged, run, answered and stored in one transaction, without a model and without an event loop.

The card is first read without a lock: an answered one is answered from there. No idempotency read precedes a click; the unique key refuses
a twin, and the stored turn is read after the rollback (docs/concepts.md, "The turn").
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from uuid import UUID

from django.db import IntegrityError

from turnframe_django.context import Actor
from turnframe_django.exceptions import Problem
from turnframe_django.models import Conversation, Interaction, InteractionOption
from turnframe_django.protocol.turns import InteractionResponse, TurnInput
from turnframe_django.runtime import actions, cards, cases
from turnframe_django.runtime.cases import HeldCase
from turnframe_django.runtime.compose import reply
from turnframe_django.runtime.deliver import Account, deliver
from turnframe_django.runtime.effects import Effects
from turnframe_django.runtime.intake import (
    StillRunning,
    TurnAnswer,
    answer_again,
    answer_from,
    check_free,
    earlier_turn,
    find_card,
    lock_conversation,
    speaking,
    user_turn,
)
from turnframe_django.runtime.lease import abandoned_turn, end_abandoned, give_up
from turnframe_django.runtime.transactions import LockWaitOver, retried, work
from turnframe_django.runtime.writing import TurnRows

#: What a card may have come to since a first click under the same key; each is raised for a card of the actor's own only.
_ENDED = ("interaction_not_active", "interaction_expired", "revision_conflict")


class _AnsweredMeanwhile(Exception):
    """The card was answered, or closed, between the read without a lock and the lock."""


def click(actor: Actor, conversation_id: UUID, turn_input: TurnInput) -> TurnAnswer:
    """Take a click-only turn. Raises ``Problem``, and ``StillRunning`` while the card's answer is being worked on."""
    response = turn_input.interaction_response
    assert response is not None
    try:
        return retried(lambda: _attempt(actor, conversation_id, turn_input, response))
    except LockWaitOver:
        raise Problem("turn_in_progress", retry_after=1) from None
    except Problem as refused:
        # A card that came back after a refusal may meanwhile have ended; the key still has its first answer.
        key = turn_input.client_turn_id
        earlier = earlier_turn(conversation_id, key) if key is not None and refused.code in _ENDED else None
        if earlier is None:
            raise
        return answer_again(earlier, turn_input)
    except IntegrityError:
        twin = earlier_turn(conversation_id, turn_input.client_turn_id) if turn_input.client_turn_id else None
        if twin is None:
            raise
        return answer_again(twin, turn_input)


def _attempt(actor: Actor, conversation_id: UUID, turn_input: TurnInput, response: InteractionResponse) -> TurnAnswer:
    try:
        seen = open_card(actor, conversation_id, response)
    except StillRunning:
        # Whoever held the card may have died with it.
        if not end_abandoned(actor, conversation_id):
            raise
        seen = open_card(actor, conversation_id, response)
    if isinstance(seen, TurnAnswer):
        return seen
    cases.check_origin(actor, turn_input.origin)
    try:
        with work():
            conversation, now = lock_conversation(actor, conversation_id)
            check_free(conversation, now)
            return _take(actor, conversation, now, turn_input, response, seen)
    except _AnsweredMeanwhile:
        again = open_card(actor, conversation_id, response)
        if isinstance(again, TurnAnswer):
            return again
        raise Problem("turn_in_progress", retry_after=1) from None


def open_card(actor: Actor, conversation_id: UUID, response: InteractionResponse) -> Interaction | TurnAnswer:
    """Return the card that a response names while it is open, or the answer it already has.

    Raises ``Problem`` where it is neither, and ``StillRunning`` while its answer is being worked on.
    """
    seen = find_card(actor, conversation_id, response.interaction_id)
    if cards.answers_itself(seen):
        return answer_from(seen)
    if not seen.is_open:
        raise cards.refuse_closed(seen)
    if seen.status == "resolving":
        raise StillRunning(cards.refuse_closed(seen))
    return seen


def hold_card(
    effects: Effects, seen: Interaction, response: InteractionResponse, now: datetime
) -> tuple[HeldCase, Interaction, InteractionOption, str | None]:
    """Lock the card's record and its cards, read the card again and judge the response.

    Raises ``Problem``, or lets the caller know that the card was answered meanwhile.
    """
    case = cases.hold_named(effects.actor, seen.account, seen.engine, seen.case_name, seen.case_id, opens_at=seen.bound_revision)
    if case.opened and not cards.opens_record(seen, case.workflow):
        raise Problem("not_found")
    effects.hold([case])
    card = next((card for card in case.cards if card.pk == seen.pk and card.status == "active"), None)
    if card is None:
        raise _AnsweredMeanwhile
    cards.judge(card, response, case.ref.revision, now)
    option, text = cards.chosen(cards.options_of(card), response)
    return case, card, option, text


@contextmanager
def answered_meanwhile_is_busy() -> Iterator[None]:
    """Turn "answered meanwhile" into "look again", for a caller that will."""
    try:
        yield
    except _AnsweredMeanwhile:
        raise StillRunning(Problem("interaction_resolving", retry_after=1)) from None


def _take(
    actor: Actor, conversation: Conversation, now: datetime, turn_input: TurnInput, response: InteractionResponse, seen: Interaction
) -> TurnAnswer:
    turn = user_turn(conversation, now, actor, turn_input)
    rows = TurnRows(conversation, turn, now, actor.user)
    if (abandoned := abandoned_turn(conversation, now)) is not None:
        give_up(rows, abandoned)
        conversation.lease_turn, conversation.lease_until = None, None
        conversation.lease_token += 1
    rows.announce("turn.received")
    effects = Effects(rows, actor)
    with speaking(turn):
        case, card, option, text = hold_card(effects, seen, response, now)
        case.project()
        actions.perform(effects, case, card, option, text)
        drafts = reply(effects, subjects=[case], with_words=True)
    body = deliver(rows, effects, drafts, Account(), new_turn=True)
    return TurnAnswer(201, body, turn.pk, resolved_option=option.option_id)
