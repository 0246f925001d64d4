"""The records of the test workflows."""

from __future__ import annotations

from django.db import models

from turnframe_django.models import CaseModel


class ParcelQuerySet(models.QuerySet["Parcel"]):
    """Parcels, by who may see them."""

    def of(self, account: str) -> ParcelQuerySet:
        """Keep those of the account."""
        return self.filter(account=account)


class Parcel(CaseModel):
    """A parcel that somebody sends: named, weighed, handed to a carrier who answers later."""

    class Status(models.TextChoices):
        """Where the parcel is."""

        PACKING = "packing"
        OFFERED = "offered"
        DOUBTED = "doubted"
        SENT = "sent"
        ARRIVED = "arrived"
        DISCARDED = "discarded"

    name = models.CharField(max_length=80, blank=True)
    weight = models.PositiveIntegerField(null=True)
    note = models.TextField(blank=True)
    hidden_from = models.CharField(max_length=64, blank=True)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.PACKING)

    objects = ParcelQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name or "a parcel"
