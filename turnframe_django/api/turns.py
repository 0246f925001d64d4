"""Turns over REST: taken by the runtime, read as the text that is stored."""

from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from turnframe_django import runtime
from turnframe_django.api import pages, reading
from turnframe_django.api.base import TurnframeViewSet
from turnframe_django.api.body import body_of
from turnframe_django.api.exact import answer, page
from turnframe_django.exceptions import Problem
from turnframe_django.protocol.turns import parse_turn_input
from turnframe_django.runtime.callers import limits


class TurnViewSet(TurnframeViewSet):
    """The turns of one conversation."""

    def create(self, request: Request, conversation_id: str) -> Response:
        """Take a turn: 201 when it is new, 200 with ``Idempotency-Replayed`` when it repeats one or answers an answered card."""
        turn_input = parse_turn_input(body_of(request), request.META.get("HTTP_IDEMPOTENCY_KEY"), limits())
        taken = runtime.handle_turn(self.actor, reading.identified(conversation_id), turn_input)
        headers: dict[str, str] = {}
        if request.resolver_match is not None:
            headers["Location"] = reverse(f"{request.resolver_match.namespace}:turn", args=[conversation_id.lower(), taken.turn_id])
        if taken.replayed:
            headers["Idempotency-Replayed"] = "true"
        if taken.resolved_option is not None:
            headers["Turnframe-Resolved-Option"] = taken.resolved_option
        return answer(taken.body, taken.status, headers)

    def list(self, request: Request, conversation_id: str) -> Response:
        """Return a page, oldest first, with the states of the cards that its turns show."""
        query = pages.parameters(request, ("after", "limit"))
        after, limit = pages.number(query, "after", 0), pages.limit(query)
        key = reading.identified(conversation_id)
        found = list(reading.turns(self.actor, key).filter(ordinal__gt=after)[: limit + 1])
        if not found:
            reading.require(self.actor, key)
        shown = found[:limit]
        texts, states = reading.turn_texts(shown)
        return answer(page(texts, shown[-1].ordinal if len(found) > limit else None, states))

    def retrieve(self, request: Request, conversation_id: str, turn_id: str) -> Response:
        """Return one turn: the bytes that answered it."""
        pages.parameters(request, ())
        wanted = reading.turns(self.actor, reading.identified(conversation_id)).filter(pk=reading.identified(turn_id))
        found = list(wanted[:1])
        if not found:
            raise Problem("not_found")
        texts, _states = reading.turn_texts(found)
        return answer(texts[0])
