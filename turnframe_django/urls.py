"""The addresses of the REST interface (docs/protocol.md). A site includes them where it likes.

Ids are plain text here: one that is malformed is answered like one that is unknown, and not by the site's own 404 page.
"""

from django.urls import path

from turnframe_django.api.conversations import ConversationViewSet
from turnframe_django.api.frames import FrameViewSet
from turnframe_django.api.interactions import InteractionViewSet
from turnframe_django.api.turns import TurnViewSet

app_name = "turnframe"

_ONE = "conversations/<str:conversation_id>/"

urlpatterns = [
    path("conversations/", ConversationViewSet.as_view({"get": "list", "post": "create"}), name="conversations"),
    path(_ONE, ConversationViewSet.as_view({"get": "retrieve"}), name="conversation"),
    path(f"{_ONE}turns/", TurnViewSet.as_view({"get": "list", "post": "create"}), name="turns"),
    path(f"{_ONE}turns/<str:turn_id>/", TurnViewSet.as_view({"get": "retrieve"}), name="turn"),
    path(f"{_ONE}interactions/", InteractionViewSet.as_view({"get": "list"}), name="interactions"),
    path(f"{_ONE}interactions/<str:interaction_id>/", InteractionViewSet.as_view({"get": "retrieve"}), name="interaction"),
    path(f"{_ONE}frames/", FrameViewSet.as_view({"get": "list"}), name="frames"),
]
