"""The adopter's records."""

from __future__ import annotations

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _


class TripQuerySet(models.QuerySet["Trip"]):
    """Trips, by who may see them."""

    def of(self, account: str) -> TripQuerySet:
        """Keep those of the account."""
        return self.filter(account=account)


class Trip(models.Model):
    """A trip somebody plans."""

    class Status(models.TextChoices):
        """Where it stands."""

        DRAFT = "draft", _("Draft")
        REQUOTED = "requoted", _("New price")
        REQUESTED = "requested", _("Requested")
        TICKETED = "ticketed", _("Ticketed")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    account = models.CharField(max_length=64)
    revision = models.PositiveIntegerField(default=0)
    name = models.CharField(max_length=80, blank=True)
    quote = models.JSONField(null=True)
    status = models.CharField(max_length=12, choices=Status, default=Status.DRAFT)

    objects = TripQuerySet.as_manager()

    class Meta:
        """No app is installed for it: nothing reads its table."""

        app_label = "flow_example"

    def __str__(self) -> str:
        return self.name
