"""The ledger: committed events, the only source of a receipt."""

from __future__ import annotations

from django.db import models

from turnframe_django.models.command import Command
from turnframe_django.models.fact import Fact, FactManager, Identified, Redactable, stamped_together
from turnframe_django.models.turn import Turn


class DomainEvent(Identified, Redactable, Fact):
    """One committed event. ``position`` counts per account without gaps, in the order of commits."""

    frozen = (
        "id",
        "account",
        "position",
        "turn_id",
        "command_id",
        "engine",
        "case_name",
        "case_id",
        "revision",
        "type",
        "payload",
        "at",
    )
    redactable = ("payload",)

    account = models.CharField(max_length=64)
    position = models.PositiveBigIntegerField()
    turn = models.ForeignKey(Turn, models.PROTECT, related_name="events")
    command = models.ForeignKey(Command, models.PROTECT, related_name="events")
    engine = models.CharField(max_length=16)
    case_name = models.CharField(max_length=80)
    case_id = models.CharField(max_length=80)
    revision = models.PositiveBigIntegerField()
    type = models.CharField(max_length=120)
    payload = models.TextField()
    at = models.DateTimeField()

    objects = FactManager["DomainEvent"]()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["account", "position"], name="turnframe_event_position"),
            stamped_together("turnframe_event_door"),
        )
        indexes = (models.Index(fields=["account", "engine", "case_name", "case_id", "position"], name="turnframe_event_case"),)

    def __str__(self) -> str:
        return f"{self.type} #{self.position}"
