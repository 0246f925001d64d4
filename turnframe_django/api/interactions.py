"""Cards over REST: where they stand and how they came there. They are answered by a turn, and what an option does stays on the server."""

from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from turnframe_django import codec
from turnframe_django.api import pages, reading
from turnframe_django.api.base import TurnframeViewSet
from turnframe_django.api.exact import answer, page
from turnframe_django.codec import Json
from turnframe_django.exceptions import Problem
from turnframe_django.protocol.inputs import invalid
from turnframe_django.protocol.states import InteractionStatus


class InteractionViewSet(TurnframeViewSet):
    """The cards of one conversation."""

    def list(self, request: Request, conversation_id: str) -> Response:
        """Return a page, newest first; ``status`` keeps those of one status."""
        query = pages.parameters(request, ("status", "cursor", "limit"))
        limit, before, status = pages.limit(query), pages.position(query), query.get("status")
        if status is not None and status not in set(InteractionStatus):
            raise invalid("/status", "unknown_status", "No card has that status.")
        key = reading.identified(conversation_id)
        found = list(reading.cards(self.actor, key, status=status, before=before)[: limit + 1])
        if not found:
            reading.require(self.actor, key)
        shown = found[:limit]
        histories = reading.histories(shown)
        following = pages.cursor_of(shown[-1].created_at, shown[-1].pk) if len(found) > limit else None
        return answer(page((_text(card, histories) for card in shown), following))

    def retrieve(self, request: Request, conversation_id: str, interaction_id: str) -> Response:
        """Return one card."""
        pages.parameters(request, ())
        card = reading.cards(self.actor, reading.identified(conversation_id)).filter(pk=reading.identified(interaction_id)).first()
        if card is None:
            raise Problem("not_found")
        return answer(_text(card, reading.histories([card])))


def _text(card: Any, histories: dict[UUID, list[Json]]) -> str:
    """Return a card as text, members in sorted order; what it shows goes in as it is stored."""
    where = reading.state(card.current, card.resolved_option_id, card.resolved_at)
    answered_by = str(card.resolved_turn_id) if card.resolved_turn_id is not None else None
    rest: dict[str, Json] = {**where, "interaction_id": str(card.pk), "resolved_turn_id": answered_by, "turn_id": str(card.turn_id)}
    shown = card.payload if not card.is_redacted else "null"
    return f'{{"history":{codec.encode(histories[card.pk])},"interaction":{shown},{codec.encode(rest)[1:]}'
