"""The outside world: news that comes in through a callback, effects that go out through a sender.

A callback turns a verified body into one command on one record. A sender delivers what an outbox entry holds and says what came of it;
when it cannot tell, it says so, and nothing is sent twice on a guess.
"""

import inspect
import typing
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from functools import cached_property
from typing import Any, TypeAlias, TypeVar
from uuid import UUID

from django.core.exceptions import ImproperlyConfigured
from pydantic import BaseModel

from turnframe_django import registry
from turnframe_django.codec import Json
from turnframe_django.flow.commands import AnyCommand
from turnframe_django.flow.registration import NAME
from turnframe_django.flow.workflow import Workflow

B = TypeVar("B", bound=BaseModel)


class ExternalStatus(StrEnum):
    """How far something sent to the outside has come, in order. For states and events of workflows that track it."""

    PREPARED = "prepared"
    VALIDATED = "validated"
    AWAITING_CONFIRMATION = "awaiting_confirmation"
    SUBMITTED = "submitted"
    RECEIVED_BY_INTERMEDIARY = "received_by_intermediary"
    RECEIVED_BY_AUTHORITY = "received_by_authority"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    ISSUED = "issued"
    NOT_DELIVERED = "not_delivered"
    DELIVERED = "delivered"
    COMPLETED = "completed"

    @property
    def is_final(self) -> bool:
        """Whether nothing more will come of it."""
        return self in (ExternalStatus.REJECTED, ExternalStatus.NOT_DELIVERED, ExternalStatus.COMPLETED)

    @property
    def is_transmitted(self) -> bool:
        """Whether it has left the house."""
        order = list(ExternalStatus)
        return order.index(self) >= order.index(ExternalStatus.SUBMITTED)


@dataclass(frozen=True, slots=True)
class Tell:
    """One command on one record, told from outside."""

    workflow: type[Workflow[Any, Any]]
    case_id: str
    command: AnyCommand


@dataclass(frozen=True)
class Callback:
    """A registered callback: ``function`` is given the body as ``body_type``; ``key`` names one delivery among its repeats."""

    name: str
    function: Callable[[Any], Tell]
    key: Callable[[Any], str] | None = None

    @cached_property
    def body_type(self) -> type[BaseModel]:
        """The pydantic model of the body, from the function's annotation. Raises ``ImproperlyConfigured``."""
        parameters = list(inspect.signature(self.function).parameters)
        hints = typing.get_type_hints(self.function)
        kind = hints.get(parameters[0]) if len(parameters) == 1 else None
        if not (isinstance(kind, type) and issubclass(kind, BaseModel)):
            raise ImproperlyConfigured(f"The callback {self.name!r} takes one argument, annotated with a pydantic model.")
        return kind


def callback(name: str, *, key: Callable[[Any], str] | None = None) -> Callable[[Callable[[B], Tell]], Callable[[B], Tell]]:
    """Register the function that makes news of a body which ``runtime.receive_callback`` was given under ``name``.

    Whoever calls that has checked where the body comes from: the signature is the host's to verify. ``key`` returns the sender's own id
    of a delivery, so that a repeat is known; by default the digest of the body is.
    """

    def decorate(function: Callable[[B], Tell]) -> Callable[[B], Tell]:
        _check_name("callback", name, function)
        registry.add("callback", name, Callback(name, function, key), owner=_owner(function))
        return function

    return decorate


@dataclass(frozen=True, slots=True)
class Outgoing:
    """What a sender delivers. ``key`` is the idempotency key to hand on; ``attempt`` counts from 1."""

    id: UUID
    destination: str
    key: str
    command: str
    payload: dict[str, Json]
    account: str
    workflow: str
    case_id: str
    attempt: int


@dataclass(frozen=True, slots=True)
class Completed:
    """It was delivered; ``remote_ref`` is what the other side calls it."""

    remote_ref: str = ""


@dataclass(frozen=True, slots=True)
class Retryable:
    """It certainly did not arrive and may be sent again, after ``after`` where the other side said so."""

    code: str
    after: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Permanent:
    """It was refused and will not be sent again."""

    code: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """It may have arrived. It is not sent again until somebody knows."""

    remote_ref: str = ""


SenderResult: TypeAlias = Completed | Retryable | Permanent | Unknown
SenderFunction: TypeAlias = Callable[[Outgoing], SenderResult]


@dataclass(frozen=True)
class Sender:
    """A registered sender."""

    destination: str
    function: SenderFunction


def sender(destination: str) -> Callable[[SenderFunction], SenderFunction]:
    """Register the function that delivers outbox entries for ``destination``, as commands name it. It runs in the worker."""

    def decorate(function: SenderFunction) -> SenderFunction:
        _check_name("sender", destination, function)
        registry.add("sender", destination, Sender(destination, function), owner=_owner(function))
        return function

    return decorate


def _check_name(what: str, name: str, function: Callable[..., Any]) -> None:
    if not NAME.fullmatch(name):
        raise ImproperlyConfigured(f"The {what} name {name!r}: lower-case letters, digits and _, a letter first, 64 at most.")
    if inspect.iscoroutinefunction(function):
        raise ImproperlyConfigured(f"The {what} {name!r} may not be async.")


def _owner(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{getattr(function, '__qualname__', function)}"
