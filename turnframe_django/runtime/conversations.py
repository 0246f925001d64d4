"""Conversations: opened about records the actor may see, and described as they stand now."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings as django_settings
from django.db.models import Q
from django.utils import translation

from turnframe_django import codec, ids
from turnframe_django.context import Actor
from turnframe_django.exceptions import Problem
from turnframe_django.models import Conversation, ConversationCase, Interaction
from turnframe_django.protocol.states import OPEN_INTERACTION, Engine
from turnframe_django.runtime import announcing, cases, clock, rows
from turnframe_django.runtime.transactions import retried, work


def open_conversation(
    actor: Actor, *, locale: str | None = None, title: str = "", cases_named: Sequence[tuple[str, str]] = ()
) -> Conversation:
    """Open a workflow conversation of the actor's, about the records named by (workflow, id).

    Raises ``Problem``: ``not_found`` when a record is foreign or missing, ``invalid_text`` for a title that no database keeps.
    """
    if not codec.is_clean_text(title):
        raise Problem("invalid_text")
    language = locale or translation.get_language() or django_settings.LANGUAGE_CODE

    def attempt() -> Conversation:
        with work():
            for name, case_id in cases_named:
                workflow = cases.workflow_named(name)
                if workflow is None or case_id not in cases.find(workflow, actor, [case_id]):
                    raise Problem("not_found")
            now = clock.now()
            conversation = Conversation(
                account=actor.account, owner=actor.user, title=title, locale=language, created_at=now, last_activity_at=now
            )
            rows.insert(Conversation, [conversation])
            rows.insert(
                ConversationCase,
                [
                    ConversationCase(
                        id=ids.new_id(),
                        conversation_id=conversation.pk,
                        engine=Engine.FLOW.value,
                        name=name,
                        case_id=case_id,
                        created_at=now,
                    )
                    for name, case_id in dict.fromkeys(cases_named)
                ],
            )
            announcing.conversation_opened(conversation, conversation.account)
            return conversation

    return retried(attempt)


def describe_cases(actor: Actor, conversation: Conversation) -> list[dict[str, codec.Json]]:
    """Describe the records of a conversation as they stand: reference, label, phase, what is still needed, and the open card.

    A record that the actor may not see any more is left out.
    """
    stored = list(
        ConversationCase.objects.filter(conversation=conversation, engine=Engine.FLOW).order_by("-created_at", "-id")[: cases.MOST_CASES]
    )
    by_workflow: dict[str, list[str]] = {}
    for row in reversed(stored):
        by_workflow.setdefault(row.name, []).append(row.case_id)
    open_cards = _open_cards(conversation.account, by_workflow)
    described: list[dict[str, codec.Json]] = []
    for name, case_ids in by_workflow.items():
        workflow = cases.workflow_named(name)
        if workflow is None:
            continue
        found = cases.find(workflow, actor, case_ids)
        for case_id in case_ids:
            if case_id in found:
                described.append(_described(workflow, found[case_id], case_id, open_cards.get((name, case_id))))
    return described


def _open_cards(account: str, by_workflow: dict[str, list[str]]) -> dict[tuple[str, str], str]:
    wanted = Q(pk__in=[])
    for name, case_ids in by_workflow.items():
        wanted |= Q(case_name=name, case_id__in=case_ids)
    found = Interaction.objects.filter(wanted, account=account, engine=Engine.FLOW, blocking=True, status__in=OPEN_INTERACTION)
    return {(name, case_id): str(pk) for name, case_id, pk in found.values_list("case_name", "case_id", "pk")}


def _described(workflow: cases.AnyWorkflow, record: Any, case_id: str, card: str | None) -> dict[str, codec.Json]:
    _state, view = cases.projected(workflow, record)
    phase: dict[str, codec.Json] = {"key": view.phase.key, "label": str(view.phase.label), "owner": str(view.phase.owner)}
    return {
        "card": card,
        "case_ref": {"case_id": case_id, "engine": Engine.FLOW.value, "name": workflow.name, "revision": workflow.revision_of(record)},
        "label": workflow.label(record),
        "obligations": [{"ask": str(obligation.ask), "code": obligation.code} for obligation in view.obligations],
        "phase": phase,
    }
