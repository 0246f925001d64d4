"""A turn: what came in, where it stands, and the head of what went out."""

from __future__ import annotations

from typing import Self

from django.db import models
from django_fsm import transition

from turnframe_django.fields import StateField, StateModel
from turnframe_django.models.conversation import Conversation
from turnframe_django.models.fact import Fact, FactQuerySet, Identified, Redactable, known_value, stamped_together
from turnframe_django.protocol.states import TurnPhase, TurnSource


class TurnQuerySet(FactQuerySet["Turn"]):
    """Turns, in the order of their ordinals."""

    def delivered(self) -> Self:
        """Keep those with a reply."""
        return self.filter(phase=TurnPhase.DELIVERED)

    def unfinished(self) -> Self:
        """Keep those that neither replied nor failed."""
        return self.exclude(phase__in=(TurnPhase.DELIVERED, TurnPhase.FAILED))


class Turn(Identified, Redactable, StateModel, Fact):
    """One exchange. ``ordinal`` counts from 1 in its conversation; order is by it and never by time.

    ``head`` is the canonical text of the reply without its blocks; ``Block.body`` holds each block's text. Together they are the reply.
    ``memory`` is the server's own: what the next turn may build on. ``lease_token`` is the fencing token under which the turn was accepted.
    """

    frozen = (
        "id",
        "conversation_id",
        "ordinal",
        "source",
        "actor",
        "input",
        "client_turn_id",
        "request_digest",
        "locale",
        "replay_token",
        "received_at",
    )
    write_once = ("head", "delivered_at", "error_code", "error_reference")
    redactable = ("input",)

    conversation = models.ForeignKey(Conversation, models.PROTECT, related_name="turns", db_index=False)
    ordinal = models.PositiveBigIntegerField()
    source = models.CharField(max_length=16, default=TurnSource.USER.value)
    actor = models.CharField(max_length=64, null=True)
    input = models.TextField(default="", blank=True)
    client_turn_id = models.CharField(max_length=255)
    request_digest = models.CharField(max_length=64)
    phase = StateField(max_length=16, default=TurnPhase.RECEIVED)
    locale = models.CharField(max_length=35)
    lease_token = models.PositiveBigIntegerField(default=0)
    error_code = models.CharField(max_length=64, default="", blank=True)
    error_reference = models.CharField(max_length=40, default="", blank=True)
    head = models.TextField(default="", blank=True)
    memory = models.TextField(default="", blank=True)
    replay_token = models.UUIDField(unique=True)
    received_at = models.DateTimeField()
    delivered_at = models.DateTimeField(null=True)

    objects = TurnQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["conversation", "ordinal"], name="turnframe_turn_ordinal"),
            models.UniqueConstraint(fields=["conversation", "client_turn_id"], name="turnframe_turn_client_id"),
            known_value("phase", TurnPhase, "turnframe_turn_phase"),
            known_value("source", TurnSource, "turnframe_turn_source"),
            stamped_together("turnframe_turn_door"),
        )
        indexes = (
            models.Index(fields=["received_at"], condition=~models.Q(phase__in=["delivered", "failed"]), name="turnframe_turn_unfinished"),
        )

    def __str__(self) -> str:
        return str(self.id)

    @transition("phase", TurnPhase.RECEIVED, TurnPhase.REDUCED)
    def reduce(self) -> None:
        """The whole turn is decided; nothing has run."""

    @transition("phase", TurnPhase.REDUCED, TurnPhase.COMMITTED)
    def commit(self) -> None:
        """Effects stand and the reply is still to be written."""

    @transition("phase", (TurnPhase.RECEIVED, TurnPhase.REDUCED, TurnPhase.COMMITTED), TurnPhase.DELIVERED)
    def deliver(self) -> None:
        """The reply is stored with everything it rests on."""

    @transition("phase", (TurnPhase.RECEIVED, TurnPhase.REDUCED), TurnPhase.FAILED)
    def fail(self) -> None:
        """Nothing of the turn was committed but its acceptance."""
