"""Reduction: an untrusted proposal becomes a plan, or is refused act by act. The whole turn is decided before anything runs.

Pure and deterministic. Each act keeps exactly one result; only what is on offer may be proposed; a target is exact or nothing happens;
values are quoted or nothing happens; and an act that was not understood holds every other act on the same record.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from turnframe_django import codec, ids
from turnframe_django.flow import arguments
from turnframe_django.flow.briefs import brief, in_language_of
from turnframe_django.flow.cards import CREATABLE
from turnframe_django.flow.commands import AnyCommand, Rejected
from turnframe_django.flow.confirming import confirmation_card, recompile
from turnframe_django.flow.notices import Notice, NotUnderstoodPart, merged, notice, rejection
from turnframe_django.flow.operations import AnyRequest, RequestType
from turnframe_django.flow.plan import (
    ActResult,
    AwaitingAct,
    Batch,
    Outcome,
    Plan,
    PlanInconsistent,
    PlannedCommand,
    Situation,
    validate,
)
from turnframe_django.flow.policy import Decision, Origin, decide
from turnframe_django.flow.proposal import Proposal, ProposedAct
from turnframe_django.flow.targets import CaseRef, LoadedRecord, resolve
from turnframe_django.flow.workflow import AnyWorkflow
from turnframe_django.protocol.states import Engine, OriginKind

__all__ = [
    "ActResult",
    "AwaitingAct",
    "Batch",
    "LoadedRecord",
    "Plan",
    "PlanInconsistent",
    "PlannedCommand",
    "Situation",
    "brief",
    "confirmation_card",
    "recompile",
    "reduce",
    "validate",
]

#: The longest piece of a not understood part that is repeated to the user, in characters.
LONGEST_ECHO = 200


def reduce(proposal: Proposal, situation: Situation) -> Plan:
    """Decide the whole turn. Raises ``PlanInconsistent``; an exception of the author's own other than ``Rejected`` passes through."""
    with in_language_of(situation):
        acts = [_Act(proposed) for proposed in proposal.acts]
        for act in acts:
            _understand(act, situation)
        _hold(acts)
        for act in acts:
            _compile(act, acts, situation)
        plan = _assembled(acts, proposal, situation)
        if plan.command_count > situation.max_commands:
            plan = _refused_whole(acts, proposal, situation)
        validate(plan, [act.proposed.id for act in acts])
        return replace(plan, digest=plan.computed_digest())


@dataclass(slots=True)
class _Act:
    """An act on its way to its one result."""

    proposed: ProposedAct
    workflow: AnyWorkflow | None = None
    kind: RequestType | None = None
    record: LoadedRecord | None = None
    ref: CaseRef | None = None
    request: AnyRequest | None = None
    outcome: Outcome | None = None
    code: str = ""
    text: str = ""
    malformed: bool = False
    commands: tuple[AnyCommand, ...] = ()
    decisions: list[Decision] = field(default_factory=list)

    @property
    def words(self) -> str:
        return str(self.kind.declared.words) if self.kind is not None else ""

    def settle(self, outcome: Outcome, code: str = "", text: str = "") -> None:
        self.outcome, self.code, self.text = outcome, code, text

    def reject(self, code: str, text: Any = "") -> None:
        self.settle("rejected", code, rejection(code, text, words=self.words).shown)

    def result(self) -> ActResult:
        if self.outcome is None:
            raise PlanInconsistent(f"act {self.proposed.id} was not decided")
        return ActResult(self.proposed.id, self.outcome, self.proposed.operation, self.code, self.text, self.ref)


# --- what is asked, of which record, with which values -----------------------------------------------------------------------------


def _understand(act: _Act, situation: Situation) -> None:
    key = act.proposed.operation
    for workflow in situation.workflows:
        kind = workflow.proposable(key)
        if kind is not None:
            act.workflow, act.kind = workflow, kind
            break
    if act.workflow is None or act.kind is None:
        _refuse_unknown(act, situation)
        return
    target_code = _find_target(act, act.workflow, act.kind, situation)
    try:
        act.request = cast(AnyRequest, arguments.read(cast(Any, act.kind), act.proposed.arguments, situation.message))
    except arguments.ArgumentsRefused as refused:
        # Its record may be settled all the same: then the other acts on it cannot be trusted to mean what they seem to.
        act.malformed = True
        act.reject(refused.code)
    except Rejected as refused:
        act.reject(refused.code, refused.text)
    if act.outcome is None and target_code is not None:
        act.reject(target_code)


def _refuse_unknown(act: _Act, situation: Situation) -> None:
    for workflow in situation.workflows:
        card_only = workflow.command_type(act.proposed.operation)
        if card_only is not None:
            act.workflow, act.kind = workflow, card_only
            act.reject("turnframe.operation.not_proposable")
            return
    act.reject("turnframe.operation.unknown")


def _find_target(act: _Act, workflow: AnyWorkflow, kind: RequestType, situation: Situation) -> str | None:
    if kind.declared.opens and act.proposed.record is None:
        if kind not in situation.starts[workflow.name]:
            return "turnframe.operation.unknown"
        case = ids.new_case_id(situation.turn_id, workflow.name, act.proposed.id)
        act.ref = CaseRef(Engine.FLOW.value, workflow.name, str(case), 0)
        return None
    found = resolve(act.proposed.record, kind, workflow, situation.records)
    if found.record is not None:
        act.record, act.ref = found.record, found.record.ref
    return found.code


