"""The commit of a turn with words: the click beside them, the plan's batches and the reply, in one transaction, all or nothing.

Records are locked in the order of their paths before anything runs. Where a click changed a record, the words are decided again against
what it is now; nothing else of the plan can have changed.
"""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from django.utils.translation import gettext as _

from turnframe_django import codec, flow, ids
from turnframe_django.flow.notices import Notice, notice
from turnframe_django.flow.plan import ActResult
from turnframe_django.flow.policy import Origin, decide
from turnframe_django.flow.reduction import Plan, Situation, reduce
from turnframe_django.flow.reply import which_one
from turnframe_django.flow.targets import CaseRef
from turnframe_django.flow.text import fill
from turnframe_django.models import ConversationCase, Interaction
from turnframe_django.protocol.states import Engine, InteractionStatus, OriginKind
from turnframe_django.protocol.turns import InteractionResponse
from turnframe_django.runtime import actions, cards, cases, rows
from turnframe_django.runtime.cases import HeldCase
from turnframe_django.runtime.compose import reply, startable
from turnframe_django.runtime.deliver import Account, deliver
from turnframe_django.runtime.effects import Effects
from turnframe_django.runtime.intake import TurnAnswer, speaking
from turnframe_django.runtime.lease import Accepted, fenced
from turnframe_django.runtime.transactions import work

#: Most records that one question names.
MOST_LABELS = 8


def commit(accepted: Accepted, situation: Situation, proposal: flow.Proposal, plan: Plan) -> TurnAnswer:
    """Run the plan and store the reply, all or nothing. Raises ``LeaseLost`` and whatever author code raises."""
    with work():
        gathered = fenced(accepted)
        gathered.announce("turn.phase", codec.encode({"phase": "committed"}))
        effects = Effects(gathered, accepted.actor)
        notices: list[Notice] = []
        with speaking(gathered.turn):
            click = accepted.turn_input.interaction_response
            if accepted.answered:
                notices.append(notice("turnframe.notice.already_answered"))
                click = None
            card = rows.select(Interaction, "id = %s", [UUID(click.interaction_id)])[0] if click is not None else None
            _lock_cases(effects, situation, plan, card)
            if click is not None and card is not None:
                _finish_click(effects, effects.cases[_path(card)], card, click)
                situation = _after_click(situation, effects)
                plan = reduce(proposal, situation)
            _run(effects, plan)
            _join(effects, accepted)
            subjects = sorted(effects.cases.values(), key=lambda case: not case.moved)
            drafts = reply(
                effects,
                subjects=subjects or _loaded(situation),
                notices=(*notices, *plan.notices),
                not_understood=plan.not_understood,
                startable=startable(situation.workflows),
                ask=_which_one(situation, plan),
                open_cards=cards.waiting(
                    situation.account,
                    [record.ref for record in situation.records if record.ref.text() not in effects.cases],
                    gathered.now,
                ),
                with_words=True,
            )
        account = Account(plan.digest, [_result(result) for result in plan.results], _material(situation, proposal))
        body = deliver(gathered, effects, drafts, account, new_turn=False)
        return TurnAnswer(201, body, gathered.turn.pk)


def _path(card: Interaction) -> str:
    return CaseRef(card.engine, card.case_name, card.case_id, card.bound_revision).text()


def _finish_click(effects: Effects, case: HeldCase, card: Interaction, response: InteractionResponse) -> None:
    held = next(held for held in case.cards if held.pk == card.pk)
    if held.binds_to_revision and held.bound_revision != case.ref.revision:
        cards.drop_commands(effects.work, [held], "revision_changed")
        cards.answer(effects.work, held, InteractionStatus.FAILED, held.resolved_option_id, "revision_changed", failure="revision_conflict")
        effects.notices.append(notice("turnframe.notice.revision_conflict"))
        effects.settle(case)
        return
    option, text = cards.chosen(cards.options_of(held), response)
    actions.perform(effects, case, held, option, text)


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


