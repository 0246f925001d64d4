"""What the apps of a site registered: workflows, callbacks, senders, block kinds, each under one name.

The registry sits below the engines, so it keeps what they hand in as opaque objects. A name is taken once: a second registration is refused
and never shadows the first (docs/concepts.md, "Registration").
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import autodiscover_modules

#: What can be registered. ``request`` is the one name space of operations and commands, over all workflows.
Kind: TypeAlias = Literal["workflow", "request", "event", "callback", "sender", "chat", "block"]

#: Modules that every installed app may have beside its ``models.py``.
DISCOVERED = ("workflows", "chats")

_KINDS: tuple[Kind, ...] = ("workflow", "request", "event", "callback", "sender", "chat", "block")
_items: dict[Kind, dict[str, Any]] = {kind: {} for kind in _KINDS}
_owners: dict[tuple[Kind, str], str] = {}


class AlreadyRegistered(ImproperlyConfigured):
    """Two definitions want the same name."""


def add(kind: Kind, name: str, item: object, *, owner: str = "") -> None:
    """Register ``item`` as the ``kind`` called ``name``; ``owner`` says who did, for the message when a second one comes.

    Raises ``AlreadyRegistered``.
    """
    if name in _items[kind]:
        first, second = _owners[kind, name], owner or _described(item)
        whose = f"{first} and {second}" if first != second else f"{first}, twice"
        raise AlreadyRegistered(f"The {kind} name {name!r} is taken: {whose}.")
    _items[kind][name] = item
    _owners[kind, name] = owner or _described(item)


def workflows() -> Mapping[str, Any]:
    """Every registered workflow (``flow.Workflow`` instances) by name, in the order of registration."""
    return MappingProxyType(_items["workflow"])


def requests() -> Mapping[str, Any]:
    """Every operation and command class by key, over all workflows."""
    return MappingProxyType(_items["request"])


def events() -> Mapping[str, Any]:
    """Every event class by code, over all workflows."""
    return MappingProxyType(_items["event"])


def callbacks() -> Mapping[str, Any]:
    """Every callback (``flow.outside.Callback``) by name."""
    return MappingProxyType(_items["callback"])


def senders() -> Mapping[str, Any]:
    """Every sender (``flow.outside.Sender``) by destination."""
    return MappingProxyType(_items["sender"])


def chats() -> Mapping[str, Any]:
    """Every registered chat by name."""
    return MappingProxyType(_items["chat"])


def blocks() -> Mapping[str, Any]:
    """Every kind of block that an app added, by kind."""
    return MappingProxyType(_items["block"])


def autodiscover() -> None:
    """Import ``workflows.py`` and ``chats.py`` of every installed app that has one. An error in such a module is not swallowed."""
    autodiscover_modules(*DISCOVERED)


@contextmanager
def temporary(*, empty: bool = False) -> Iterator[None]:
    """Forget on exit whatever is registered inside; with ``empty``, also begin with nothing. For tests."""
    kept, owners = {kind: dict(items) for kind, items in _items.items()}, dict(_owners)
    if empty:
        _restore({kind: {} for kind in _KINDS}, {})
    try:
        yield
    finally:
        _restore(kept, owners)


@contextmanager
def all_or_nothing() -> Iterator[None]:
    """Register several names together: when one is refused, none of them stays."""
    kept, owners = {kind: dict(items) for kind, items in _items.items()}, dict(_owners)
    try:
        yield
    except BaseException:
        _restore(kept, owners)
        raise


def _restore(items: Mapping[Kind, Mapping[str, Any]], owners: Mapping[tuple[Kind, str], str]) -> None:
    # In place: views handed out earlier stay live.
    for kind in _KINDS:
        _items[kind].clear()
        _items[kind].update(items[kind])
    _owners.clear()
    _owners.update(owners)


def _described(item: object) -> str:
    named: type | Callable[..., Any] | object = item if hasattr(item, "__qualname__") else type(item)
    return f"{getattr(named, '__module__', '?')}.{getattr(named, '__qualname__', named)}"
