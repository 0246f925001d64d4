"""A turn with words: accepted, read, decided as a whole, and committed with its reply.

Three transactions at most: acceptance, progress after the last call to a model, and the commit with its delivery. Nothing is held in
between. Every stage after acceptance checks the fencing token under the conversation's lock, so a turn that lost its lease writes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from turnframe_django import codec, flow, ids, registry
from turnframe_django.conf import LEASE_GRACE, settings
from turnframe_django.context import Actor
from turnframe_django.flow.notices import Notice, notice
from turnframe_django.flow.policy import Origin, decide
from turnframe_django.flow.reduction import Plan, Situation, reduce
from turnframe_django.flow.targets import CaseRef
from turnframe_django.models import Conversation, ConversationCase, Interaction, ModelCall, Turn
from turnframe_django.protocol.states import InteractionStatus, OriginKind, TurnPhase, TurnSource
from turnframe_django.protocol.turns import TurnInput
from turnframe_django.runtime import actions, cards, cases, rows
from turnframe_django.runtime.cases import HeldCase
from turnframe_django.runtime.click import answered_meanwhile_is_busy, hold_card, open_card
from turnframe_django.runtime.compose import reply, startable
from turnframe_django.runtime.deliver import Account, deliver
from turnframe_django.runtime.effects import Effects
from turnframe_django.runtime.intake import (
    TurnAnswer,
    answer_again,
    check_free,
    earlier_turn,
    lock_conversation,
    new_turn,
    speaking,
)
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
        abandoned = conversation.lease_turn
        conversation.lease_token += 1
        turn = new_turn(
            conversation,
            now,
            actor=actor.user,
            source=TurnSource.USER,
            client_turn_id=turn_input.client_turn_id,
            request_digest=turn_input.digest,
            input_text=codec.encode(turn_input.stored_input()),
            locale=turn_input.locale,
        )
        conversation.lease_turn, conversation.lease_until = turn.pk, now + settings.TURN_BUDGET + LEASE_GRACE
        gathered = TurnRows(conversation, turn, now, actor.user)
        if abandoned is not None:
            _give_up(gathered, abandoned)
        gathered.announce("turn.received")
        gathered.add(turn)
        accepted = Accepted(actor, conversation.pk, turn.pk, conversation.lease_token, turn_input, turn.locale)
        with speaking(turn):
            accepted.answered = _hold_click(gathered, actor, turn_input, now)
        rows.update(conversation, "last_ordinal", "lease_token", "lease_turn", "lease_until", "last_activity_at")
        gathered.flush()
        return accepted


def load(accepted: Accepted) -> Situation:
    """Read the records the conversation is about, projected, and the one the page names. Raises ``Problem`` and ``ViewBroken``."""
    conversation = Conversation.objects.using(rows.database()).get(pk=accepted.conversation_id)
    origin = accepted.turn_input.origin
    also = [(origin.name, origin.case_id)] if origin is not None else []
    records = cases.load(conversation, accepted.actor, accepted.turn_id, also)
    return Situation(
        turn_id=accepted.turn_id,
        account=conversation.account,
        actor=accepted.actor,
        locale=accepted.locale,
        message=accepted.turn_input.text or "",
        records=tuple(records),
        workflows=tuple(registry.workflows().values()),
        max_commands=settings.MAX_COMMANDS,
        today=timezone.localdate(),
    )


def progress(accepted: Accepted) -> None:
    """Store that the whole turn is decided, and what the models were asked for it. Raises ``LeaseLost``."""
    with work():
        gathered = _fenced(accepted)
        gathered.turn.reduce()
        rows.update(gathered.turn, "phase")
        for phase in ("interpreted", "reduced"):
            gathered.announce("turn.phase", codec.encode({"phase": phase}))
        for call in accepted.calls:
            gathered.add(call)
        gathered.flush()


def commit(accepted: Accepted, situation: Situation, proposal: flow.Proposal, plan: Plan) -> TurnAnswer:
    """Run the plan and store the reply, all or nothing. Raises ``LeaseLost`` and whatever author code raises."""
    with work():
        gathered = _fenced(accepted)
        gathered.announce("turn.phase", codec.encode({"phase": "committed"}))
        effects = Effects(gathered, accepted.actor)
        notices: list[Notice] = []
        with speaking(gathered.turn):
            click = accepted.turn_input.interaction_response
            if click is not None and accepted.answered:
                notices.append(notice("turnframe.notice.already_answered"))
            elif click is not None:
                _finish_click(effects, click.interaction_id, click.freeform_input)
                situation = _after_click(situation, effects)
                plan = reduce(proposal, situation)
            _lock_cases(effects, accepted, situation, plan)
            _run(effects, situation, plan)
            _join(gathered, situation, effects)
            subjects = sorted(effects.cases.values(), key=lambda case: not case.moved)
            drafts = reply(
                effects,
                subjects=subjects or _loaded(situation),
                notices=(*notices, *plan.notices),
                not_understood=plan.not_understood,
                startable=startable(situation.workflows),
                with_words=True,
            )
        account = Account(plan.digest, [_result(result) for result in plan.results], _material(situation, proposal))
        body = deliver(gathered, effects, drafts, account, new_turn=False)
        return TurnAnswer(201, body, gathered.turn.pk)


def fail(accepted: Accepted, code: str, reference: str) -> None:
    """Store that the turn failed, give its card back and release the lease. A turn that lost its lease is left alone."""
    with work():
        try:
            gathered = _fenced(accepted)
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


def check_outcome(actor: Actor, conversation_id: UUID, turn_input: TurnInput) -> TurnAnswer | None:
    """Look again for the outcome of a turn somebody else runs, without a lock; None when there is no such turn any more.

    Raises ``StillRunning`` while it runs, and ``Problem``.
    """
    owned = Conversation.objects.using(rows.database()).for_actor(actor).filter(pk=conversation_id).exists()
    turn = earlier_turn(conversation_id, turn_input.client_turn_id) if owned and turn_input.client_turn_id else None
    return answer_again(turn, turn_input) if turn is not None else None


# --- the parts of acceptance and of the commit -----------------------------------------------------------------------------------------


def _fenced(accepted: Accepted) -> TurnRows:
    conversation, now = lock_conversation(accepted.actor, accepted.conversation_id)
    found = rows.select(Turn, "id = %s", [accepted.turn_id])
    if conversation.lease_token != accepted.token or not found or found[0].phase in (TurnPhase.DELIVERED, TurnPhase.FAILED):
        raise LeaseLost
    return TurnRows(conversation, found[0], now, accepted.actor.user)


def _give_up(gathered: TurnRows, turn_id: UUID) -> None:
    """Fail the turn whose lease ran out, so that it does not stand unfinished for ever."""
    for turn in rows.select(Turn, "id = %s AND phase IN ('received', 'reduced')", [turn_id]):
        _fail(gathered, turn, "temporarily_unavailable", "")


def _fail(gathered: TurnRows, turn: Turn, code: str, reference: str) -> None:
    turn.fail()
    turn.error_code, turn.error_reference = code, reference
    rows.update(turn, "phase", "error_code", "error_reference")
    for card in rows.select(Interaction, "resolved_turn_id = %s AND status = 'resolving' ORDER BY id", [turn.pk], lock=True):
        cards.restore(gathered, card, "turn_failed")
    gathered.conclude("turn.failed", codec.encode({"code": code}), turn_id=turn.pk)


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


def _finish_click(effects: Effects, interaction_id: str, freeform: str | None) -> None:
    card = rows.select(Interaction, "id = %s", [UUID(interaction_id)])[0]
    case = cases.hold_named(effects.actor, card.account, card.engine, card.case_name, card.case_id, opens_at=card.bound_revision)
    effects.hold([case])
    held = next(held for held in case.cards if held.pk == card.pk)
    if held.binds_to_revision and held.bound_revision != case.ref.revision:
        cards.drop_commands(effects.work, [held], "revision_changed")
        cards.answer(effects.work, held, InteractionStatus.FAILED, held.resolved_option_id, "revision_changed", failure="revision_conflict")
        effects.notices.append(notice("turnframe.notice.revision_conflict"))
        effects.settle(case)
        return
    option = next(option for option in cards.options_of(held) if option.option_id == held.resolved_option_id)
    case.project()
    actions.perform(effects, case, held, option, freeform)


def _after_click(situation: Situation, effects: Effects) -> Situation:
    """Return the situation with the records the click changed as they are now, so that the words are decided against them."""
    changed = {case.path: case for case in effects.cases.values()}
    records = tuple(
        replace(record, ref=case.ref, state=case.state, view=case.view)
        if (case := changed.get(record.ref.text())) is not None and case.view is not None
        else record
        for record in situation.records
    )
    return replace(situation, records=records)


def _lock_cases(effects: Effects, accepted: Accepted, situation: Situation, plan: Plan) -> None:
    """Lock, in the order of their paths, the records that the plan writes to and those whose view demands a card."""
    wanted: dict[str, tuple[cases.AnyWorkflow, CaseRef, bool]] = {}
    for batch in plan.batches:
        wanted[batch.ref.text()] = (batch.workflow, batch.ref, batch.opens)
    for awaiting in plan.awaiting:
        wanted.setdefault(awaiting.ref.text(), (awaiting.workflow, awaiting.ref, awaiting.opens))
    for record in situation.records:
        if record.view.card is not None:
            wanted.setdefault(record.ref.text(), (record.workflow, record.ref, False))
    held = []
    for path in sorted(wanted):
        workflow, ref, opens = wanted[path]
        if path in effects.cases:
            continue
        if opens:
            held.append(cases.blank(workflow, effects.work.conversation.account, ref))
            continue
        record_now = cases.lock(workflow, accepted.actor, ref.case_id)
        if record_now is not None:
            held.append(HeldCase(workflow, record_now, CaseRef(ref.engine, ref.name, ref.case_id, workflow.revision_of(record_now))))
    effects.hold(held)
    for case in held:
        case.project()


def _run(effects: Effects, situation: Situation, plan: Plan) -> None:
    origin = Origin(OriginKind.DIRECT_SAFE_USER_ACT)
    for batch in plan.batches:
        case = effects.cases.get(batch.ref.text())
        if effects.stopped:
            effects.notices.append(
                notice("turnframe.notice.partial_result", words=", ".join(str(p.command.declared.words) for p in batch.commands))
            )
            break
        if case is None or case.ref.revision != batch.ref.revision:
            effects.refused = True
            effects.notices.append(notice("turnframe.notice.revision_conflict"))
            continue
        decisions = [decide(planned.command, case.state, effects.actor, origin) for planned in batch.commands]
        refused = next((decision for decision in decisions if not decision.allowed), None)
        if refused is not None:
            effects.refuse(refused.code, words=batch.commands[0].command.declared.words)
            continue
        effects.run(
            case,
            [
                effects.planned(case, planned.command, decision, origin, command_id=planned.id)
                for planned, decision in zip(batch.commands, decisions, strict=True)
            ],
        )
    waiting = {awaiting.ref.text(): awaiting for awaiting in reversed(plan.awaiting)}
    for path, case in sorted(effects.cases.items()):
        if not case.opened or case.moved or path in waiting:
            effects.settle(case, waiting.get(path))


def _join(gathered: TurnRows, situation: Situation, effects: Effects) -> None:
    """Count the record that the page named among the conversation's own once this turn touched it."""
    origin = codec.decode(gathered.turn.input).get("origin") if gathered.turn.input else None  # type: ignore[union-attr]
    if not isinstance(origin, dict):
        return
    name, case_id = str(origin["name"]), str(origin["case_id"])
    case = effects.cases.get(f"flow/{name}/{case_id}")
    if case is None:
        return
    known = ConversationCase.objects.filter(conversation=gathered.conversation, engine="flow", name=name, case_id=case_id)
    if not known.exists():
        gathered.add(
            ConversationCase(
                id=ids.new_id(),
                conversation_id=gathered.conversation.pk,
                engine="flow",
                name=name,
                case_id=case_id,
                created_at=gathered.now,
            )
        )


def _loaded(situation: Situation) -> list[HeldCase]:
    return [HeldCase(record.workflow, None, record.ref, record.state, record.view) for record in situation.records]


def _result(result: flow.reduction.ActResult) -> codec.Json:
    return {
        "act": result.act,
        "case": result.case.text() if result.case else None,
        "code": result.code,
        "operation": result.operation,
        "outcome": result.outcome,
    }


def _material(situation: Situation, proposal: flow.Proposal) -> str:
    snapshots: Sequence[codec.Json] = [
        {"case": record.ref.text(), "revision": record.ref.revision, "state": record.state.model_dump(mode="json"), "token": record.token}
        for record in situation.records
    ]
    return codec.encode({"proposal": proposal.model_dump(mode="json"), "records": list(snapshots)})
