"""A conversation, its lease, and the records it is about."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.db.models import Q

from turnframe_django import ids
from turnframe_django.context import Actor
from turnframe_django.models.fact import Fact, FactQuerySet, Identified, Redactable, known_value, stamped_together
from turnframe_django.protocol.states import Engine


class ConversationQuerySet(FactQuerySet["Conversation"]):
    """Conversations, scoped before anything else."""

    def for_actor(self, actor: Actor) -> Self:
        """Keep those the actor owns in their account."""
        return self.filter(account=actor.account, owner=actor.user)

    def latest_first(self) -> Self:
        """Order by newest activity, then by id, so that a page has one order."""
        return self.order_by("-last_activity_at", "-id")


class Conversation(Identified, Redactable, Fact):
    """One thread between an owner and an engine.

    ``lease_token`` fences a turn: a stage that does not hold the newest token may not write. ``last_ordinal`` numbers turns under the row's
    lock.
    """

    frozen = ("id", "account", "owner", "engine", "chat_name", "chat_version", "created_at")
    redactable = ("title",)

    account = models.CharField(max_length=64)
    owner = models.CharField(max_length=64)
    engine = models.CharField(max_length=16, default=Engine.FLOW.value)
    chat_name = models.CharField(max_length=80, null=True)
    chat_version = models.PositiveIntegerField(null=True)
    title = models.TextField(default="", blank=True)
    locale = models.CharField(max_length=35)
    last_ordinal = models.PositiveBigIntegerField(default=0)
    lease_token = models.PositiveBigIntegerField(default=0)
    lease_turn = models.UUIDField(null=True)
    lease_until = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    last_activity_at = models.DateTimeField()

    objects = ConversationQuerySet.as_manager()

    class Meta:
        indexes = (models.Index(fields=["account", "owner", "-last_activity_at", "-id"], name="turnframe_conversation_list"),)
        constraints = (
            models.CheckConstraint(condition=~Q(account="") & ~Q(owner=""), name="turnframe_conversation_scoped"),
            known_value("engine", Engine, "turnframe_conversation_engine"),
            stamped_together("turnframe_conversation_door"),
        )

    def __str__(self) -> str:
        return str(self.id)


class ConversationCase(models.Model):
    """A record that a conversation opened, resumed or was started with."""

    id = models.UUIDField(primary_key=True, default=ids.new_id, editable=False)
    conversation = models.ForeignKey(Conversation, models.PROTECT, related_name="cases", db_index=False)
    engine = models.CharField(max_length=16, default=Engine.FLOW.value)
    name = models.CharField(max_length=80)
    case_id = models.CharField(max_length=80)
    created_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["conversation", "engine", "name", "case_id"], name="turnframe_conversation_case_once"),
        )
        indexes = (models.Index(fields=["engine", "name", "case_id"], name="turnframe_conversation_case_of"),)

    def __str__(self) -> str:
        return f"{self.engine}/{self.name}/{self.case_id}"
