"""The reply: from committed events, refusals, cards and what is still needed, in code's own words.

Receipts come from events that this transaction appended, cards from rows that it stored, so a block never speaks of what is not there.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from turnframe_django import codec
from turnframe_django.flow.claims import check
from turnframe_django.flow.notices import Notice, NotUnderstoodPart, notice
from turnframe_django.flow.reply import Draft, ReplyMaterial, ask_of, compose, steps_of
from turnframe_django.flow.workflow import Workflow
from turnframe_django.models import Interaction
from turnframe_django.runtime.cards import can_be_answered
from turnframe_django.runtime.cases import HeldCase
from turnframe_django.runtime.effects import Effects


class ClaimUnbacked(Exception):
    """A reply claims what nothing committed backs; the turn is rolled back."""

    def __init__(self, codes: Sequence[str]) -> None:
        super().__init__(", ".join(codes))
        self.codes = tuple(codes)


def reply(
    effects: Effects,
    *,
    subjects: Sequence[HeldCase],
    notices: Iterable[Notice] = (),
    not_understood: Sequence[NotUnderstoodPart] = (),
    startable: Sequence[str] = (),
    ask: str | None = None,
    open_cards: Sequence[Interaction] = (),
    with_words: bool,
) -> tuple[Draft, ...]:
    """Compose the blocks of a reply in their order and hold them to the structural claim guard.

    ``subjects`` are the cases the turn is about, the one to speak of first; ``startable`` says what may be opened, in a user's words.
    ``ask`` is a question that goes before what a record still needs; ``open_cards`` are cards of records that this turn did not hold.
    ``with_words`` asks for code's own sentence; a click and news from outside go without one when their blocks say enough.
    Raises ``ClaimUnbacked``.
    """
    touched = [case for case in subjects if case.moved]
    held = [
        card for case in subjects for card in case.cards if card.blocking and can_be_answered(card, case.ref.revision, effects.work.now)
    ]
    waiting = [] if effects.raised else [*held, *open_cards]
    has_card = bool(effects.raised or waiting)
    first = next((case for case in (*touched, *subjects) if case.view is not None and case.view.obligations), None)
    if ask is None and first is not None and first.view is not None and not has_card:
        ask = ask_of(first.view)
    material = ReplyMaterial(
        receipts=tuple(effects.receipts),
        artifacts=tuple(_artifacts(touched)),
        notices=(*notices, *effects.notices, *_withdrawn(effects), *_view_notices(touched)),
        cards=tuple(effects.raised),
        not_understood=tuple(not_understood),
        refused=effects.refused,
        ask=ask,
        waiting=_title_of(waiting[0]) if waiting and ask is None else None,
        next_steps=() if has_card else tuple(_next_steps(subjects, startable)),
        text_turn=with_words,
    )
    drafts = compose(material)
    raised: set[UUID] = {draft.interaction_id for draft in effects.raised if draft.interaction_id is not None}
    violations = check(drafts, raised)
    if violations:
        raise ClaimUnbacked([violation.code for violation in violations])
    return drafts


def _title_of(card: Interaction) -> str | None:
    shown = {} if card.is_redacted else codec.decode(card.payload)
    return str(shown["title"]) if isinstance(shown, dict) and "title" in shown else None


def startable(workflows: Iterable[Workflow[Any, Any]]) -> list[str]:
    """Return what may be opened, in a user's words."""
    return [step for workflow in workflows for step in steps_of(workflow, None)]


def _next_steps(subjects: Sequence[HeldCase], startable: Sequence[str]) -> list[str]:
    # Of a record that was not opened after all, only its opening can be asked for.
    views = [(case, case.view if case.state is not None else None) for case in subjects if case.view is not None]
    words = [step for case, view in views for step in steps_of(case.workflow, view, case.state)]
    return list(dict.fromkeys(words or startable))


def _artifacts(touched: Sequence[HeldCase]) -> Iterable[Draft]:
    for case in touched:
        for artifact in case.workflow.artifacts(case.record) if case.record is not None else ():
            body: codec.Json = {
                "artifact_id": artifact.id,
                "label": str(artifact.label),
                "media_type": artifact.media_type,
                "url": artifact.url,
            }
            key = f"artifact:{case.ref.name}:{case.ref.case_id}:{case.ref.revision}:{artifact.id}"
            yield Draft("artifact", key, {"artifact": body})


def _withdrawn(effects: Effects) -> Iterable[Notice]:
    if effects.withdrawn:
        yield replace(notice("turnframe.notice.interaction_replaced"), details={"ended": list(effects.withdrawn)})


def _view_notices(touched: Sequence[HeldCase]) -> Iterable[Notice]:
    for case in touched:
        if case.view is not None:
            yield from case.view.notices
