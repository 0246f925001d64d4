"""The journal: one row per command, under a key that is unique in the account, with the decision and what became of it."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from turnframe_django import codec, flow, ids
from turnframe_django.flow.policy import Decision, Origin
from turnframe_django.models import Command
from turnframe_django.protocol.states import CommandStatus, OriginKind
from turnframe_django.runtime import rows
from turnframe_django.runtime.cases import HeldCase
from turnframe_django.runtime.writing import TurnRows


@dataclass(slots=True)
class Runnable:
    """A command about to run: its journal row, new in this turn or waiting since an earlier one, and what allows it."""

    row: Command
    command: flow.Command[Any, Any]
    origin: Origin
    decision: Decision
    waiting: bool = False


def entry(
    work: TurnRows,
    case: HeldCase,
    command: flow.Command[Any, Any],
    decision: Decision,
    *,
    command_id: UUID,
    origin: OriginKind,
    key: str | None = None,
    interaction_id: UUID | None = None,
    position: int = 0,
) -> Command:
    """Return the journal row of ``command`` on ``case``, not yet settled.

    ``origin`` enters the derived key only: a command that waits for its card is keyed as the click will run it. ``key`` replaces the
    derived key, for news from outside that brings its own.
    """
    arguments = codec.encode(flow.dump(command), floats=False)
    name = f"{case.ref.name}.{command.declared.key}"
    return Command(
        id=command_id,
        account=work.conversation.account,
        turn_id=work.turn.pk,
        interaction_id=interaction_id,
        position=position,
        engine=case.ref.engine,
        case_name=case.ref.name,
        case_id=case.ref.case_id,
        name=name,
        arguments=arguments,
        idempotency_key=key
        or ids.idempotency_key(
            account=work.conversation.account,
            turn=str(work.turn.pk),
            case=case.path,
            revision=case.ref.revision,
            origin=str(origin),
            command=f"{name}/{command_id}",
            arguments=arguments,
        ),
        expected_revision=case.ref.revision,
        risk=str(decision.risk),
        confirmation=str(decision.confirmation),
        decision=decision.code,
        reason=decision.reason[:200],
        created_at=work.now,
    )


def settle(work: TurnRows, runnable: Runnable, status: CommandStatus, outcome: dict[str, codec.Json]) -> dict[str, codec.Json]:
    """Settle a journal row in this turn, writing it at once when it was waiting, and return the account of it for the replay record."""
    row = runnable.row
    if status is CommandStatus.COMMITTED:
        row.commit()
    elif status is CommandStatus.FAILED:
        row.fail()
    else:
        row.drop()
    if status is not CommandStatus.DROPPED:
        row.origin = str(runnable.origin.kind)
    row.decision, row.reason = runnable.decision.code, runnable.decision.reason[:200]
    row.outcome = codec.encode(outcome, floats=False)
    row.completed_at = work.now
    row.settled_turn_id = work.turn.pk
    if runnable.waiting:
        rows.update(row, "status", "origin", "decision", "reason", "outcome", "completed_at", "settled_turn_id")
    return {
        "command_id": str(row.pk),
        "decision": row.decision,
        "key": row.idempotency_key,
        "name": row.name,
        "origin": row.origin,
        "outcome": outcome,
        "reason": row.reason,
        "status": str(row.status),
    }
