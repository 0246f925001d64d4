"""The reply: the ordered blocks of a turn, with code's own words, always ending on a way forward.

Order is stored and never derived again: transition, receipts, artifacts, notices, cards. A block's body here is without what the runtime
adds (``kind``, ``block_id``, ``schema_version``).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from django.utils.translation import gettext as _

from turnframe_django.codec import Json
from turnframe_django.flow import notices
from turnframe_django.flow.commands import Rejected
from turnframe_django.flow.confirming import recompile
from turnframe_django.flow.data import fields_of
from turnframe_django.flow.notices import Notice, NotUnderstoodPart
from turnframe_django.flow.text import fill, visible
from turnframe_django.flow.view import View
from turnframe_django.flow.workflow import AnyWorkflow

__all__ = ["Draft", "Notice", "ReplyMaterial", "ask_of", "compose", "steps_of", "which_one"]

#: Most next steps named in one sentence.
MOST_STEPS = 8


@dataclass(frozen=True, slots=True)
class Draft:
    """A block to be stored. ``key`` names it within its turn; ``event_ids`` and ``interaction_id`` are what it rests on or cites."""

    kind: str
    key: str
    body: dict[str, Json]
    author: Literal["server", "model"] = "server"
    event_ids: tuple[UUID, ...] = ()
    interaction_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class ReplyMaterial:
    """What a turn came to. ``not_understood`` holds the user's words, empty where they are not known, each with its reason.

    ``next_steps`` are infinitives. ``waiting`` is the title of a card that an earlier turn raised and that still waits. ``text_turn`` is
    False for news from outside, which needs no closing question where its blocks say enough.
    """

    receipts: tuple[Draft, ...] = ()
    artifacts: tuple[Draft, ...] = ()
    notices: tuple[Notice, ...] = ()
    cards: tuple[Draft, ...] = ()
    not_understood: tuple[NotUnderstoodPart, ...] = ()
    refused: bool = False
    ask: str | None = None
    next_steps: tuple[str, ...] = ()
    waiting: str | None = None
    text_turn: bool = True


def compose(material: ReplyMaterial) -> tuple[Draft, ...]:
    """Return the blocks of the reply in their order, in the active language. Notices are told once per code."""
    told = list(material.notices)
    if material.not_understood:
        told.append(notices.not_understood(material.not_understood))
    text = _transition(material)
    opening = (Draft("transition", "transition:0", {"text": text}),) if text else ()
    return (
        *opening,
        *material.receipts,
        *material.artifacts,
        *(Draft("notice", f"notice:{item.code}", _notice_body(item)) for item in notices.merged(told)),
        *material.cards,
    )


def _notice_body(item: Notice) -> dict[str, Json]:
    body: dict[str, Json] = {"code": item.code, "severity": item.severity, "text": item.shown}
    return body if item.details is None else {**body, "details": item.details}


def ask_of(view: View) -> str | None:
    """Return the question of the first obligation, or None. A view with a card asks by its card."""
    if view.card is not None or not view.obligations:
        return None
    return visible(str(view.obligations[0].ask))


def which_one(labels: Sequence[str]) -> str:
    """Return the question which of several records is meant."""
    return fill(_("Which one do you mean: {labels}?"), {"labels": _listed([visible(label) for label in labels])})


def steps_of(workflow: AnyWorkflow, view: View | None, state: Any = None) -> tuple[str, ...]:
    """Return the words of what may be asked next of a record, or, without a view, of the workflow's opening operations.

    Only what the domain accepts now: an operation that needs no value is tried, and left out when it would be refused or change nothing.
    """
    requests = workflow.starts() if view is None else workflow.on_offer(view)
    return tuple(str(request.declared.words) for request in requests if view is None or _is_accepted(request, state))


def _is_accepted(request: Any, state: Any) -> bool:
    if any(info.is_required() for info in fields_of(request).values()):
        return True
    try:
        return bool(recompile(request(), state))
    except Rejected:
        return False


def _transition(material: ReplyMaterial) -> str:
    sentences = [*_what_came_of_it(material), *_way_forward(material)]
    return visible(" ".join(sentences), lines=True)


def _what_came_of_it(material: ReplyMaterial) -> Sequence[str]:
    if material.refused and (material.receipts or material.cards):
        return [_("Not everything was done.")]
    if material.refused:
        return [_("That was not done.")]
    if not material.not_understood:
        return []
    unclear = any(reason == "unclear" for _words, reason in material.not_understood)
    if material.receipts or material.cards:
        return [_("I did not understand all of that.") if unclear else _("Not everything was done.")]
    return [_("I did not understand that.") if unclear else _("That cannot be done here now.")]


def _way_forward(material: ReplyMaterial) -> Sequence[str]:
    if material.cards:
        return []
    steps = [_offered(material.next_steps)] if material.next_steps else []
    if material.ask:
        # Whoever was not understood is told what can be, beside what is needed next.
        return [material.ask, *(steps if material.not_understood else [])]
    if not material.text_turn and (material.receipts or material.artifacts or material.notices):
        # News from outside answers nobody's message, so it asks nothing on its own account.
        return []
    if material.waiting:
        return [fill(_("A question is waiting for you: “{title}”"), {"title": material.waiting})]
    return steps or [_("What would you like to do next?")]


def _offered(steps: Sequence[str]) -> str:
    if len(steps) > MOST_STEPS:
        return fill(_("You can now: {steps} … and more."), {"steps": ", ".join(steps[:MOST_STEPS])})
    return fill(_("You can now: {steps}."), {"steps": _listed(steps)})


def _listed(items: Sequence[str]) -> str:
    if len(items) == 1:
        return items[0]
    return fill(_("{first} or {last}"), {"first": ", ".join(items[:-1]), "last": items[-1]})
