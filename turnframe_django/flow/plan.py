"""The plan of a turn: what each act came to, and the commands that will run. It is validated against itself before anything runs."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Any, Literal, TypeAlias
from uuid import UUID

from turnframe_django import codec
from turnframe_django.codec import Json
from turnframe_django.context import Actor
from turnframe_django.flow.commands import AnyCommand
from turnframe_django.flow.data import dump
from turnframe_django.flow.notices import Notice, NotUnderstoodPart
from turnframe_django.flow.operations import AnyRequest
from turnframe_django.flow.policy import Decision, admits
from turnframe_django.flow.targets import CaseRef, LoadedRecord
from turnframe_django.flow.workflow import AnyWorkflow

Outcome: TypeAlias = Literal["ready", "awaiting_confirmation", "rejected", "no_change", "held"]


class PlanInconsistent(Exception):
    """A plan contradicts itself, or an author's code broke its contract. The turn fails and nothing runs."""


@dataclass(frozen=True)
class Situation:
    """All that reduction may look at. ``records`` have distinct tokens; ``message`` is the user's, where quotes must stand."""

    turn_id: UUID
    account: str
    actor: Actor
    locale: str
    message: str
    records: tuple[LoadedRecord, ...]
    workflows: tuple[AnyWorkflow, ...]
    max_commands: int = 32
    today: date | None = None

    @cached_property
    def starts(self) -> dict[str, tuple[Any, ...]]:
        """The opening operations on offer, by workflow."""
        return {workflow.name: workflow.starts() for workflow in self.workflows}


@dataclass(frozen=True, slots=True)
class ActResult:
    """What one act came to: the only result it has. ``text`` is what the user is told of a refusal, in the turn's language."""

    act: str
    outcome: Outcome
    operation: str
    code: str = ""
    text: str = ""
    case: CaseRef | None = None


@dataclass(frozen=True, slots=True)
class PlannedCommand:
    """A command that will run, and the decision that lets it. ``position`` counts from 0 within its act."""

    id: UUID
    act: str
    position: int
    command: AnyCommand
    decision: Decision


@dataclass(frozen=True, slots=True)
class Batch:
    """The commands of one case, in act order; they commit or fail together. ``opens``: the record is made by the first of them."""

    ref: CaseRef
    workflow: AnyWorkflow
    opens: bool
    commands: tuple[PlannedCommand, ...]


@dataclass(frozen=True, slots=True)
class AwaitingAct:
    """An act that waits for a click on the card the runtime raises for it."""

    act: str
    ref: CaseRef
    workflow: AnyWorkflow
    proposable: AnyRequest
    commands: tuple[AnyCommand, ...]

    @property
    def opens(self) -> bool:
        """Whether the click will open a record."""
        return self.proposable.declared.opens


@dataclass(frozen=True)
class Plan:
    """A whole turn, decided. The same proposal in the same situation gives the same ``digest``."""

    results: tuple[ActResult, ...] = ()
    batches: tuple[Batch, ...] = ()
    awaiting: tuple[AwaitingAct, ...] = ()
    notices: tuple[Notice, ...] = ()
    not_understood: tuple[NotUnderstoodPart, ...] = ()
    digest: str = field(default="", compare=False)

    @property
    def command_count(self) -> int:
        """How many commands would run or wait."""
        return sum(len(batch.commands) for batch in self.batches) + sum(len(act.commands) for act in self.awaiting)

    @property
    def refused(self) -> bool:
        """Whether something asked for was not done."""
        return any(result.outcome in ("rejected", "held") for result in self.results)

    def computed_digest(self) -> str:
        """Return the digest of everything decided; texts are left out, since they are the same decisions in another language."""
        content: dict[str, Json] = {
            "awaiting": [_described_wait(act) for act in self.awaiting],
            "batches": [_described_batch(batch) for batch in self.batches],
            "not_understood": [[words, reason] for words, reason in self.not_understood],
            "notices": [item.code for item in self.notices],
            "results": [
                [result.act, result.outcome, result.operation, result.code, _described_case(result.case)] for result in self.results
            ],
        }
        return codec.digest(codec.encode(content, floats=False))


