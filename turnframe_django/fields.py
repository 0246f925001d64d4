"""The fields of our tables: a state that nothing but a declared move changes, whatever other threads do, and a text used as a key.

django-fsm-2 protects a field by a flag on the class and switches it off for the whole process while any row reloads. Here the mark belongs
to the one instance and the one thread that reloads. A model with a ``StateField`` inherits ``StateModel``.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NoReturn, Self, overload

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django_fsm import FSMField, FSMFieldDescriptor, State

if TYPE_CHECKING:
    from django.db.models.fields import _FieldDescriptor

    TextColumn = models.CharField[str, str]
else:
    TextColumn = models.CharField

#: The instances that this thread is reloading, by identity. A context variable: another thread that holds the same row sees nothing.
_reloading: ContextVar[frozenset[int]] = ContextVar("turnframe_reloading", default=frozenset())


class StateDescriptor(FSMFieldDescriptor):
    """Refuses a direct change of a state. The value it already has may be set again, as ``full_clean`` does."""

    field: StateField

    def __set__(self, instance: models.Model, value: Any) -> None:
        name, state = self.field.attname, instance.__dict__
        if name in state and state[name] != value and id(instance) not in _reloading.get():
            raise AttributeError(f"{self.field.name} changes only through the transitions of {type(instance).__name__}.")
        self.field.set_state(instance, value)

    def __delete__(self, instance: models.Model) -> NoReturn:
        raise AttributeError(f"{self.field.name} changes only through the transitions of {type(instance).__name__}.")


class StateField(FSMField):
    """A state, held as a plain ``str``: in memory, after a move and after a reload alike.

    Always protected and never editable, so forms leave it out and serializers read it only. ``default`` is the state a row starts in.
    Migrations name this path with plain values and no labels, so a renamed label or enum is no migration. A transition may neither be a
    coroutine nor compute its target nor set a state on an error: all three lie in django-fsm-2 4.2.4, and the class is refused.
    """

    descriptor_class = StateDescriptor

    def __init__(self, *, max_length: int, default: str, **options: Any) -> None:
        options |= {"max_length": max_length, "default": str(default), "protected": True, "editable": False}
        super().__init__(**options)

    def deconstruct(self) -> tuple[str, str, Sequence[Any], dict[str, Any]]:
        """Return what a migration writes: our path, a plain default, and neither labels nor what is always so."""
        name, path, args, options = super().deconstruct()
        for constant in ("protected", "editable", "choices"):
            options.pop(constant, None)
        return name, path, args, options

    def set_state(self, instance: models.Model, state: Any) -> None:
        """Store ``state`` on the instance, as text where it is an enum's member."""
        instance.__dict__[self.attname] = str(state) if isinstance(state, str) else state

    def _collect_transitions(self, *args: Any, **kwargs: Any) -> None:
        super()._collect_transitions(*args, **kwargs)
        for name, method in self.transitions.get(kwargs["sender"], {}).items():
            where = f"{kwargs['sender'].__name__}.{name}"
            if inspect.iscoroutinefunction(inspect.unwrap(method)):
                raise TypeError(f"{where} is a coroutine: its body would never run.")
            for move in method._django_fsm.transitions.values():
                if isinstance(move.target, State):
                    raise TypeError(f"{where} computes its target.")
                if move.on_error is not None:
                    raise TypeError(f"{where} has on_error, which a rollback would lose.")

    if TYPE_CHECKING:

        @overload
        def __get__(self, instance: None, owner: Any) -> _FieldDescriptor[Self]: ...
        @overload
        def __get__(self, instance: models.Model, owner: Any) -> str: ...
        @overload
        def __get__(self, instance: Any, owner: Any) -> Self: ...
        def __get__(self, instance: Any, owner: Any) -> Any: ...

        def __set__(self, instance: models.Model, value: NoReturn) -> None: ...


class StateModel(models.Model):
    """A model with state fields: its rows reload, one by one, without opening the fields of any other row or thread."""

    class Meta:
        abstract = True

    def refresh_from_db(
        self,
        using: str | None = None,
        fields: Iterable[str] | None = None,
        from_queryset: models.QuerySet[Self] | None = None,
    ) -> None:
        """Reload from the database, states included. ``arefresh_from_db`` runs this very method on its thread."""
        mark = _reloading.set(_reloading.get() | {id(self)})
        try:
            super().refresh_from_db(using=using, fields=fields, from_queryset=from_queryset)
        finally:
            _reloading.reset(mark)

    def _get_protected_fsm_fields(self) -> set[str]:
        # django-fsm's own mixin, when an adopter adds it, would switch the class-wide flag of these.
        return set()


class ExactTextField(TextColumn):
    """A short text that is looked up whole, as a key is. It has one index where Django would add a second one for patterns (``_like``)."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        """Return the column's type; on PostgreSQL in the long form, which is the same type and asks Django for no ``_like`` index."""
        if connection.vendor == "postgresql":
            return f"character varying({self.max_length})"
        return super().db_type(connection)
