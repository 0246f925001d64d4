"""Trips, and the extras that belong to them. A workflow's record is an ordinary model with an account and a revision."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _

from turnframe_django.models import CaseModel


class TripQuerySet(models.QuerySet["Trip"]):
    """Trips, scoped before anything else."""

    def of(self, account: str) -> TripQuerySet:
        """Keep the trips of one account."""
        return self.filter(account=account)


class Trip(CaseModel):
    """A trip: what the traveller asked for, what the airline quoted, and where the two stand."""

    class Status(models.TextChoices):
        DRAFT = "draft", _("Draft")
        REQUESTED = "requested", _("Requested")
        REQUOTED = "requoted", _("New price")
        REFUSED = "refused", _("Refused")
        TICKETED = "ticketed", _("Ticketed")
        WITHDRAWN = "withdrawn", _("Withdrawn")

    name = models.CharField(max_length=80, blank=True)
    date = models.DateField(null=True, blank=True)
    quote = models.JSONField(null=True, blank=True)
    status = models.CharField(max_length=12, choices=Status, default=Status.DRAFT)

    objects = TripQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name or "…"


class Extra(models.Model):
    """Something beside the flight, and who pays for it; nobody yet when ``payer`` is empty."""

    trip = models.ForeignKey(Trip, models.CASCADE, related_name="extras")
    name = models.CharField(max_length=60)
    payer = models.CharField(max_length=80, blank=True)

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint("trip", Lower("name"), name="travel_extra_once"),)

    def __str__(self) -> str:
        return self.name
