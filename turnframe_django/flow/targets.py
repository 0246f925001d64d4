"""Targets: which record an act is about. Exact, or nothing happens.

Never the first, the last, the likeliest: a token names a record of this turn, and without one exactly one record may fit.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from turnframe_django.flow.operations import RequestType
    from turnframe_django.flow.view import View
    from turnframe_django.flow.workflow import Workflow


@dataclass(frozen=True, slots=True)
class CaseRef:
    """A record by engine, workflow name and id, and the revision it had; revision 0 does not exist yet."""

    engine: str
    name: str
    case_id: str
    revision: int

    def text(self) -> str:
        """The case without its revision: ``flow/trip/<id>``."""
        return f"{self.engine}/{self.name}/{self.case_id}"

    def at(self, revision: int) -> "CaseRef":
        """The same case at another revision."""
        return replace(self, revision=revision)


@dataclass(frozen=True, slots=True)
class LoadedRecord:
    """A record as one turn sees it: the token a model may use for it, and its state and view when it was read."""

    token: str
    ref: CaseRef
    label: str
    state: Any
    view: "View"
    workflow: "Workflow[Any, Any]"

    def offers(self, request: "RequestType") -> bool:
        """Whether its view has ``request`` on offer now."""
        return request in self.workflow.on_offer(self.view)


TargetCode: TypeAlias = Literal[
    "turnframe.target.unauthorized",
    "turnframe.target.missing",
    "turnframe.target.unresolved",
    "turnframe.target.policy_mismatch",
    "turnframe.operation.unknown",
]


@dataclass(frozen=True, slots=True)
class Resolution:
    """The one record an act is about, or the code that says why there is none.

    ``record`` is also set where the record is settled but does not take the request, so that ``code`` is the record's refusal.
    """

    record: LoadedRecord | None = None
    code: TargetCode | None = None


def resolve(token: str | None, request: "RequestType", workflow: "Workflow[Any, Any]", records: Sequence[LoadedRecord]) -> Resolution:
    """Resolve the target of ``request``, an operation of ``workflow``, among the turn's ``records``."""
    if token is not None:
        named = [record for record in records if record.token == token]
        if len(named) != 1:
            return Resolution(code="turnframe.target.unauthorized")
        if request.declared.opens or named[0].workflow.name != workflow.name:
            return Resolution(named[0], "turnframe.target.policy_mismatch")
        return Resolution(named[0], None if named[0].offers(request) else "turnframe.operation.unknown")
    return _only(record for record in records if record.workflow.name == workflow.name and record.offers(request))


def _only(fitting: Iterable[LoadedRecord]) -> Resolution:
    found = list(fitting)
    if len(found) == 1:
        return Resolution(found[0])
    return Resolution(code="turnframe.target.unresolved" if found else "turnframe.target.missing")
