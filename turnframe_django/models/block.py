"""The reply: ordered blocks, each the exact text that was sent."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from turnframe_django import ids
from turnframe_django.models.event import DomainEvent
from turnframe_django.models.fact import Fact, FactManager, Identified, Redactable, known_value, stamped_together
from turnframe_django.models.interaction import Interaction
from turnframe_django.models.turn import Turn


class Block(Identified, Redactable, Fact):
    """One block of a reply. ``position`` counts from 0 and is the order, never re-derived; ``body`` is the canonical text, kept once."""

    frozen = ("id", "turn_id", "position", "kind", "schema_version", "author", "body", "digest", "interaction_id", "question")
    redactable = ("body",)

    turn = models.ForeignKey(Turn, models.PROTECT, related_name="blocks", db_index=False)
    position = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=32)
    schema_version = models.PositiveSmallIntegerField(default=1)
    author = models.CharField(max_length=8, default="server")
    body = models.TextField()
    digest = models.CharField(max_length=64)
    interaction = models.ForeignKey(Interaction, models.PROTECT, null=True, related_name="blocks")
    question = models.CharField(max_length=32, default="", blank=True)

    objects = FactManager["Block"]()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["turn", "position"], name="turnframe_block_position"),
            known_value("author", ("server", "model"), "turnframe_block_known_author"),
            models.CheckConstraint(condition=Q(author="server") | Q(kind__in=["answer", "transition"]), name="turnframe_block_author"),
            models.CheckConstraint(
                condition=Q(kind="interaction", interaction__isnull=False) | (~Q(kind="interaction") & Q(interaction__isnull=True)),
                name="turnframe_block_card",
            ),
            stamped_together("turnframe_block_door"),
        )

    def __str__(self) -> str:
        return f"{self.kind} @{self.position}"


class BlockEvent(Fact):
    """The link from a receipt to an event it rests on."""

    frozen = ("id", "block_id", "event_id", "position")

    id = models.UUIDField(primary_key=True, default=ids.new_id, editable=False)
    block = models.ForeignKey(Block, models.PROTECT, related_name="event_links", db_index=False)
    event = models.ForeignKey(DomainEvent, models.PROTECT, related_name="block_links")
    position = models.PositiveSmallIntegerField(default=0)

    objects = FactManager["BlockEvent"]()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["block", "event"], name="turnframe_block_event_once"),)

    def __str__(self) -> str:
        return f"{self.block_id} ← {self.event_id}"
