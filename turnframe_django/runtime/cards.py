"""Cards: raised before anything refers to them, judged in one order, ended with their history.

What a card means is stored with it and never comes from a client: a response names a card, an option and the revision it saw
(docs/concepts.md, "Cards").
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import DatabaseError, OperationalError

from turnframe_django import codec, flow, ids
from turnframe_django.context import Actor
from turnframe_django.exceptions import Problem
from turnframe_django.flow.cards import BuiltCard, BuiltOption, build
from turnframe_django.flow.policy import Origin, decide
from turnframe_django.flow.reply import Draft
from turnframe_django.flow.targets import CaseRef
from turnframe_django.models import Command, Interaction, InteractionOption
from turnframe_django.protocol.states import ANSWERED_INTERACTION, InteractionStatus, OriginKind
from turnframe_django.protocol.times import rfc3339
from turnframe_django.protocol.turns import InteractionResponse
from turnframe_django.runtime import journal, rows
from turnframe_django.runtime.cases import AnyWorkflow, HeldCase
from turnframe_django.runtime.transactions import savepoint
from turnframe_django.runtime.writing import TurnRows

_OF_ONE_CASE = (
    "(account = %s AND engine = %s AND case_name = %s AND case_id = %s AND (status IN ('active', 'resolving') OR "
    "(bound_revision >= %s AND status IN ('resolved', 'declined', 'dismissed'))))"
)


def lock(account: str, refs: Sequence[CaseRef]) -> list[Interaction]:
    """Lock the open cards of the cases, and with them the answers given at their present revisions, in the order of their ids."""
    if not refs:
        return []
    where = " OR ".join([_OF_ONE_CASE] * len(refs)) + " ORDER BY id"
    named = [value for ref in refs for value in (account, ref.engine, ref.name, ref.case_id, ref.revision)]
    return rows.select(Interaction, where, named, lock=True)


def can_be_answered(card: Interaction, current: int, now: datetime) -> bool:
    """Whether a click on the card would be taken while its record is at the revision ``current``."""
    return card.is_open and not is_due(card, now) and (not card.binds_to_revision or card.bound_revision == current)


def waiting(account: str, refs: Sequence[CaseRef], now: datetime) -> list[Interaction]:
    """Return the blocking cards of the cases that can be answered, without a lock, in the order in which they were raised."""
    if not refs:
        return []
    each = " OR ".join(["(engine = %s AND case_name = %s AND case_id = %s)"] * len(refs))
    where = f"account = %s AND blocking AND status IN ('active', 'resolving') AND ({each}) ORDER BY created_at, id"
    found = rows.select(Interaction, where, [account, *(part for ref in refs for part in (ref.engine, ref.name, ref.case_id))])
    current = {ref.text(): ref.revision for ref in refs}
    return [card for card in found if can_be_answered(card, current[f"{card.engine}/{card.case_name}/{card.case_id}"], now)]


def options_of(card: Interaction) -> list[InteractionOption]:
    """Return the options of ``card`` in their order, with their stored actions."""
    return rows.select(InteractionOption, "interaction_id = %s ORDER BY position", [card.pk])


def waiting_commands(cards: Sequence[Interaction]) -> list[Command]:
    """Return the commands that wait for ``cards``, in the order they would run."""
    if not cards:
        return []
    marks = ",".join(["%s"] * len(cards))
    where = f"interaction_id IN ({marks}) AND status = 'awaiting_confirmation' ORDER BY interaction_id, position"
    return rows.select(Command, where, [card.pk for card in cards])


def opens_record(card: Interaction, workflow: AnyWorkflow) -> bool:
    """Whether a click on the card will open its record, which is why there is none yet."""
    kinds = [workflow.command_type(command.name.split(".", 1)[1]) for command in waiting_commands([card])]
    return any(kind is not None and kind.declared.opens for kind in kinds)


def is_due(card: Interaction, now: datetime) -> bool:
    """Whether the card's time is over."""
    return card.expires_at is not None and card.expires_at <= now


