"""The outbox: effects outside this database, promised in the turn's own transaction."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.db.models import Q
from django_fsm import transition

from turnframe_django.fields import StateField, StateModel
from turnframe_django.models.command import Command
from turnframe_django.models.fact import Fact, FactQuerySet, Identified, Redactable, known_value, stamped_together
from turnframe_django.models.turn import Turn
from turnframe_django.protocol.states import OutboxStatus


class OutboxQuerySet(FactQuerySet["OutboxEntry"]):
    """Entries by what is to be done with them."""

    def in_doubt(self) -> Self:
        """Keep those whose outcome is not known."""
        return self.filter(status=OutboxStatus.OUTCOME_UNKNOWN)


class OutboxEntry(Identified, Redactable, StateModel, Fact):
    """One external effect: at least once, under a stable key, and never a guess about its outcome."""

    frozen = ("id", "account", "turn_id", "command_id", "destination", "key", "payload", "created_at")
    redactable = ("payload",)

    account = models.CharField(max_length=64)
    turn = models.ForeignKey(Turn, models.PROTECT, related_name="outbox_entries")
    command = models.ForeignKey(Command, models.PROTECT, related_name="outbox_entries")
    destination = models.CharField(max_length=80)
    key = models.CharField(max_length=64)
    payload = models.TextField()
    status = StateField(max_length=16, default=OutboxStatus.PENDING)
    attempts = models.PositiveIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True)
    claimed_by = models.CharField(max_length=80, default="", blank=True)
    claimed_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    completed_at = models.DateTimeField(null=True)
    remote_ref = models.CharField(max_length=200, default="", blank=True)
    last_failure = models.CharField(max_length=120, default="", blank=True)

    objects = OutboxQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "outbox entries"
        constraints = (
            models.UniqueConstraint(fields=["destination", "key"], name="turnframe_outbox_key"),
            known_value("status", OutboxStatus, "turnframe_outbox_status"),
            stamped_together("turnframe_outbox_door"),
        )
        indexes = (
            models.Index(fields=["created_at", "id"], condition=Q(status="pending"), name="turnframe_outbox_pending"),
            models.Index(fields=["claimed_at"], condition=Q(status="dispatching"), name="turnframe_outbox_claimed"),
        )

    def __str__(self) -> str:
        return f"{self.destination} ({self.status})"

    @transition("status", OutboxStatus.PENDING, OutboxStatus.DISPATCHING)
    def claim(self) -> None:
        """A worker took it and is about to send."""

    @transition("status", (OutboxStatus.DISPATCHING, OutboxStatus.OUTCOME_UNKNOWN), OutboxStatus.PENDING)
    def requeue(self) -> None:
        """It was certainly not accepted and may be sent again."""

    @transition("status", OutboxStatus.DISPATCHING, OutboxStatus.OUTCOME_UNKNOWN)
    def doubt(self) -> None:
        """It may have been accepted; it is never sent again on a guess."""

    @transition("status", (OutboxStatus.DISPATCHING, OutboxStatus.OUTCOME_UNKNOWN), OutboxStatus.COMPLETED)
    def complete(self) -> None:
        """The destination accepted it."""

    @transition("status", (OutboxStatus.DISPATCHING, OutboxStatus.OUTCOME_UNKNOWN), OutboxStatus.FAILED)
    def fail(self) -> None:
        """The destination refused it for good, or its attempts are used up."""
