"""A chat as it is usually stored: messages with a text and the cards to show under it."""

from __future__ import annotations

import uuid

from django.db import models

from tests.desk.models import Parcel


class Chat(models.Model):
    """One thread of a user about a parcel."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    owner = models.CharField(max_length=64)
    parcel = models.ForeignKey(Parcel, models.CASCADE)
    updated_at = models.DateTimeField(auto_now=True, db_index=True)

    objects = models.Manager["Chat"]()

    def __str__(self) -> str:
        return str(self.id)


class Message(models.Model):
    """What one side said."""

    chat = models.ForeignKey(Chat, models.CASCADE, related_name="messages")
    role = models.CharField(max_length=12)
    text = models.TextField()
    cards = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = models.Manager["Message"]()

    def __str__(self) -> str:
        return self.text
