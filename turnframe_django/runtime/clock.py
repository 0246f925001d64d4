"""Time as the runtime sees it: the database's, so that two servers with different clocks agree on what has expired."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from turnframe_django.runtime import rows

_shift = timedelta()


def read(value: Any) -> datetime:
    """Turn what the clock column returned into an aware UTC time."""
    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC) + _shift


@contextmanager
def shifted(by: timedelta) -> Iterator[None]:
    """Let the runtime see a time that is ``by`` later, for tests of what time does."""
    global _shift
    before, _shift = _shift, _shift + by
    try:
        yield
    finally:
        _shift = before


def now() -> datetime:
    """Read the database's clock."""
    db = rows.connection()
    with db.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()" if db.vendor == "postgresql" else "SELECT strftime('%Y-%m-%d %H:%M:%f', 'now')")
        return read(cursor.fetchone()[0])
