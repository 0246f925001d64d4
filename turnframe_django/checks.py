"""What is wrong with a site's set-up, said when it starts and not in a customer's turn.

``E`` codes stop ``manage.py check``; ``W`` codes are for what will go wrong under load or later. Each has a hint that says what to type.
"""

import difflib
from collections.abc import Iterator, Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings as django_settings
from django.core.checks import CheckMessage, Error
from django.core.checks import Warning as Caution
from django.db import connections

from turnframe_django import registry
from turnframe_django.conf import Settings, load
from turnframe_django.runtime import rows

_PATHS = ("INTERPRETER", "ACTOR_RESOLVER", "STAGE_EXECUTOR")
_NUMBERS = ("MAX_TEXT_LENGTH", "MAX_BODY_BYTES", "MAX_JSON_DEPTH", "MAX_COMMANDS", "STAGE_THREADS", "OUTBOX_ATTEMPTS")
_SECONDS = ("TURN_BUDGET_SECONDS", "LOCK_WAIT_SECONDS")


def check_setup(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Check ``TURNFRAME``, the senders that commands name, and the database's options."""
    return [*_keys(), *_values(), *_paths(), *_apps(), *_senders(), *_sqlite()]


def _given() -> dict[str, Any]:
    given = getattr(django_settings, "TURNFRAME", {})
    return given if isinstance(given, dict) else {}


def _keys() -> Iterator[CheckMessage]:
    if not isinstance(getattr(django_settings, "TURNFRAME", {}), dict):
        yield Error("TURNFRAME is not a dictionary.", hint="TURNFRAME = {}", id="turnframe.E001")
    known = sorted(Settings.keys())
    for key in _given():
        if key not in known:
            near = difflib.get_close_matches(str(key), known, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"Known keys: {', '.join(known)}."
            yield Error(f"TURNFRAME has no key {key!r}.", hint=hint, id="turnframe.E001")


def _values() -> Iterator[CheckMessage]:
    for key, kinds, what in (
        *((key, (int,), "a whole number") for key in _NUMBERS),
        *((key, (int, float), "a number of seconds") for key in _SECONDS),
    ):
        value = _given().get(key)
        if key in _given() and (not isinstance(value, kinds) or isinstance(value, bool) or value <= 0):
            yield Error(f"TURNFRAME[{key!r}] is {value!r}.", hint=f"Give {what} above 0, or leave it out.", id="turnframe.E002")


def _paths() -> Iterator[CheckMessage]:
    for key in _PATHS:
        path = _given().get(key)
        if path is None:
            continue
        try:
            found = load(path)
        except Exception as error:
            # Importing runs the site's own code, which may fail in any way; whatever it is, it would fail in every turn.
            yield Error(
                f"TURNFRAME[{key!r}] names {path!r}, which cannot be imported: {type(error).__name__}: {error}",
                hint="Write the dotted path of a module and a name in it.",
                id="turnframe.E003",
            )
            continue
        if key == "INTERPRETER" and not callable(getattr(found, "interpret", None)):
            yield Error(
                f"TURNFRAME['INTERPRETER'] names {path!r}, which has no interpret().",
                hint="Give it: async def interpret(self, brief) -> flow.Proposal",
                id="turnframe.E004",
            )


def _apps() -> Iterator[CheckMessage]:
    for app in ("rest_framework",):
        if app not in django_settings.INSTALLED_APPS:
            yield Caution(f"{app!r} is not in INSTALLED_APPS.", hint=f"INSTALLED_APPS += [{app!r}]", id="turnframe.W001")


def _senders() -> Iterator[CheckMessage]:
    for key, request in registry.requests().items():
        destination = getattr(request.declared, "destination", None)
        if destination is not None and destination not in registry.senders():
            yield Caution(
                f"The command {key!r} sends to {destination!r}, and nothing delivers there: its entries stay in the outbox.",
                hint=f"Write @flow.sender({destination!r}) in a workflows.py.",
                id="turnframe.W002",
            )


def _sqlite() -> Iterator[CheckMessage]:
    connection = connections[rows.database()]
    options = connection.settings_dict.get("OPTIONS", {})
    if connection.vendor == "sqlite" and str(options.get("transaction_mode", "")).upper() != "IMMEDIATE":
        yield Caution(
            "SQLite's transactions do not begin IMMEDIATE: concurrent writers will fail with 'database is locked'.",
            hint='Set OPTIONS of docs/operating.md: "transaction_mode": "IMMEDIATE" and a timeout.',
            id="turnframe.W003",
        )