def _lock_cases(effects: Effects, situation: Situation, plan: Plan, card: Interaction | None) -> None:
    """Lock, in the order of their paths, the clicked card's record, those the plan writes to, and those whose view demands a card."""
    wanted: dict[str, tuple[cases.AnyWorkflow, CaseRef, bool]] = {}
    for batch in plan.batches:
        wanted[batch.ref.text()] = (batch.workflow, batch.ref, batch.opens)
    for awaiting in plan.awaiting:
        wanted.setdefault(awaiting.ref.text(), (awaiting.workflow, awaiting.ref, awaiting.opens))
    for record in situation.records:
        if record.view.card is not None:
            wanted.setdefault(record.ref.text(), (record.workflow, record.ref, False))
    clicked = _path(card) if card is not None else ""
    account = effects.work.conversation.account
    held = []
    for path in sorted({*wanted, clicked} - {""}):
        if card is not None and path == clicked:
            held.append(cases.hold_named(effects.actor, account, card.engine, card.case_name, card.case_id, opens_at=card.bound_revision))
            continue
        workflow, ref, opens = wanted[path]
        if opens:
            held.append(cases.blank(workflow, account, ref))
            continue
        record_now = cases.lock(workflow, effects.actor, ref.case_id)
        if record_now is not None:
            held.append(HeldCase(workflow, record_now, CaseRef(ref.engine, ref.name, ref.case_id, workflow.revision_of(record_now))))
    effects.hold(held)
    for case in held:
        case.project()


def _run(effects: Effects, plan: Plan) -> None:
    origin = Origin(OriginKind.DIRECT_SAFE_USER_ACT)
    for batch in plan.batches:
        case = effects.cases.get(batch.ref.text())
        if effects.stopped:
            words = ", ".join(str(planned.command.declared.words) for planned in batch.commands)
            text = fill(_("Left undone, because another part of the request was refused: {words}."), {"words": words})
            effects.notices.append(notice("turnframe.notice.partial_result", text))
            continue
        if case is None or case.ref.revision != batch.ref.revision:
            _conflict(effects)
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
    # Everything is locked by now, so cards may come in the order in which they were asked for.
    asked = [result.case.text() for result in plan.results if result.case is not None]
    for path in dict.fromkeys([*(path for path in asked if path in effects.cases), *sorted(effects.cases)]):
        case = effects.cases[path]
        if not case.opened or case.moved or path in waiting:
            effects.settle(case, waiting.get(path))
    if not waiting.keys() <= effects.cases.keys():
        _conflict(effects)


def _conflict(effects: Effects) -> None:
    effects.refused = True
    effects.notices.append(notice("turnframe.notice.revision_conflict"))


def _join(effects: Effects, accepted: Accepted) -> None:
    """Count the record that the page named among the conversation's own once this turn touched it."""
    origin = accepted.turn_input.origin
    if origin is None or f"{Engine.FLOW}/{origin.name}/{origin.case_id}" not in effects.cases:
        return
    named = {"engine": Engine.FLOW.value, "name": origin.name, "case_id": origin.case_id}
    if not ConversationCase.objects.using(rows.database()).filter(conversation=effects.work.conversation, **named).exists():
        effects.work.add(
            ConversationCase(id=ids.new_id(), conversation_id=effects.work.conversation.pk, created_at=effects.work.now, **named)
        )


def _which_one(situation: Situation, plan: Plan) -> str | None:
    """Return the question which record is meant, where several fit what was asked."""
    for result in plan.results:
        if result.code == "turnframe.target.unresolved":
            # As reduction read it: the first workflow that has the operation.
            named = ((workflow.name, workflow.proposable(result.operation)) for workflow in situation.workflows)
            name, kind = next((name, kind) for name, kind in named if kind is not None)
            fitting = [record for record in situation.records if record.workflow.name == name and record.offers(kind)]
            return which_one([record.label for record in fitting[:MOST_LABELS]])
    return None


def _loaded(situation: Situation) -> list[HeldCase]:
    return [HeldCase(record.workflow, None, record.ref, record.state, record.view) for record in situation.records]


def _result(result: ActResult) -> codec.Json:
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
