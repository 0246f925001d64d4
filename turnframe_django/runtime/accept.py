"""Acceptance of a turn with words: its row, its lease, and the card clicked beside the words."""

from datetime import datetime
from uuid import UUID

from turnframe_django.conf import LEASE_GRACE, settings
from turnframe_django.context import Actor
from turnframe_django.protocol.turns import TurnInput
from turnframe_django.runtime import cards, cases, rows
from turnframe_django.runtime.click import answered_meanwhile_is_busy, hold_card, open_card
from turnframe_django.runtime.effects import Effects
from turnframe_django.runtime.intake import (
    TurnAnswer,
    answer_again,
    check_free,
    earlier_turn,
    lock_conversation,
    speaking,
    user_turn,
)
from turnframe_django.runtime.lease import Accepted, abandoned_turn, give_up
from turnframe_django.runtime.transactions import work
from turnframe_django.runtime.writing import TurnRows


def accept(actor: Actor, conversation_id: UUID, turn_input: TurnInput) -> Accepted | TurnAnswer:
    """Store the turn and take the conversation's lease, or answer a repeated key.

    A click beside the words is judged here and holds its card. Raises ``Problem``, and ``StillRunning`` while the same turn runs.
    """
    with work():
        conversation, now = lock_conversation(actor, conversation_id)
        if turn_input.client_turn_id is not None:
            earlier = earlier_turn(conversation.pk, turn_input.client_turn_id)
            if earlier is not None:
                return answer_again(earlier, turn_input)
        check_free(conversation, now)
        cases.check_origin(actor, turn_input.origin)
        abandoned = abandoned_turn(conversation, now)
        conversation.lease_token += 1
        turn = user_turn(conversation, now, actor, turn_input)
        conversation.lease_turn, conversation.lease_until = turn.pk, now + settings.TURN_BUDGET + LEASE_GRACE
        gathered = TurnRows(conversation, turn, now, actor.user)
        if abandoned is not None:
            give_up(gathered, abandoned)
        gathered.announce("turn.received")
        gathered.add(turn)
        accepted = Accepted(actor, conversation.pk, turn.pk, conversation.lease_token, turn_input, turn.locale)
        with speaking(turn):
            accepted.answered = _hold_click(gathered, actor, turn_input, now)
        rows.update(conversation, "last_ordinal", "lease_token", "lease_turn", "lease_until", "last_activity_at")
        gathered.flush()
        return accepted


def _hold_click(gathered: TurnRows, actor: Actor, turn_input: TurnInput, now: datetime) -> bool:
    """Hold the card clicked beside the words; return whether it was answered before."""
    response = turn_input.interaction_response
    if response is None:
        return False
    seen = open_card(actor, gathered.conversation.pk, response)
    if isinstance(seen, TurnAnswer):
        return True
    with answered_meanwhile_is_busy():
        _case, card, option, _text = hold_card(Effects(gathered, actor), seen, response, now)
    cards.begin(gathered, card, option.option_id)
    return False
