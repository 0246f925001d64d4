"""The records a turn is about: found through the workflow's own directory, projected, and locked.

``visible_to`` is the narrower boundary that a host draws inside an account; nothing here reaches past it, except for news from outside,
whose authority is the row itself (docs/concepts.md, "Tenancy").
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.db import connections, models

from turnframe_django import ids, registry
from turnframe_django.context import Actor
from turnframe_django.exceptions import Problem
from turnframe_django.flow.reduction import LoadedRecord
from turnframe_django.flow.targets import CaseRef
from turnframe_django.flow.view import View, check
from turnframe_django.flow.workflow import Workflow
from turnframe_django.models import ConversationCase, Interaction
from turnframe_django.protocol.states import Engine
from turnframe_django.protocol.turns import OriginInput
from turnframe_django.runtime import rows

#: How many records of a conversation a turn loads, the newest first.
MOST_CASES = 20
_NEWEST_CASES = "conversation_id = %s AND engine = %s ORDER BY created_at DESC, id DESC LIMIT %s"

AnyWorkflow = Workflow[Any, Any]


class ViewBroken(Exception):
    """A projection broke a rule of views; the turn that met it is rolled back."""

    def __init__(self, workflow: str, codes: Sequence[str]) -> None:
        super().__init__(f"{workflow}: {', '.join(codes)}")
        self.codes = tuple(codes)


@dataclass(slots=True)
class HeldCase:
    """A record locked in this transaction, with the state and view it has now."""

    workflow: AnyWorkflow
    record: models.Model | None
    ref: CaseRef
    state: Any = None
    view: View | None = None
    moved: bool = False
    opened: bool = False
    cards: list[Interaction] = field(default_factory=list)

    @property
    def path(self) -> str:
        """The case without its revision."""
        return self.ref.text()

    def project(self) -> View:
        """Snapshot and project the record as it is now. Raises ``ViewBroken``."""
        self.state, self.view = projected(self.workflow, None if self.opened and not self.moved else self.record)
        return self.view


def workflow_named(name: str) -> AnyWorkflow | None:
    """Return the registered workflow, or None when its definition is gone."""
    return registry.workflows().get(name)


def projected(workflow: AnyWorkflow, record: models.Model | None) -> tuple[Any, View]:
    """Return the snapshot of ``record`` (None: not opened yet) and its view, checked against the rules of views.

    Raises ``ViewBroken``.
    """
    state = None if record is None else workflow.snapshot(record)
    view = workflow.project(state)
    violations = check(view, workflow.known)
    if violations:
        raise ViewBroken(workflow.name, [violation.code for violation in violations])
    return state, view


def hold_named(actor: Actor, account: str, engine: str, name: str, case_id: str, *, opens_at: int | None = None) -> HeldCase:
    """Lock the record of a card. ``opens_at`` is the card's bound revision: a record that its click will open does not exist yet.

    Raises ``Problem``: ``definition_retired`` when its workflow is gone, ``not_found`` when the actor may not see it.
    """
    workflow = workflow_named(name)
    if workflow is None:
        raise Problem("definition_retired")
    record = lock(workflow, actor, case_id)
    if record is not None:
        return HeldCase(workflow, record, CaseRef(engine, name, case_id, workflow.revision_of(record)))
    if opens_at != 0 or read_by_key(workflow, case_id) is not None:
        raise Problem("not_found")
    return blank(workflow, account, CaseRef(engine, name, case_id, 0))


def find(workflow: AnyWorkflow, actor: Actor, case_ids: Iterable[str]) -> dict[str, models.Model]:
    """Return the records of ``case_ids`` that ``actor`` may see, by id; the rest are simply not there."""
    keys = _keys(workflow, case_ids)
    if not keys:
        return {}
    return {str(record.pk): record for record in workflow.visible_to(actor).filter(pk__in=keys)}


def check_origin(actor: Actor, origin: OriginInput | None) -> None:
    """Refuse a page's record that the actor may not see, before anything is stored. Raises ``Problem`` ``not_found``."""
    if origin is None:
        return
    workflow = workflow_named(origin.name)
    if workflow is None or origin.case_id not in find(workflow, actor, [origin.case_id]):
        raise Problem("not_found")


