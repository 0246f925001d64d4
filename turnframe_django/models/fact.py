"""What every stored fact shares: its key, its refusal to be deleted, and the redaction door.

The rules live in the database (``guards.py`` installs the triggers); the classes here declare which columns they hold.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, ClassVar, NoReturn, TypeVar

from django.db import models
from django.db.models import ProtectedError, Q

from turnframe_django import ids

M = TypeVar("M", bound=models.Model)


class FactQuerySet(models.QuerySet[M]):
    """A queryset whose rows are never deleted. Scope it by account before anything else."""

    def delete(self) -> NoReturn:
        """Refuse: a fact is redacted through its door, never removed."""
        raise ProtectedError(f"{self.model._meta.label} rows are never deleted.", set())


class FactManager(models.Manager[M]):
    """The manager of rows that have no queryset of their own. Written out, because mypy loses a generated one between runs."""

    def get_queryset(self) -> FactQuerySet[M]:
        """Return every row, none of which can be deleted."""
        return FactQuerySet(self.model, using=self._db)


class Guarded(models.Model):
    """A row whose columns the database itself holds, by the triggers of ``guards.py``.

    ``frozen`` columns never change, ``write_once`` columns change from empty (null, or no text) to a value only, and ``redactable`` texts
    may be emptied through the one door: all of them become empty together with ``redacted_at`` and ``redaction_authority`` going from null
    to a value, once. Where every column is frozen, any UPDATE is refused.
    """

    frozen: ClassVar[tuple[str, ...]] = ()
    write_once: ClassVar[tuple[str, ...]] = ()
    redactable: ClassVar[tuple[str, ...]] = ()

    class Meta:
        abstract = True


class Fact(Guarded):
    """A row that is written once and never deleted. PostgreSQL refuses a DELETE as well."""

    class Meta:
        abstract = True

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse: a fact is redacted through its door, never removed."""
        raise ProtectedError(f"{self._meta.label} rows are never deleted.", {self})


class Identified(models.Model):
    """A row keyed by a UUID that is made in Python, so that rows may refer to each other before any is written."""

    id = models.UUIDField(primary_key=True, default=ids.new_id, editable=False)

    class Meta:
        abstract = True


class Redactable(models.Model):
    """The stamp beside a guarded text: when it was emptied, and on whose authority."""

    redacted_at = models.DateTimeField(null=True, editable=False)
    redaction_authority = models.CharField(max_length=120, null=True, editable=False)

    class Meta:
        abstract = True

    @property
    def is_redacted(self) -> bool:
        """Whether the guarded texts of this row were emptied."""
        return self.redacted_at is not None


def known_value(field: str, values: type[StrEnum] | Iterable[str], name: str, *, null: bool = False) -> models.CheckConstraint:
    """Return the constraint that ``field`` holds one of ``values`` (as plain text, so that migrations name no enum), or null if it may."""
    known = Q(**{f"{field}__in": sorted(str(value) for value in values)})
    return models.CheckConstraint(condition=known | Q(**{f"{field}__isnull": True}) if null else known, name=name)


def stamped_together(name: str) -> models.CheckConstraint:
    """Return the constraint that a redaction stamp is whole or absent."""
    return models.CheckConstraint(
        condition=Q(redacted_at__isnull=True, redaction_authority__isnull=True)
        | Q(redacted_at__isnull=False, redaction_authority__isnull=False),
        name=name,
    )
