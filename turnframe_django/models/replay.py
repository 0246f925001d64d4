"""The replay record: why a turn did what it did, and the calls to models that it made."""

from __future__ import annotations

from django.db import models

from turnframe_django.models.fact import Guarded, Identified, Redactable, stamped_together
from turnframe_django.models.turn import Turn


class ReplayRecord(Redactable, Guarded):
    """One per turn, inserted by the commit. ``record`` holds versions, revisions, hashes, decisions and outcomes; ``material`` the proposal
    and the snapshots that reduction read. Retention may delete it; until then only the door changes it.
    """

    frozen = ("turn_id", "record", "material", "at")
    redactable = ("material",)

    turn = models.OneToOneField(Turn, models.PROTECT, primary_key=True, related_name="replay")
    record = models.TextField()
    material = models.TextField(default="", blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints = (stamped_together("turnframe_replay_door"),)

    def __str__(self) -> str:
        return str(self.turn_id)


class ModelCall(Identified):
    """One call to a model: what for, which model, what became of the answer, tokens and milliseconds. Never the words themselves."""

    turn = models.ForeignKey(Turn, models.PROTECT, related_name="model_calls")
    purpose = models.CharField(max_length=40)
    provider = models.CharField(max_length=120)
    model = models.CharField(max_length=120, default="", blank=True)
    prompt_digest = models.CharField(max_length=64)
    verdict = models.CharField(max_length=40)
    input_tokens = models.PositiveIntegerField(null=True)
    output_tokens = models.PositiveIntegerField(null=True)
    latency_ms = models.PositiveIntegerField()
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.purpose} ({self.verdict})"