def lock(workflow: AnyWorkflow, actor: Actor, case_id: str) -> models.Model | None:
    """Lock and return the record, or None when ``actor`` may not see it. Call it in the order of ``CaseRef.text()``."""
    return _locked(workflow.visible_to(actor), workflow, case_id)


def lock_by_key(workflow: AnyWorkflow, case_id: str) -> models.Model | None:
    """Lock and return the record without a directory: for news from outside, whose authority is the row."""
    return _locked(workflow.model._default_manager.all(), workflow, case_id)


def read_by_key(workflow: AnyWorkflow, case_id: str) -> models.Model | None:
    """Return the record without a lock or a directory, or None."""
    keys = _keys(workflow, [case_id])
    return workflow.model._default_manager.filter(pk__in=keys).first() if keys else None


def load(conversation_id: UUID, actor: Actor, turn_id: UUID, also: Sequence[tuple[str, str]] = ()) -> list[LoadedRecord]:
    """Load the records of the actor's own conversation and those named in ``also``: one read per workflow.

    Returns the records in a stable order, oldest in the conversation first.
    Raises ``Problem`` ``not_found`` when one in ``also`` is foreign or missing, and ``ViewBroken``.
    """
    stored = rows.select(ConversationCase, _NEWEST_CASES, [conversation_id, Engine.FLOW.value, MOST_CASES])
    known = [(row.name, row.case_id) for row in reversed(stored)]
    wanted = list(dict.fromkeys([*known, *also]))
    by_workflow: dict[str, list[str]] = {}
    for name, case_id in wanted:
        by_workflow.setdefault(name, []).append(case_id)
    found: dict[tuple[str, str], LoadedRecord] = {}
    for name, case_ids in by_workflow.items():
        workflow = workflow_named(name)
        if workflow is None:
            continue
        for case_id, record in find(workflow, actor, case_ids).items():
            state, view = projected(workflow, record)
            found[name, case_id] = LoadedRecord(
                token=ids.target_token(actor.account, turn_id, name, case_id),
                ref=CaseRef(Engine.FLOW.value, name, case_id, workflow.revision_of(record)),
                label=workflow.label(record),
                state=state,
                view=view,
                workflow=workflow,
            )
    for pair in also:
        if pair not in found:
            raise Problem("not_found")
    return [found[pair] for pair in wanted if pair in found]


def blank(workflow: AnyWorkflow, account: str, ref: CaseRef) -> HeldCase:
    """Return the unsaved record that an opening command receives, keyed by the turn."""
    return HeldCase(workflow, workflow.blank(account, ref.case_id), ref, opened=True)


def _locked(queryset: "models.QuerySet[Any]", workflow: AnyWorkflow, case_id: str) -> models.Model | None:
    keys = _keys(workflow, [case_id])
    if not keys:
        return None
    try:
        record: models.Model = queryset.select_for_update(of=("self",), no_key=True).get(pk=keys[0])
    except ObjectDoesNotExist:
        return None
    return record


def _keys(workflow: AnyWorkflow, case_ids: Iterable[str]) -> list[Any]:
    # A text that is no key of the model is simply unknown, and must not reach the database as an error.
    keys = []
    primary = workflow.model._meta.pk
    for case_id in case_ids:
        try:
            key = primary.to_python(case_id)
        except (ValidationError, ValueError, TypeError):
            continue
        if isinstance(key, int) and not _fits(workflow, key):
            continue
        keys.append(key)
    return keys


def _fits(workflow: AnyWorkflow, key: int) -> bool:
    operations = connections[workflow.model._default_manager.db].ops
    lowest, highest = operations.integer_field_range(workflow.model._meta.pk.get_internal_type())
    return lowest <= key <= highest
