"""Where the rows are: a ``DATABASES`` entry made from a URL, with what each engine needs to be safe under concurrent writers."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

#: A transaction that read first cannot become a writer on SQLite, whatever the timeout, so each takes the write lock when it begins.
SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
}


def sqlite(path: str | Path) -> dict[str, Any]:
    """A SQLite file that several threads and processes may write to."""
    return {"ENGINE": "django.db.backends.sqlite3", "NAME": str(path), "OPTIONS": dict(SQLITE_OPTIONS)}


def from_url(url: str) -> dict[str, Any]:
    """The entry for ``sqlite:///path`` or ``postgresql://user:password@host:port/name?option=value``.

    A ``host`` among the options may be the folder of a socket. Raises ``ValueError`` for another scheme.
    """
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        return sqlite(unquote(parts.path).removeprefix("/") or "db.sqlite3")
    if parts.scheme not in {"postgres", "postgresql"}:
        raise ValueError(f"A database URL starts with sqlite: or postgresql:, this one with {parts.scheme!r}.")
    options = dict(parse_qsl(parts.query))
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path).lstrip("/") or "postgres",
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": options.pop("host", None) or unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "OPTIONS": options,
    }
