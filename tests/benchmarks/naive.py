"""The naive baseline: a reply and its cards in one message; a click sends the action, and the server does it."""

from typing import Any

from django.db import transaction
from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tests.benchmarks.host.models import Chat, Message
from tests.desk.models import Parcel

CARD = {
    "title": "The carrier offers to take it. Send?",
    "buttons": [{"label": "Send", "action": "send", "value": "Box"}, {"label": "No", "action": "decline", "value": ""}],
}


class MessageIn(serializers.Serializer[Any]):
    """A text, or the action of a button."""

    text = serializers.CharField(max_length=8000, required=False)
    action = serializers.CharField(max_length=60, required=False)
    value = serializers.CharField(max_length=200, required=False)


class MessageOut(serializers.ModelSerializer[Message]):
    """A message as it is shown."""

    class Meta:
        model = Message
        fields = ("id", "role", "text", "cards", "created_at")


class ChatOut(serializers.ModelSerializer[Chat]):
    """A chat in a list."""

    class Meta:
        model = Chat
        fields = ("id", "updated_at")


class Messages(APIView):
    """The messages of one chat."""

    def post(self, request: Request, key: str) -> Response:
        """Keep what was said, do what is asked, and answer."""
        chat = get_object_or_404(Chat.objects.select_related("parcel"), pk=key, owner=str(request.user.pk))
        said = MessageIn(data=request.data)
        said.is_valid(raise_exception=True)
        text, action = said.validated_data.get("text", ""), said.validated_data.get("action")
        with transaction.atomic():
            if action == "send":
                chat.parcel.status = Parcel.Status.SENT
                reply = f"Parcel sent. {chat.parcel.name} is with the carrier."
            else:
                chat.parcel.name = text.removeprefix("call it ")
                reply = f"Parcel named. It is now called {chat.parcel.name}."
            chat.parcel.save()
            Message.objects.create(chat=chat, role="user", text=text, cards=[dict(said.validated_data)] if action else [])
            answer = Message.objects.create(chat=chat, role="assistant", text=reply, cards=[CARD])
            chat.save(update_fields=["updated_at"])
        return Response(MessageOut(answer).data, status=201)

    def get(self, request: Request, key: str) -> Response:
        """Return the last hundred messages, which is 50 exchanges."""
        chat = get_object_or_404(Chat, pk=key, owner=str(request.user.pk))
        newest = list(Message.objects.filter(chat=chat).order_by("-id")[:100])
        return Response(MessageOut(newest[::-1], many=True).data)


class Chats(APIView):
    """The user's chats."""

    def get(self, request: Request) -> Response:
        """Return the 50 with the newest activity."""
        return Response(ChatOut(Chat.objects.filter(owner=str(request.user.pk)).order_by("-updated_at")[:50], many=True).data)
