"""The brief of a turn: all that an interpreter is told, and nothing it could not use. No id, no account, no other record."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any, cast

from django.utils import translation

from turnframe_django.flow import arguments
from turnframe_django.flow.operations import RequestType
from turnframe_django.flow.plan import Situation
from turnframe_django.flow.proposal import Brief, OperationBrief, RecordBrief
from turnframe_django.flow.targets import LoadedRecord
from turnframe_django.flow.workflow import AnyWorkflow


def brief(situation: Situation) -> Brief:
    """Return what an interpreter is told, in the turn's language: the message, the records in view, and what may be asked."""
    with in_language_of(situation):
        return Brief(
            message=situation.message,
            locale=situation.locale,
            today=situation.today.isoformat() if situation.today else "",
            records=[_record_brief(record) for record in situation.records],
            starts=[_operation_brief(workflow, request) for workflow in situation.workflows for request in situation.starts[workflow.name]],
        )


def in_language_of(situation: Situation) -> AbstractContextManager[object]:
    """Make the turn's language the active one, whatever is active outside; without one, leave it."""
    return translation.override(situation.locale) if situation.locale else nullcontext()


def _record_brief(record: LoadedRecord) -> RecordBrief:
    return RecordBrief(
        token=record.token,
        workflow=record.workflow.name,
        label=record.label,
        phase=record.view.phase.label,
        needs=[str(obligation.ask) for obligation in record.view.obligations],
        operations=[_operation_brief(record.workflow, request) for request in record.workflow.on_offer(record.view)],
    )


def _operation_brief(workflow: AnyWorkflow, request: RequestType) -> OperationBrief:
    declared = request.declared
    return OperationBrief(
        workflow=workflow.name,
        key=declared.key,
        summary=declared.documentation,
        words=str(declared.words),
        arguments=cast(Any, arguments.schema(request)),
    )
