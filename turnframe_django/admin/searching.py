"""Exact search. A UUID is compared as a UUID, never as text, so that the index is used; what is no UUID is in no such column.

A key is unique in a scope, and its index begins with the scope. With the scope before it, it is found wherever it is; alone, it is looked
for among the newest rows, so that no search reads a whole table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db.models import Q
from django.db.models.fields import UUIDField
from django.utils.functional import Promise

#: How many of the newest rows are read for a key whose scope is not given.
NEWEST = 1000

Rows: TypeAlias = Iterable[tuple[Any, ...]]

_UUIDS: UUIDField[str | UUID, UUID] = UUIDField()


@dataclass(frozen=True, slots=True)
class ScopedText:
    """A text column that is unique in ``scope``. ``words`` tell a reader what to type."""

    column: str
    scope: str
    words: str | Promise
    scope_is_id: bool = False


def condition(term: str, id_columns: tuple[str, ...], text: ScopedText | None, newest: Callable[[str], Rows]) -> Q | None:
    """Return what a row must meet to be found by ``term``; ``None`` when nothing was asked for.

    ``newest`` gives the key and one column of the newest rows. They are compared here: inside the condition they would keep the database
    from using the other columns' indexes.
    """
    term = term.strip()
    if not term:
        return None
    found = Q(pk__in=())
    key = as_uuid(term)
    if key is not None:
        for column in id_columns:
            found |= Q(**{column: key})
    if text is not None:
        found |= Q(pk__in=[pk for pk, value in newest(text.column) if value == term])
        found |= _in_scope(term, text)
    return found


def as_uuid(term: str) -> UUID | None:
    """Return the UUID that ``term`` writes, or nothing."""
    try:
        found = _UUIDS.to_python(term)
    except ValidationError:
        return None
    return found if isinstance(found, UUID) else None


def _in_scope(term: str, text: ScopedText) -> Q:
    # An id has no spaces and a key may; an account may have some, and a digest has none.
    parts = term.split(None, 1) if text.scope_is_id else term.rsplit(None, 1)
    if len(parts) < 2:
        return Q(pk__in=())
    scope = as_uuid(parts[0]) if text.scope_is_id else parts[0]
    return Q(pk__in=()) if scope is None else Q(**{text.scope: scope, text.column: parts[1]})
