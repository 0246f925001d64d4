"""Stream frames: what a follower of a conversation reads, in an order without gaps."""

from __future__ import annotations

from django.db import models

from turnframe_django import ids
from turnframe_django.models.block import Block
from turnframe_django.models.conversation import Conversation
from turnframe_django.models.turn import Turn


class StreamFrame(models.Model):
    """One frame. It refers to its turn or block and holds no user text of its own; ``seq`` counts per conversation from 1."""

    id = models.UUIDField(primary_key=True, default=ids.new_id, editable=False)
    conversation = models.ForeignKey(Conversation, models.PROTECT, related_name="frames", db_index=False)
    seq = models.PositiveBigIntegerField()
    type = models.CharField(max_length=32)
    turn = models.ForeignKey(Turn, models.PROTECT, null=True, related_name="frames", db_index=False)
    block = models.ForeignKey(Block, models.PROTECT, null=True, related_name="frames", db_index=False)
    data = models.TextField(default="", blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["conversation", "seq"], name="turnframe_frame_seq"),)

    def __str__(self) -> str:
        return f"{self.type} #{self.seq}"