def _hold(acts: Sequence[_Act]) -> None:
    unclear = {act.ref.text() for act in acts if act.malformed and act.ref is not None}
    for act in acts:
        if act.outcome is None and act.ref is not None and act.ref.text() in unclear:
            code = "turnframe.notice.partial_result"
            act.settle("held", code, notice(code, words=act.words).shown)


# --- what it means, and whether it may run -----------------------------------------------------------------------------------------


def _compile(act: _Act, acts: Sequence[_Act], situation: Situation) -> None:
    if act.outcome is not None or act.request is None or act.workflow is None or act.ref is None:
        return
    state = act.record.state if act.record is not None else None
    # A state read before the turn cannot say whether a second change of the same kind is needed.
    pending = {type(command) for other in acts if other.ref == act.ref for command in other.commands}
    try:
        commands = recompile(act.request, state, unasked=pending)
    except Rejected as refused:
        act.reject(refused.code, refused.text)
        return
    _check_commands(act, act.workflow, commands)
    if not commands:
        code = "turnframe.notice.no_change"
        act.settle("no_change", code, notice(code, words=act.words).shown)
        return
    origin = Origin(OriginKind.DIRECT_SAFE_USER_ACT)
    decisions = [decide(command, state, situation.actor, origin) for command in commands]
    _apply_decisions(act, acts, commands, decisions)


def _check_commands(act: _Act, workflow: AnyWorkflow, commands: Sequence[AnyCommand]) -> None:
    opening = bool(act.kind is not None and act.kind.declared.opens)
    for position, command in enumerate(commands):
        if type(command) not in workflow.known:
            raise PlanInconsistent(
                f"{act.proposed.operation} compiled to {type(command).__qualname__}, which {workflow.name} does not list"
            )
        if command.declared.opens != (opening and position == 0):
            raise PlanInconsistent(f"{act.proposed.operation}: the first command of an opening operation opens the record, and no other")


def _apply_decisions(act: _Act, acts: Sequence[_Act], commands: tuple[AnyCommand, ...], decisions: list[Decision]) -> None:
    refused = [decision for decision in decisions if not decision.allowed]
    final = [decision for decision in refused if decision.code != "turnframe.policy.confirmation_required"]
    if final:
        act.reject(final[0].code)
        return
    if refused:
        required = {decision.requires for decision in refused}
        # A review card with nothing to compare is a plain confirmation.
        if any(kind not in CREATABLE and kind != "review_changes" for kind in required):
            act.reject("turnframe.interaction.unsupported_kind")
            return
        if any(other.outcome == "awaiting_confirmation" and other.ref == act.ref for other in acts):
            code = "turnframe.interaction.one_at_a_time"
            act.settle("held", code, rejection(code, words=act.words).shown)
            return
    act.commands, act.decisions = commands, decisions
    act.settle("awaiting_confirmation" if refused else "ready")


# --- the plan ----------------------------------------------------------------------------------------------------------------------


def _assembled(acts: Sequence[_Act], proposal: Proposal, situation: Situation) -> Plan:
    batches: dict[str, Batch] = {}
    awaiting: list[AwaitingAct] = []
    for act in acts:
        if act.ref is None or act.workflow is None or act.request is None:
            continue
        if act.outcome == "awaiting_confirmation":
            awaiting.append(AwaitingAct(act.proposed.id, act.ref, act.workflow, act.request, act.commands))
        elif act.outcome == "ready":
            planned = tuple(
                PlannedCommand(ids.command_id(situation.turn_id, act.proposed.id, position), act.proposed.id, position, command, decision)
                for position, (command, decision) in enumerate(zip(act.commands, act.decisions, strict=True))
            )
            known = batches.get(act.ref.text())
            before = known.commands if known is not None else ()
            batches[act.ref.text()] = Batch(act.ref, act.workflow, act.record is None, (*before, *planned))
    told = [Notice(act.code, _severity(act), act.text) for act in acts if act.outcome in ("rejected", "held", "no_change")]
    return Plan(
        results=tuple(act.result() for act in acts),
        batches=tuple(batches.values()),
        awaiting=tuple(awaiting),
        notices=merged(told),
        not_understood=_not_understood(proposal, situation.message),
    )


def _refused_whole(acts: Sequence[_Act], proposal: Proposal, situation: Situation) -> Plan:
    for act in acts:
        act.reject("turnframe.plan.too_many_commands")
    return _assembled(acts, proposal, situation)


def _severity(act: _Act) -> Any:
    return "info" if act.outcome == "no_change" else "warning"


def _not_understood(proposal: Proposal, message: str) -> tuple[NotUnderstoodPart, ...]:
    # A model may not put words into a user's mouth: what does not stand in the message is told without words.
    return tuple((unit.words[:LONGEST_ECHO] if _is_said(unit.words, message) else "", unit.reason) for unit in proposal.not_understood)


def _is_said(words: str, message: str) -> bool:
    return bool(words.strip()) and codec.is_clean_text(words) and words in message
