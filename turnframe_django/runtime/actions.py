"""What a click does: the stored action of the chosen option, and nothing that a client sent.

Every command is judged again against the record as it is under the lock, with the click as its origin.
"""

from typing import Any, cast

from django.utils.translation import gettext as _
from pydantic import ValidationError

from turnframe_django import flow, ids
from turnframe_django.codec import CodecError, Json, decode
from turnframe_django.exceptions import Problem
from turnframe_django.flow.cards import preview_digest, stored_request
from turnframe_django.flow.notices import notice
from turnframe_django.flow.policy import Origin, decide
from turnframe_django.flow.reduction import AwaitingAct, recompile
from turnframe_django.models import Interaction, InteractionOption
from turnframe_django.protocol.states import ActionClass, CardKind, InteractionStatus, OriginKind
from turnframe_django.runtime import cards
from turnframe_django.runtime.cases import HeldCase
from turnframe_django.runtime.effects import Effects
from turnframe_django.runtime.journal import Runnable


def perform(effects: Effects, case: HeldCase, card: Interaction, option: InteractionOption, text: str | None) -> None:
    """Perform the stored action of ``option``, settle the card, and bring the case's cards in line."""
    action = _stored(option)
    awaiting: AwaitingAct | None = None
    match action["op"]:
        case "confirm_commands":
            _confirm(effects, case, card, option, [str(command) for command in action["commands"]])
        case "apply_operation":
            awaiting = _apply(effects, case, card, option, action, text)
        case "decline_commands":
            cards.drop_commands(effects.work, [card], "declined")
            cards.answer(effects.work, card, InteractionStatus.DECLINED, option.option_id, "declined")
            effects.notices.append(notice("turnframe.notice.instruction_declined"))
        case "dismiss":
            cards.drop_commands(effects.work, [card], "dismissed")
            cards.answer(effects.work, card, InteractionStatus.DISMISSED, option.option_id, "dismissed")
    effects.settle(case, awaiting)


def _stored(option: InteractionOption) -> dict[str, Any]:
    """Return the stored action. Raises ``Problem`` ``payload_corrupt`` where it is none that was ever stored."""
    try:
        action = decode(option.action)
    except CodecError:
        raise Problem("payload_corrupt") from None
    match action:
        case {"op": "confirm_commands", "commands": [_, *_]} | {"op": "apply_operation", "operation": str(), "arguments": dict()}:
            return cast("dict[str, Any]", action)
        case {"op": "decline_commands" | "dismiss"}:
            return cast("dict[str, Any]", action)
    raise Problem("payload_corrupt")


def _confirm(effects: Effects, case: HeldCase, card: Interaction, option: InteractionOption, command_ids: list[str]) -> None:
    origin = Origin(OriginKind.CONFIRMED_INTERACTION, card_kind=CardKind(card.kind), action_class=ActionClass.CONFIRMS_COMMANDS)
    restore = card.on_failure == "restore"
    try:
        waiting = [(row, _load(case, row.name, row.arguments)) for row in cards.waiting_commands([card])]
    except flow.Rejected as rejected:
        effects.refuse(rejected.code, rejected.text)
        _end(effects, card, option, rejected.code)
        return
    if not case.opened and any(command.declared.opens for _row, command in waiting):
        raise Problem("revision_conflict", bound=card.bound_revision, current=case.ref.revision)
    batch = [
        Runnable(row, command, origin, decide(command, case.state, effects.actor, origin), waiting=True)
        for row, command in waiting
        if str(row.pk) in command_ids
    ]
    # Consent was to all of them, so one that policy no longer admits keeps the others from running.
    refused = [runnable for runnable in batch if not runnable.decision.allowed]
    if refused:
        for runnable in refused:
            effects.skip(runnable, keep=restore)
        _failed(effects, card, option, refused[0].decision.code)
    elif preview_digest([command for _row, command in waiting], case.state) != card.preview_digest:
        changed = flow.Rejected("turnframe.card.preview_changed", _("What you were shown has changed in the meantime."))
        effects.refuse_batch(case, batch, changed)
        # What it shows is wrong now, so it is not given back.
        _end(effects, card, option, changed.code)
    elif effects.run(case, batch, keep_on_failure=restore):
        cards.answer(effects.work, card, InteractionStatus.RESOLVED, option.option_id, "answered")
        cards.drop(effects.work, [row for row, _command in waiting if str(row.pk) not in command_ids], "not_chosen")
    else:
        _failed(effects, card, option, effects.failure_code)


def _apply(
    effects: Effects, case: HeldCase, card: Interaction, option: InteractionOption, action: dict[str, Any], text: str | None
) -> AwaitingAct | None:
    origin = Origin(OriginKind.CONFIRMED_INTERACTION, card_kind=CardKind(card.kind), action_class=ActionClass.APPLIES_OPERATION)
    act = f"card:{card.pk}"
    try:
        request = stored_request(action, case.workflow.request, text)
        commands = recompile(request, case.state)
    except flow.Rejected as rejected:
        effects.refuse(rejected.code, rejected.text)
        _failed(effects, card, option, rejected.code)
        return None
    decisions = [decide(command, case.state, effects.actor, origin) for command in commands]
    if not commands:
        effects.notices.append(notice("turnframe.notice.no_change", words=request.declared.words))
    elif not all(decision.allowed for decision in decisions):
        refused = next(decision for decision in decisions if not decision.allowed)
        if refused.code != "turnframe.policy.confirmation_required":
            effects.refuse(refused.code, words=request.declared.words)
            _failed(effects, card, option, refused.code)
            return None
        cards.answer(effects.work, card, InteractionStatus.RESOLVED, option.option_id, "answered")
        return AwaitingAct(act, case.ref, case.workflow, request, tuple(commands))
    else:
        batch = [
            effects.planned(case, command, decision, origin, command_id=ids.command_id(effects.work.turn.pk, act, position))
            for position, (command, decision) in enumerate(zip(commands, decisions, strict=True))
        ]
        if not effects.run(case, batch):
            _failed(effects, card, option, effects.failure_code)
            return None
    cards.answer(effects.work, card, InteractionStatus.RESOLVED, option.option_id, "answered")
    return None


def _failed(effects: Effects, card: Interaction, option: InteractionOption, code: str) -> None:
    if card.on_failure == "restore":
        cards.restore(effects.work, card, code)
    else:
        _end(effects, card, option, code)


def _end(effects: Effects, card: Interaction, option: InteractionOption, code: str) -> None:
    cards.drop_commands(effects.work, [card], code)
    cards.answer(effects.work, card, InteractionStatus.FAILED, option.option_id, code, failure=code)


def _load(case: HeldCase, name: str, arguments: str) -> flow.Command[Any, Any]:
    """Return a waiting command. Raises ``Rejected`` where the workflow no longer has it, or not with these arguments."""
    try:
        return flow.load(case.workflow.command(name.split(".", 1)[1]), cast("dict[str, Json]", decode(arguments)))
    except LookupError as error:
        raise flow.Rejected("turnframe.operation.unknown") from error
    except (ValidationError, CodecError) as error:
        raise flow.Rejected("turnframe.operation.invalid_arguments") from error
