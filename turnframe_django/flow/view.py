"""The view: where a record stands, what is owed, what is asked, what is on offer. Derived from its state and nothing else.

Ten rules keep a view honest; all that are broken are told at once (docs/workflows.md, "Views").
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, TypeAlias

from pydantic import BaseModel

from turnframe_django import codec
from turnframe_django.codec import Json
from turnframe_django.flow.cards import Card, foreign, problems
from turnframe_django.flow.data import dump
from turnframe_django.flow.notices import Notice
from turnframe_django.flow.text import Text

if TYPE_CHECKING:
    from turnframe_django.flow.operations import RequestType
    from turnframe_django.flow.phases import Phase

#: What an obligation is about: the stable id of a repeated entity, or a small object that names it.
Subject: TypeAlias = "Json | BaseModel"


@dataclass(frozen=True, slots=True)
class Obligation:
    """Something the record still needs. ``ask`` is the question, ``by`` what answers it, ``about`` the entity where several are alike."""

    code: str
    ask: Text
    _: KW_ONLY
    by: "RequestType | None" = None
    about: Subject = None

    @property
    def id(self) -> str:
        """The canonical JSON of the obligation: ``"name"``, or ``{"line":{"id":2}}`` for one about an entity. Raises ``CodecError``."""
        about = dump(self.about) if isinstance(self.about, BaseModel) else self.about
        return codec.encode(self.code if about is None else {self.code: about}, floats=False)


@dataclass(frozen=True, slots=True)
class View:
    """One phase, ordered obligations (the first is asked first), at most one card, and an outcome when all is over.

    ``offers`` are the operations on offer now; None means every operation of the workflow that opens nothing, and none once terminal.
    """

    phase: "Phase"
    _: KW_ONLY
    obligations: Sequence[Obligation] = ()
    card: Card | None = None
    outcome: BaseModel | None = None
    offers: "Sequence[RequestType] | None" = None
    notices: Sequence[Notice] = ()


@dataclass(frozen=True, slots=True)
class Violation:
    """A broken rule: a stable code, and what an author needs to mend it."""

    code: str
    detail: str = ""


def check(view: View, known: "Collection[RequestType] | None" = None) -> list[Violation]:
    """Return every rule that ``view`` breaks; an empty list when it is sound.

    With ``known``, the operations and commands of the workflow, also names what belongs to another one.
    """
    found = [*_outcome(view), *_card(view), *_obligations(view)]
    if known is not None:
        found.extend(_foreign(view, known))
    return found


def _outcome(view: View) -> Iterator[Violation]:
    owner = view.phase.owner
    if view.outcome is not None and view.obligations:
        yield Violation("outcome_with_obligations", str(len(view.obligations)))
    if owner == "terminal" and view.outcome is None:
        yield Violation("terminal_without_outcome", view.phase.key)
    if owner != "terminal" and view.outcome is not None:
        yield Violation("outcome_on_non_terminal_phase", view.phase.key)


def _card(view: View) -> Iterator[Violation]:
    owner, card = view.phase.owner, view.card
    if card is None:
        if owner == "user":
            yield Violation("missing_blocking_interaction", view.phase.key)
        return
    if owner == "terminal":
        yield Violation("blocking_interaction_on_terminal_phase", view.phase.key)
    elif owner != "user":
        yield Violation("blocking_interaction_on_non_user_phase", view.phase.key)
    if not card.blocking:
        yield Violation("non_blocking_requirement", card.key)
    reasons = " ".join(problems(card))
    if reasons:
        yield Violation("unanswerable_interaction", f"{card.key}: {reasons}")


def _obligations(view: View) -> Iterator[Violation]:
    seen: Counter[str] = Counter()
    for obligation in view.obligations:
        try:
            identity = obligation.id
        except (codec.CodecError, TypeError, ValueError, RecursionError) as error:
            yield Violation("obligation_not_serialisable", f"{obligation.code}: {error}")
            continue
        seen[identity] += 1
        if seen[identity] == 2:
            yield Violation("duplicate_obligation", identity)


def _foreign(view: View, known: "Collection[RequestType]") -> Iterator[Violation]:
    for reason in foreign(view.card, known) if view.card is not None else ():
        yield Violation("foreign_request", reason)
    for obligation in view.obligations:
        if obligation.by is not None and obligation.by not in known:
            yield Violation(
                "foreign_request", f"Obligation {obligation.code!r} is answered by {obligation.by.__qualname__}, of another workflow."
            )
    for offer in view.offers or ():
        if offer not in known:
            yield Violation("foreign_request", f"{offer.__qualname__} is on offer but of another workflow.")
