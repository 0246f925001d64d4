"""One transaction's effects: commands run, events appended, cards settled and raised, and what the reply will rest on.

Text turns, clicks and news from outside all commit through ``Effects``, so a command, a receipt and a card mean the same whatever began
the turn. The caller has locked the conversation; cases are locked here, in the order of their paths, and their cards after them.
"""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from turnframe_django import codec, flow, ids
from turnframe_django.context import Actor
from turnframe_django.flow.commands import Command as FlowCommand
from turnframe_django.flow.events import receipt_of
from turnframe_django.flow.notices import Notice, notice, rejection
from turnframe_django.flow.policy import Decision, Origin
from turnframe_django.flow.reduction import AwaitingAct, confirmation_card, recompile
from turnframe_django.flow.reply import Draft
from turnframe_django.flow.view import View
from turnframe_django.models import ConversationCase, DomainEvent, Interaction, OutboxEntry
from turnframe_django.protocol.states import ANSWERED_INTERACTION, CommandStatus, InteractionStatus
from turnframe_django.runtime import cards, journal
from turnframe_django.runtime.cases import HeldCase
from turnframe_django.runtime.journal import Runnable
from turnframe_django.runtime.transactions import savepoint
from turnframe_django.runtime.writing import TurnRows


class AuthorError(Exception):
    """A workflow broke its own contract; the turn is rolled back and fails as ``internal``."""


