"""An interpreter that says what a test told it to: the same untrusted proposal a model would make, without a model."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from turnframe_django.flow.arguments import wire
from turnframe_django.flow.operations import AnyRequest
from turnframe_django.flow.proposal import Brief, NotUnderstood, Proposal, ProposedAct


@dataclass(frozen=True, slots=True)
class Act:
    """One request as a model would propose it. ``record`` is the label of the record meant; ``quotes`` what each value rests on."""

    request: AnyRequest
    record: str | None = None
    quotes: Mapping[str, str] = field(default_factory=dict)


#: What a script may give for a message: requests, acts, or the whole proposal (also as data, to try a malformed one).
Proposed: TypeAlias = Iterable[Act | AnyRequest] | Proposal | Mapping[str, Any]


def act(request: AnyRequest, record: str | None = None, **quotes: str) -> Act:
    """Return ``request`` as an act: about the record with the label ``record``, each named value copied from other words than itself."""
    return Act(request, record, quotes)


class ScriptedInterpreter:
    """Answers each message with what its script holds for it; a message it does not hold is not understood.

    ``TURNFRAME["INTERPRETER"]`` may name an instance of it, or a subclass with a ``script`` of its own.
    """

    script: Mapping[str, Proposed] = {}

    def __init__(self, script: Mapping[str, Proposed] | None = None) -> None:
        self.answers: dict[str, Proposed] = {**self.script, **(script or {})}
        self.briefs: list[Brief] = []

    async def interpret(self, brief: Brief, /) -> Proposal:
        """Return the scripted proposal for ``brief.message``."""
        self.briefs.append(brief)
        proposed = self.answers.get(brief.message)
        if proposed is None:
            return Proposal(not_understood=[NotUnderstood(words=brief.message[:4000])])
        if isinstance(proposed, Proposal):
            return proposed
        if isinstance(proposed, Mapping):
            return proposed  # type: ignore[return-value]  # a malformed answer is handed on as it is; the boundary refuses it
        return Proposal(acts=[_proposed(item, number, brief) for number, item in enumerate(proposed, 1)])


def _proposed(item: "Act | AnyRequest", number: int, brief: Brief) -> ProposedAct:
    said = item if isinstance(item, Act) else Act(item)
    token = None
    if said.record is not None:
        token = next((record.token for record in brief.records if record.label == said.record), said.record)
    return ProposedAct(
        id=f"u{number}.a1", operation=said.request.declared.key, record=token, arguments=wire(said.request, dict(said.quotes))
    )
