"""Signals, sent after the commit and only then. They inform; whoever must not miss something reads the tables."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.db import models, transaction
from django.dispatch import Signal

from turnframe_django import signals
from turnframe_django.models import Command, DomainEvent, Interaction, InteractionTransition, OutboxEntry, Turn
from turnframe_django.protocol.states import OPEN_INTERACTION, InteractionStatus
from turnframe_django.runtime import rows
from turnframe_django.runtime.writing import TurnRows


def delivered(work: TurnRows) -> None:
    """Announce a delivered turn, the commands it committed, and the cards it raised and settled, in that order after the commit."""
    turn, account = work.turn, work.conversation.account
    events: dict[Any, list[DomainEvent]] = {}
    for event in work.gathered(DomainEvent):
        events.setdefault(event.command_id, []).append(event)
    for command_id, committed in events.items():
        _after_commit(
            signals.command_committed,
            Command,
            command_id=command_id,
            turn_id=turn.pk,
            account=account,
            name=work.command_names[command_id],
            case=f"{committed[0].engine}/{committed[0].case_name}/{committed[0].case_id}",
            event_ids=[event.pk for event in committed],
        )
    _cards(work)
    _after_commit(
        signals.turn_delivered, Turn, turn_id=turn.pk, conversation_id=turn.conversation_id, account=account, source=str(turn.source)
    )


def failed(work: TurnRows, turn: Turn) -> None:
    """Announce a failed turn, and the card it gave back."""
    _cards(work)
    _after_commit(
        signals.turn_failed,
        Turn,
        turn_id=turn.pk,
        conversation_id=turn.conversation_id,
        account=work.conversation.account,
        source=str(turn.source),
        error_code=turn.error_code,
    )


def outbox_settled(entry: OutboxEntry) -> None:
    """Announce what became of an external effect."""
    _after_commit(
        signals.outbox_settled,
        OutboxEntry,
        outbox_id=entry.pk,
        command_id=entry.command_id,
        account=entry.account,
        destination=entry.destination,
        status=str(entry.status),
    )


def conversation_opened(conversation: models.Model, account: str) -> None:
    """Announce a new conversation."""
    _after_commit(signals.conversation_opened, type(conversation), conversation_id=conversation.pk, account=account)


def _cards(work: TurnRows) -> None:
    for move in work.gathered(InteractionTransition):
        card = work.moved[move.interaction_id]
        told: dict[str, Any] = {
            "interaction_id": card.pk,
            "conversation_id": card.conversation_id,
            "account": card.account,
            "case": f"{card.engine}/{card.case_name}/{card.case_id}",
        }
        if not move.from_status:
            _after_commit(signals.interaction_raised, Interaction, **told)
        elif InteractionStatus(move.to_status) not in OPEN_INTERACTION:
            _after_commit(
                signals.interaction_settled,
                Interaction,
                **told,
                status=move.to_status,
                turn_id=move.turn_id,
                option_id=card.resolved_option_id,
            )


def _after_commit(signal: Signal, sender: type[models.Model], **told: Any) -> None:
    send: Callable[[], object] = partial(signal.send_robust, sender=sender, **told)
    transaction.on_commit(send, using=rows.database(), robust=True)