class Effects:
    """What one turn does to records, and what it may therefore say."""

    def __init__(self, work: TurnRows, actor: Actor) -> None:
        self.work = work
        self.actor = actor
        self.cases: dict[str, HeldCase] = {}
        self.receipts: list[Draft] = []
        self.notices: list[Notice] = []
        self.raised: list[Draft] = []
        self.withdrawn: list[codec.Json] = []
        self.refused = False
        self.stopped = False
        self.failure_code = ""
        self.outcomes: list[codec.Json] = []

    # --- cases ---------------------------------------------------------------------------------------------------------------------

    def hold(self, held: Iterable[HeldCase]) -> None:
        """Take over locked cases and lock the cards that matter to them: open ones, and answers given at the present revision."""
        fresh = sorted((case for case in held if case.path not in self.cases), key=lambda case: case.path)
        for case in fresh:
            self.cases[case.path] = case
        for card in cards.lock(self.work.conversation.account, [case.ref for case in fresh]):
            self.cases[f"{card.engine}/{card.case_name}/{card.case_id}"].cards.append(card)

    # --- commands ------------------------------------------------------------------------------------------------------------------

    def planned(
        self,
        case: HeldCase,
        command: FlowCommand[Any, Any],
        decision: Decision,
        origin: Origin,
        *,
        command_id: UUID,
        key: str | None = None,
    ) -> Runnable:
        """Write a journal entry for a command decided in this turn; it is inserted with the rest. ``key`` overrides the derived one."""
        row = journal.entry(self.work, case, command, decision, command_id=command_id, origin=origin.kind, key=key)
        self.work.add(row)
        return Runnable(row, command, origin, decision)

    def run(self, case: HeldCase, batch: Sequence[Runnable], *, keep_on_failure: bool = False) -> bool:
        """Run one case's batch in a savepoint, all or nothing, and move the record's revision by one.

        Returns whether it committed. ``keep_on_failure`` leaves waiting commands waiting. A domain refusal rolls the batch
        back, journals it and becomes a notice; later batches are not run.
        Any other exception leaves to the caller, whose transaction it ends. Raises ``AuthorError``.
        """
        produced: list[tuple[Runnable, flow.Event]] = []
        revision = case.ref.revision + 1
        try:
            with savepoint():
                for runnable in batch:
                    events = _events(runnable, case)
                    produced.extend((runnable, event) for event in events)
                outgoing = [(r, flow.dump(r.command.outgoing(case.record))) for r in batch if r.command.declared.destination]
                case.workflow.set_revision(case.record, revision)
                assert case.record is not None
                case.record.save(force_insert=case.opened)
        except flow.Rejected as rejected:
            self.refuse_batch(case, batch, rejected, keep=keep_on_failure)
            return False
        case.ref = case.ref.at(revision)
        case.moved = True
        if case.opened:
            self._opened(case)
        self._append(case, produced)
        for runnable in batch:
            self._settle(runnable, CommandStatus.COMMITTED, {"revision": revision})
            self.work.command_names[runnable.row.pk] = runnable.row.name
        for runnable, payload in outgoing:
            self._enqueue(runnable, payload)
        return True

    def skip(self, runnable: Runnable, *, keep: bool = False) -> None:
        """Say that policy no longer admits a waiting command, and drop it; ``keep`` leaves it waiting, for a card that is restored."""
        decision = runnable.decision
        if keep:
            self.outcomes.append(_kept(runnable, decision.code))
        else:
            self._settle(runnable, CommandStatus.DROPPED, {"code": decision.code})
        self.refuse(decision.code, words=runnable.command.declared.words)

    def refuse(self, code: str, text: flow.Text = "", *, words: flow.Text = "") -> None:
        """Say that something asked for was not done, and why: the domain's own ``text``, else the sentence of the code."""
        self.refused = True
        self.notices.append(rejection(code, text, words=words))

    def refuse_batch(self, case: HeldCase, batch: Sequence[Runnable], rejected: flow.Rejected, *, keep: bool = False) -> None:
        """Journal a batch that the domain refused and say so. ``keep`` leaves waiting commands waiting, for a card that is restored."""
        self.stopped = True
        self.failure_code = rejected.code
        for runnable in batch:
            if keep and runnable.waiting:
                self.outcomes.append(_kept(runnable, rejected.code))
            else:
                self._settle(runnable, CommandStatus.FAILED, {"code": rejected.code})
        if str(rejected.text):
            self.refuse(rejected.code, rejected.text)
        else:
            self.refused = True
            self.notices.append(notice("turnframe.notice.command_failed"))
        if not case.opened and case.record is not None:
            # What the author changed in memory before refusing must not be projected.
            case.record.refresh_from_db()

    def _settle(self, runnable: Runnable, status: CommandStatus, outcome: dict[str, codec.Json]) -> None:
        self.outcomes.append(journal.settle(self.work, runnable, status, outcome))

    def _opened(self, case: HeldCase) -> None:
        self.work.add(
            ConversationCase(
                conversation_id=self.work.conversation.pk,
                engine=case.ref.engine,
                name=case.ref.name,
                case_id=case.ref.case_id,
                created_at=self.work.now,
            )
        )

    def _append(self, case: HeldCase, produced: Sequence[tuple[Runnable, flow.Event]]) -> None:
        counted: dict[UUID, int] = {}
        for runnable, event in produced:
            position = counted.get(runnable.row.pk, 0)
            counted[runnable.row.pk] = position + 1
            row = self.work.add(
                DomainEvent(
                    id=ids.event_id(runnable.row.pk, position),
                    account=self.work.conversation.account,
                    position=0,
                    turn_id=self.work.turn.pk,
                    command_id=runnable.row.pk,
                    engine=case.ref.engine,
                    case_name=case.ref.name,
                    case_id=case.ref.case_id,
                    revision=case.ref.revision,
                    type=event.declared.code,
                    payload=codec.encode(flow.dump(event), floats=False),
                    at=self.work.now,
                )
            )
            receipt = receipt_of(event)
            if receipt is not None:
                receipt_id = str(ids.receipt_id(receipt.status_code, [row.pk]))
                body: dict[str, codec.Json] = {
                    "body": receipt.body,
                    "event_ids": [str(row.pk)],
                    "receipt_id": receipt_id,
                    "severity": receipt.severity,
                    "status_code": receipt.status_code,
                    "title": receipt.title,
                }
                self.receipts.append(Draft("receipt", f"receipt:{receipt_id}", {"receipt": body}, event_ids=(row.pk,)))

    def _enqueue(self, runnable: Runnable, payload: codec.Json) -> None:
        row = runnable.row
        self.work.add(
            OutboxEntry(
                id=ids.outbox_id(row.pk),
                account=row.account,
                turn_id=self.work.turn.pk,
                command_id=row.pk,
                destination=runnable.command.declared.destination or "",
                key=row.idempotency_key,
                payload=codec.encode(payload, floats=False),
                created_at=self.work.now,
            )
        )

    # --- cards ---------------------------------------------------------------------------------------------------------------------

    def settle(self, case: HeldCase, demanded_by: AwaitingAct | None = None) -> None:
        """Bring a case's cards in line with the record as it is now: end those it left behind, raise what it demands.

        ``demanded_by`` is an act of this turn that waits for a click; its card takes the slot before the view's. Raises ``ViewBroken``.
        """
        view = case.project()
        for card in [card for card in case.cards if card.status == InteractionStatus.ACTIVE and cards.is_due(card, self.work.now)]:
            cards.expire(self.work, card)
        ended = {card.pk: (card, "revision_changed") for card in case.cards if self._is_stale(case, card)}
        wanted = [asked] if (asked := self._asked(case, view, demanded_by)) is not None else []
        taken = any(card.blocking for card in wanted) or self._is_standing(case)
        if view.card is not None and not taken and not self._is_answered(case, view.card.key):
            wanted.append(view.card)
        if any(card.blocking for card in wanted):
            for card in case.cards:
                if card.status == InteractionStatus.ACTIVE and card.blocking:
                    ended.setdefault(card.pk, (card, "superseded"))
        for card, reason in ended.values():
            cards.invalidate(self.work, card, reason)
        raised = [draft for card in wanted if (draft := self._raise(case, card)) is not None]
        self._withdraw(ended.values(), raised[0].interaction_id if raised else None)

    def _withdraw(self, ended: Iterable[tuple[Interaction, str]], replacement: UUID | None) -> None:
        """Take back what this turn was going to show, and tell of what an earlier one did show."""
        for card, reason in ended:
            shown = [draft for draft in self.raised if draft.interaction_id != card.pk]
            if len(shown) == len(self.raised):
                self.withdrawn.append(
                    {
                        "interaction_id": str(card.pk),
                        "reason": reason,
                        "replaced_by": str(replacement) if replacement is not None else None,
                    }
                )
            self.raised = shown

    def _asked(self, case: HeldCase, view: View, awaiting: AwaitingAct | None) -> flow.Card | None:
        """Return the card an act waits for, compiled again against the record as it is now.

        None where the record no longer has it on offer, or the domain refuses it.
        """
        if awaiting is None:
            return None
        kind, words = type(awaiting.proposable), awaiting.proposable.declared.words
        if kind in case.workflow.operations and not awaiting.opens and kind not in case.workflow.on_offer(view):
            self.refuse("turnframe.operation.unknown", words=words)
            return None
        try:
            commands = recompile(awaiting.proposable, case.state)
        except flow.Rejected as rejected:
            self.refuse(rejected.code, rejected.text)
            return None
        if not commands:
            self.notices.append(notice("turnframe.notice.no_change", words=words))
            return None
        label = case.workflow.label(case.record) if case.record is not None and case.state is not None else ""
        return confirmation_card(awaiting.proposable, commands, case.state, label=label)

    def _is_stale(self, case: HeldCase, card: Interaction) -> bool:
        return card.status == InteractionStatus.ACTIVE and card.binds_to_revision and card.bound_revision < case.ref.revision

    def _is_standing(self, case: HeldCase) -> bool:
        return any(card.is_open and card.blocking and not self._is_stale(case, card) for card in case.cards)

    def _is_answered(self, case: HeldCase, key: str) -> bool:
        return any(
            card.key == key and card.bound_revision == case.ref.revision and card.status in ANSWERED_INTERACTION for card in case.cards
        )

    def _raise(self, case: HeldCase, card: flow.Card) -> Draft | None:
        draft = cards.raise_card(self.work, case, card, self.actor)
        if draft is None:
            self.notices.append(notice("turnframe.notice.interaction_unavailable"))
        else:
            self.raised.append(draft)
        return draft


def _kept(runnable: Runnable, code: str) -> codec.Json:
    return {"command_id": str(runnable.row.pk), "outcome": {"code": code}, "status": "restored"}


def _events(runnable: Runnable, case: HeldCase) -> list[flow.Event]:
    """Execute the command and return what it says happened: at least one event, each of them listed in the workflow."""
    result: Any = runnable.command.execute(case.record)
    events = [result] if isinstance(result, flow.Event) else list(result or ())
    if not events:
        raise AuthorError(f"{runnable.row.name} returned no event")
    for event in events:
        if type(event) not in case.workflow.events:
            raise AuthorError(f"{runnable.row.name} returned {type(event).__qualname__}, which its workflow does not list")
    return events
