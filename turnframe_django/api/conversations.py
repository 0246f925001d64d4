"""Conversations over REST: opened, listed, described."""

from typing import Any

from django.conf import settings as django_settings
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, get_supported_language_variant
from rest_framework.request import Request
from rest_framework.response import Response

from turnframe_django import codec, runtime
from turnframe_django.api import pages, reading
from turnframe_django.api.base import TurnframeViewSet
from turnframe_django.api.body import body_of
from turnframe_django.api.exact import answer, encoded, page
from turnframe_django.codec import Json
from turnframe_django.exceptions import Problem
from turnframe_django.models import Conversation
from turnframe_django.protocol.conversations import conversation_document, parse_conversation_input
from turnframe_django.runtime.callers import limits


class ConversationViewSet(TurnframeViewSet):
    """The actor's conversations."""

    def list(self, request: Request) -> Response:
        """Return a page, newest activity first."""
        query = pages.parameters(request, ("cursor",))
        found = reading.latest(self.actor, pages.position(query), pages.DEFAULT_LIMIT)
        shown = found[: pages.DEFAULT_LIMIT]
        following = pages.cursor_of(shown[-1].last_activity_at, shown[-1].pk) if len(found) > len(shown) else None
        return answer(page((codec.encode(_document(conversation)) for conversation in shown), following))

    def create(self, request: Request) -> Response:
        """Open a workflow conversation about the records that are named."""
        given = parse_conversation_input(body_of(request), limits())
        if given.chat is not None:
            # No chat of that name is offered to anybody here.
            raise Problem("not_found")
        conversation = runtime.open_conversation(
            self.actor,
            locale=given.locale or _language(),
            title=given.title or "",
            cases_named=[(case.name, case.case_id) for case in given.cases or ()],
        )
        address = reverse(f"{request.resolver_match.namespace}:conversation", args=[conversation.pk]) if request.resolver_match else ""
        return encoded(_document(conversation), 201, {"Location": address})

    def retrieve(self, request: Request, conversation_id: str) -> Response:
        """Return a conversation with its records as they stand and the states of its cards."""
        pages.parameters(request, ())
        conversation = reading.conversation(self.actor, reading.identified(conversation_id))
        cases: list[Any] = list(runtime.describe_cases(self.actor, conversation))
        document: dict[str, Json] = {
            **_document(conversation),
            "cases": cases,
            "interaction_states": dict(reading.card_states(conversation.pk)),
        }
        return encoded(document)


def _document(conversation: Conversation) -> dict[str, Json]:
    return conversation_document(
        conversation_id=conversation.pk,
        engine=conversation.engine,
        chat=conversation.chat_name,
        title=conversation.title,
        locale=conversation.locale,
        created_at=conversation.created_at,
        last_activity_at=conversation.last_activity_at,
        turn_in_progress=conversation.lease_until is not None
        and conversation.lease_turn is not None
        and conversation.lease_until > timezone.now(),
    )


def _language() -> str:
    """Return the site's language that the request speaks."""
    try:
        return get_supported_language_variant(get_language() or django_settings.LANGUAGE_CODE)
    except LookupError:
        return str(django_settings.LANGUAGES[0][0])
