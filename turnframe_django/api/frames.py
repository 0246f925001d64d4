"""Stream frames over REST, for clients that poll: the same frames as over a socket, from the same rows."""

from rest_framework.request import Request
from rest_framework.response import Response

from turnframe_django.api import pages, reading
from turnframe_django.api.base import TurnframeViewSet
from turnframe_django.api.exact import answer, page


class FrameViewSet(TurnframeViewSet):
    """The frames of one conversation."""

    def list(self, request: Request, conversation_id: str) -> Response:
        """Return the frames behind ``after``, in order."""
        query = pages.parameters(request, ("after", "limit"))
        after, limit = pages.number(query, "after", 0), pages.limit(query)
        texts, following = reading.frames(self.actor, reading.identified(conversation_id), after, limit)
        return answer(page(texts, following))
