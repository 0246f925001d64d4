"""Counters: the numbers that must have neither gaps nor repeats."""

from django.db import models

from turnframe_django.fields import ExactTextField


class Counter(models.Model):
    """The last number given in a scope. Taken last in a transaction and in sorted order, so that nobody waits in a circle."""

    scope = ExactTextField(max_length=100, primary_key=True)
    value = models.PositiveBigIntegerField()

    def __str__(self) -> str:
        return f"{self.scope} = {self.value}"