def validate(plan: Plan, acts: Iterable[str]) -> None:
    """Hold ``plan`` to its own rules: one result per act of ``acts``, and no command that is not decided, allowed and at its case.

    Raises ``PlanInconsistent`` naming every contradiction.
    """
    found = [*_problems_of_results(plan, list(acts)), *_problems_of_batches(plan), *_problems_of_waits(plan)]
    if found:
        raise PlanInconsistent("; ".join(found))


def _problems_of_results(plan: Plan, acts: list[str]) -> Iterator[str]:
    counted = Counter(result.act for result in plan.results)
    for act in acts:
        if counted[act] != 1:
            yield f"act {act} has {counted[act]} results"
    for act in counted:
        if act not in acts:
            yield f"a result names act {act}, which was not proposed"
    batched = {command.act for batch in plan.batches for command in batch.commands}
    waiting = {act.act for act in plan.awaiting}
    for result in plan.results:
        if result.outcome in ("ready", "awaiting_confirmation") and result.case is None:
            yield f"act {result.act} is {result.outcome} without an exact target"
        if (result.outcome == "ready") != (result.act in batched):
            yield f"act {result.act} is {result.outcome} and its commands are {'' if result.act in batched else 'not '}batched"
        if (result.outcome == "awaiting_confirmation") != (result.act in waiting):
            yield f"act {result.act} is {result.outcome} and {'waits' if result.act in waiting else 'does not wait'}"


def _problems_of_batches(plan: Plan) -> Iterator[str]:
    cases = {result.act: result.case for result in plan.results}
    for path, count in Counter(batch.ref.text() for batch in plan.batches).items():
        if count > 1:
            yield f"case {path} has {count} batches"
    for identifier, count in Counter(command.id for batch in plan.batches for command in batch.commands).items():
        if count > 1:
            yield f"command {identifier} is decided {count} times"
    for batch in plan.batches:
        if not batch.commands:
            yield f"the batch of {batch.ref.text()} is empty"
        # A record that no turn has touched is at revision 0 as well, so the revision alone does not say that it must be opened.
        if batch.opens != (batch.commands[:1] != () and batch.commands[0].command.declared.opens) or (batch.opens and batch.ref.revision):
            yield f"the batch of {batch.ref.text()} does not agree with its commands about opening"
        for planned in batch.commands:
            if cases.get(planned.act) != batch.ref or type(planned.command) not in batch.workflow.known:
                yield f"command {planned.id} is on another case than its batch"
            decision = planned.decision
            if not decision.allowed or not admits(decision.origin, decision.risk, decision.confirmation):
                yield f"command {planned.id} is batched and its decision does not allow it"


def _problems_of_waits(plan: Plan) -> Iterator[str]:
    for path, count in Counter(act.ref.text() for act in plan.awaiting).items():
        if count > 1:
            yield f"{count} acts wait for a card on case {path}"
    for act in plan.awaiting:
        if not act.commands:
            yield f"act {act.act} waits with no command"


def _described_case(case: CaseRef | None) -> Json:
    return None if case is None else [case.text(), case.revision]


def _described_command(command: AnyCommand) -> Json:
    return [command.declared.key, dump(command)]


def _described_batch(batch: Batch) -> Json:
    commands: list[Json] = [
        [str(item.id), item.act, item.position, _described_command(item.command), item.decision.code, item.decision.reason]
        for item in batch.commands
    ]
    return [_described_case(batch.ref), batch.workflow.version, batch.opens, commands]


def _described_wait(act: AwaitingAct) -> Json:
    commands: list[Json] = [_described_command(command) for command in act.commands]
    return [act.act, _described_case(act.ref), act.proposable.declared.key, dump(act.proposable), commands]