def judge(card: Interaction, response: InteractionResponse, current: int, now: datetime) -> None:
    """Judge a response to an open card: expiry, then revision, then payload. Identity and status were judged by whoever found it.

    ``current`` is the record's revision under the lock. Raises ``Problem``.
    """
    if is_due(card, now):
        raise Problem("interaction_expired")
    # A card that is not bound still compares what the client was shown with its own revision.
    if response.expected_case_revision != card.bound_revision or (card.binds_to_revision and card.bound_revision != current):
        raise Problem("revision_conflict", bound=card.bound_revision, current=current)
    if codec.digest(card.payload) != card.payload_hash:
        raise Problem("payload_corrupt")


def chosen(options: Sequence[InteractionOption], response: InteractionResponse) -> tuple[InteractionOption, str | None]:
    """Return the option that a response names and its free text, judged in that order. Raises ``Problem``."""
    option = next((option for option in options if option.option_id == response.option_id), None)
    if option is None:
        raise Problem("unknown_option")
    if option.is_redacted:
        raise Problem("payload_corrupt")
    text = response.freeform_input
    if option.freeform_mode == "forbidden":
        if text is not None:
            raise Problem("freeform_not_allowed")
        return option, None
    if text is not None and option.freeform_max_length is not None and len(text) > option.freeform_max_length:
        raise Problem("freeform_too_long", max_len=option.freeform_max_length)
    text = text if text and text.strip() else None
    if text is None and option.freeform_mode == "required":
        raise Problem("freeform_required")
    return option, text


def refuse_closed(card: Interaction) -> Problem:
    """Return the problem that a response to a card meets which is neither open nor answered."""
    if card.status == InteractionStatus.EXPIRED:
        return Problem("interaction_expired")
    if card.status == InteractionStatus.RESOLVING:
        return Problem("interaction_resolving", retry_after=1)
    return Problem("interaction_not_active", status=str(card.status))


def answers_itself(card: Interaction) -> bool:
    """Whether a click on this card is answered by the turn that answered it first."""
    return card.resolved_turn_id is not None and card.status in (*ANSWERED_INTERACTION, InteractionStatus.FAILED)


def answer(work: TurnRows, card: Interaction, status: InteractionStatus, option_id: str, reason: str, failure: str = "") -> None:
    """Settle an answered card in this turn and write its row."""
    before = str(card.status)
    {
        InteractionStatus.RESOLVED: card.resolve,
        InteractionStatus.DECLINED: card.decline,
        InteractionStatus.DISMISSED: card.dismiss,
        InteractionStatus.FAILED: card.fail,
    }[status]()
    card.resolved_option_id = option_id
    card.resolved_at = work.now
    card.resolved_turn_id = work.turn.pk
    card.failure_code = failure
    rows.update(card, "status", "resolved_option_id", "resolved_at", "resolved_turn_id", "failure_code")
    work.move(card, before, status, reason)


def begin(work: TurnRows, card: Interaction, option_id: str) -> None:
    """Hold an open card for the turn that is reading the words beside the click."""
    card.begin_resolving()
    card.resolved_option_id = option_id
    card.resolved_turn_id = work.turn.pk
    rows.update(card, "status", "resolved_option_id", "resolved_turn_id")
    work.move(card, "active", InteractionStatus.RESOLVING, "answered")


def restore(work: TurnRows, card: Interaction, reason: str) -> None:
    """Give a card that was being answered back as it was."""
    before = str(card.status)
    if card.status == InteractionStatus.RESOLVING:
        card.restore()
    card.resolved_option_id = ""
    card.resolved_turn_id = None
    rows.update(card, "status", "resolved_option_id", "resolved_turn_id")
    if before != card.status:
        work.move(card, before, InteractionStatus.ACTIVE, reason)


def invalidate(work: TurnRows, card: Interaction, reason: str) -> None:
    """End an active card that the record left behind, and drop the commands that waited for it."""
    card.invalidate()
    rows.update(card, "status")
    work.move(card, "active", InteractionStatus.INVALIDATED, reason)
    drop_commands(work, [card], reason)


def expire(work: TurnRows, card: Interaction) -> None:
    """Settle an active card whose time is over, and drop the commands that waited for it."""
    card.expire()
    rows.update(card, "status")
    work.move(card, "active", InteractionStatus.EXPIRED, "expired")
    drop_commands(work, [card], "expired")


def drop_commands(work: TurnRows, ended: Sequence[Interaction], reason: str) -> None:
    """Drop the commands that waited for cards that ended without their click."""
    drop(work, waiting_commands(ended), reason)


