"""A card: a persisted question whose meaning the server owns."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.db.models import Q
from django_fsm import transition

from turnframe_django import ids
from turnframe_django.context import Actor
from turnframe_django.fields import StateField, StateModel
from turnframe_django.models.conversation import Conversation
from turnframe_django.models.fact import Fact, FactManager, FactQuerySet, Identified, Redactable, known_value, stamped_together
from turnframe_django.models.turn import Turn
from turnframe_django.protocol.states import OPEN_INTERACTION, CardKind, InteractionStatus, Risk

_OPEN = sorted(str(status) for status in OPEN_INTERACTION)


class InteractionQuerySet(FactQuerySet["Interaction"]):
    """Cards, scoped before anything else."""

    def for_actor(self, actor: Actor) -> Self:
        """Keep those in conversations the actor owns."""
        return self.filter(account=actor.account, conversation__account=actor.account, conversation__owner=actor.user)

    def open(self) -> Self:
        """Keep those that can still be answered."""
        return self.filter(status__in=OPEN_INTERACTION)


class Interaction(Identified, Redactable, StateModel, Fact):
    """One card, bound to a record at a revision.

    ``payload`` is the exact text a client sees, ``payload_hash`` its digest. ``preview_digest`` pins what the user was shown of the record
    and is compared again under the lock. ``resolved_turn`` is the turn that answered it, whose bytes answer every later click.
    """

    frozen = (
        "id",
        "account",
        "conversation_id",
        "turn_id",
        "engine",
        "case_name",
        "case_id",
        "bound_revision",
        "binds_to_revision",
        "key",
        "kind",
        "blocking",
        "payload",
        "payload_hash",
        "preview_digest",
        "text_policy",
        "risk",
        "on_failure",
        "expires_at",
        "created_at",
    )
    redactable = ("payload",)

    account = models.CharField(max_length=64)
    conversation = models.ForeignKey(Conversation, models.PROTECT, related_name="interactions", db_index=False)
    turn = models.ForeignKey(Turn, models.PROTECT, related_name="raised_interactions")
    engine = models.CharField(max_length=16)
    case_name = models.CharField(max_length=80)
    case_id = models.CharField(max_length=80)
    bound_revision = models.PositiveBigIntegerField()
    binds_to_revision = models.BooleanField(default=True)
    key = models.CharField(max_length=120)
    kind = models.CharField(max_length=32)
    blocking = models.BooleanField()
    payload = models.TextField()
    payload_hash = models.CharField(max_length=64)
    preview_digest = models.CharField(max_length=64, default="", blank=True)
    text_policy = models.CharField(max_length=32, default="never")
    risk = models.CharField(max_length=32, default=Risk.IRREVERSIBLE.value)
    on_failure = models.CharField(max_length=8, default="fail")
    status = StateField(max_length=16, default=InteractionStatus.ACTIVE)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    resolved_option_id = models.CharField(max_length=64, default="", blank=True)
    resolved_at = models.DateTimeField(null=True)
    resolved_turn = models.ForeignKey(Turn, models.PROTECT, null=True, related_name="answered_interactions")
    failure_code = models.CharField(max_length=120, default="", blank=True)

    objects = InteractionQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["account", "engine", "case_name", "case_id"],
                condition=Q(blocking=True, status__in=_OPEN),
                name="turnframe_one_open_blocking_card",
            ),
            known_value("status", InteractionStatus, "turnframe_interaction_status"),
            known_value("kind", CardKind, "turnframe_interaction_kind"),
            known_value("risk", Risk, "turnframe_interaction_risk"),
            known_value("on_failure", ("fail", "restore"), "turnframe_interaction_on_failure"),
            stamped_together("turnframe_interaction_door"),
        )
        indexes = (
            models.Index(fields=["account", "engine", "case_name", "case_id", "bound_revision"], name="turnframe_interaction_case"),
            models.Index(fields=["conversation", "created_at"], name="turnframe_interaction_list"),
            models.Index(fields=["expires_at"], condition=Q(status="active"), name="turnframe_interaction_due"),
        )

    def __str__(self) -> str:
        return str(self.id)

    @property
    def is_open(self) -> bool:
        """Whether the card can still be answered."""
        return self.status in OPEN_INTERACTION

    @transition("status", InteractionStatus.ACTIVE, InteractionStatus.RESOLVING)
    def begin_resolving(self) -> None:
        """An answer was accepted beside a message that is still being read."""

    @transition("status", OPEN_INTERACTION, InteractionStatus.RESOLVED)
    def resolve(self) -> None:
        """The chosen action committed."""

    @transition("status", OPEN_INTERACTION, InteractionStatus.DECLINED)
    def decline(self) -> None:
        """The user said no."""

    @transition("status", OPEN_INTERACTION, InteractionStatus.DISMISSED)
    def dismiss(self) -> None:
        """The user put the question aside."""

    @transition("status", OPEN_INTERACTION, InteractionStatus.FAILED)
    def fail(self) -> None:
        """The chosen action was refused."""

    @transition("status", InteractionStatus.ACTIVE, InteractionStatus.INVALIDATED)
    def invalidate(self) -> None:
        """The record moved, or another card took the slot."""

    @transition("status", InteractionStatus.ACTIVE, InteractionStatus.EXPIRED)
    def expire(self) -> None:
        """Its time was over before anybody answered."""

    @transition("status", InteractionStatus.RESOLVING, InteractionStatus.ACTIVE)
    def restore(self) -> None:
        """The turn that was answering it failed, or the card asks to be tried again."""


class InteractionOption(Redactable, Fact):
    """One answer of a card with the action it stands for. The action never leaves the server."""

    frozen = ("id", "interaction_id", "position", "option_id", "label", "action", "freeform_mode", "freeform_max_length", "style")
    redactable = ("label", "action")

    id = models.UUIDField(primary_key=True, default=ids.new_id, editable=False)
    interaction = models.ForeignKey(Interaction, models.PROTECT, related_name="options", db_index=False)
    position = models.PositiveSmallIntegerField()
    option_id = models.CharField(max_length=64)
    label = models.TextField()
    action = models.TextField()
    freeform_mode = models.CharField(max_length=10, default="forbidden")
    freeform_max_length = models.PositiveIntegerField(null=True)
    style = models.CharField(max_length=10, default="secondary")

    objects = FactManager["InteractionOption"]()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["interaction", "option_id"], name="turnframe_option_once"),
            known_value("freeform_mode", ("forbidden", "optional", "required"), "turnframe_option_freeform"),
            stamped_together("turnframe_option_door"),
        )

    def __str__(self) -> str:
        return self.option_id


class InteractionTransition(Fact):
    """One move of a card, written with the change: from, to, when, by which turn and actor, why."""

    frozen = ("id", "interaction_id", "from_status", "to_status", "at", "turn_id", "actor", "reason")

    id = models.UUIDField(primary_key=True, default=ids.new_id, editable=False)
    interaction = models.ForeignKey(Interaction, models.PROTECT, related_name="history")
    from_status = models.CharField(max_length=16, default="", blank=True)
    to_status = models.CharField(max_length=16)
    at = models.DateTimeField()
    turn = models.ForeignKey(Turn, models.PROTECT, null=True, related_name="interaction_transitions", db_index=False)
    actor = models.CharField(max_length=64, null=True)
    reason = models.CharField(max_length=120)

    objects = FactManager["InteractionTransition"]()

    class Meta:
        constraints = (known_value("to_status", InteractionStatus, "turnframe_transition_to"),)

    def __str__(self) -> str:
        return f"{self.from_status} → {self.to_status}"
