"""The journal: every command that was decided, with the decision and what became of it."""

from __future__ import annotations

from django.db import models
from django_fsm import transition

from turnframe_django.fields import StateField, StateModel
from turnframe_django.models.fact import Fact, FactManager, Identified, Redactable, known_value, stamped_together
from turnframe_django.models.interaction import Interaction
from turnframe_django.models.turn import Turn
from turnframe_django.protocol.states import CommandStatus, Confirmation, OriginKind, Risk


class Command(Identified, Redactable, StateModel, Fact):
    """One journal entry. Its key is unique in the account, so a command runs once whatever is repeated.

    A command that waits for its card has no ``origin`` until the click writes it, once. ``turn`` is the turn that decided it and
    ``settled_turn`` the one in which it ran or was dropped.
    """

    frozen = (
        "id",
        "account",
        "turn_id",
        "interaction_id",
        "position",
        "engine",
        "case_name",
        "case_id",
        "name",
        "arguments",
        "idempotency_key",
        "expected_revision",
        "risk",
        "confirmation",
        "created_at",
    )
    write_once = ("origin", "outcome", "completed_at", "settled_turn_id")
    redactable = ("arguments",)

    account = models.CharField(max_length=64)
    turn = models.ForeignKey(Turn, models.PROTECT, related_name="commands")
    interaction = models.ForeignKey(Interaction, models.PROTECT, null=True, related_name="commands")
    position = models.PositiveSmallIntegerField(default=0)
    engine = models.CharField(max_length=16)
    case_name = models.CharField(max_length=80)
    case_id = models.CharField(max_length=80)
    name = models.CharField(max_length=120)
    arguments = models.TextField()
    idempotency_key = models.CharField(max_length=64)
    expected_revision = models.PositiveBigIntegerField()
    origin = models.CharField(max_length=32, null=True)
    risk = models.CharField(max_length=32)
    confirmation = models.CharField(max_length=32)
    decision = models.CharField(max_length=64)
    reason = models.CharField(max_length=200)
    status = StateField(max_length=24, default=CommandStatus.AWAITING_CONFIRMATION)
    outcome = models.TextField(default="", blank=True)
    created_at = models.DateTimeField()
    completed_at = models.DateTimeField(null=True)
    settled_turn = models.ForeignKey(Turn, models.PROTECT, null=True, related_name="settled_commands")

    objects = FactManager["Command"]()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["account", "idempotency_key"], name="turnframe_command_key"),
            known_value("status", CommandStatus, "turnframe_command_status"),
            known_value("risk", Risk, "turnframe_command_risk"),
            known_value("confirmation", Confirmation, "turnframe_command_confirmation"),
            known_value("origin", OriginKind, "turnframe_command_origin", null=True),
            models.CheckConstraint(
                condition=~models.Q(status="committed") | models.Q(origin__isnull=False), name="turnframe_committed_has_origin"
            ),
            stamped_together("turnframe_command_door"),
        )

    def __str__(self) -> str:
        return f"{self.name} ({self.status})"

    @transition("status", CommandStatus.AWAITING_CONFIRMATION, CommandStatus.COMMITTED)
    def commit(self) -> None:
        """It ran, and its events stand."""

    @transition("status", CommandStatus.AWAITING_CONFIRMATION, CommandStatus.FAILED)
    def fail(self) -> None:
        """The domain refused it; nothing changed."""

    @transition("status", CommandStatus.AWAITING_CONFIRMATION, CommandStatus.DROPPED)
    def drop(self) -> None:
        """Its card was declined, replaced or ran out; it will never run."""