def drop(work: TurnRows, waiting: Iterable[Command], reason: str) -> None:
    """Drop commands that waited for a card and will not run."""
    for command in waiting:
        command.drop()
        command.outcome = codec.encode({"code": reason}, floats=False)
        command.completed_at = work.now
        command.settled_turn_id = work.turn.pk
        rows.update(command, "status", "outcome", "completed_at", "settled_turn_id")


def raise_card(work: TurnRows, case: HeldCase, card: flow.Card, actor: Actor) -> Draft | None:
    """Store a card, its options and the commands that wait for it, in one savepoint, and return its block.

    Returns None when the rows could not be stored: then nothing may speak of the card.
    """
    built = build(card, case.ref, state=case.state, known=case.workflow.known)
    interaction_id = ids.interaction_id(work.turn.pk, case.path, built.key)
    expires_at = work.now + built.expires_in if built.expires_in is not None else None
    view: dict[str, codec.Json] = {
        **built.payload,
        "blocking": built.blocking,
        "case_ref": {
            "case_id": case.ref.case_id,
            "engine": case.ref.engine,
            "name": case.ref.name,
            "revision": case.ref.revision,
        },
        "expires_at": rfc3339(expires_at) if expires_at is not None else None,
        "interaction_id": str(interaction_id),
        "kind": str(built.kind),
    }
    payload = codec.encode(view, floats=False)
    row = Interaction(
        id=interaction_id,
        account=work.conversation.account,
        conversation_id=work.conversation.pk,
        turn_id=work.turn.pk,
        engine=case.ref.engine,
        case_name=case.ref.name,
        case_id=case.ref.case_id,
        bound_revision=case.ref.revision,
        binds_to_revision=built.binds_to_revision,
        key=built.key,
        kind=str(built.kind),
        blocking=built.blocking,
        payload=payload,
        payload_hash=codec.digest(payload),
        preview_digest=built.preview_digest,
        text_policy=built.text_policy,
        risk=str(built.risk),
        on_failure=built.on_failure,
        created_at=work.now,
        expires_at=expires_at,
    )
    options = [
        InteractionOption(
            interaction_id=interaction_id,
            position=position,
            option_id=option.option_id,
            label=option.label,
            action=codec.encode(_action(work, interaction_id, built, option), floats=False),
            freeform_mode=option.freeform_mode,
            freeform_max_length=option.freeform_max_len,
            style=option.style,
        )
        for position, option in enumerate(built.options)
    ]
    commands = _waiting_rows(work, case, built, interaction_id, actor)
    try:
        with savepoint():
            rows.insert(Interaction, [row])
            rows.insert(InteractionOption, options)
            rows.insert(Command, commands)
    except OperationalError:
        raise  # a deadlock or a lock that was not to be had ends the whole transaction, not only the card
    except DatabaseError:
        return None
    case.cards.append(row)
    work.move(row, "", InteractionStatus.ACTIVE, "raised")
    return Draft("interaction", f"interaction:{interaction_id}", {"interaction": view}, interaction_id=interaction_id)


def _numbered(built: BuiltCard) -> list[tuple[BuiltOption, int, flow.Command[Any, Any]]]:
    """Number the commands of a card through all its options, the order in which its preview was pinned."""
    pairs = [(option, command) for option in built.options for command in option.commands]
    return [(option, position, command) for position, (option, command) in enumerate(pairs)]


def _action(work: TurnRows, interaction_id: UUID, built: BuiltCard, option: BuiltOption) -> codec.Json:
    if not option.commands:
        return option.action
    numbers = [position for owner, position, _command in _numbered(built) if owner is option]
    return {**option.action, "commands": [str(ids.command_id(work.turn.pk, str(interaction_id), number)) for number in numbers]}


def _waiting_rows(work: TurnRows, case: HeldCase, built: BuiltCard, interaction_id: UUID, actor: Actor) -> list[Command]:
    return [
        journal.entry(
            work,
            case,
            command,
            decide(command, case.state, actor, Origin(OriginKind.DIRECT_SAFE_USER_ACT)),
            command_id=ids.command_id(work.turn.pk, str(interaction_id), position),
            origin=OriginKind.CONFIRMED_INTERACTION,
            interaction_id=interaction_id,
            position=position,
        )
        for _option, position, command in _numbered(built)
    ]
