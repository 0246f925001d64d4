"""One transaction of the runtime: durable, bounded in its waits, retried where the database asks for it.

Every write goes through ``transaction``. A wait for a lock ends after ``LOCK_WAIT_SECONDS`` with a problem that says "retry"; a deadlock
or a serialization failure is retried whole, at most three times, because nothing of the attempt was kept.
"""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from django.db import Error, OperationalError, transaction

from turnframe_django.conf import settings
from turnframe_django.exceptions import Problem
from turnframe_django.runtime import rows

T = TypeVar("T")

_ATTEMPTS: Final = 3
_RETRIED: Final = frozenset({"40001", "40P01"})
_LOCK_NOT_AVAILABLE: Final = "55P03"


class LockWaitOver(Exception):
    """Somebody else kept a row locked for longer than the runtime waits."""


@contextmanager
def work() -> Iterator[None]:
    """Open one durable transaction. On PostgreSQL its waits for locks are bounded; on SQLite the connection's own time-out bounds them."""
    with transaction.atomic(using=rows.database(), durable=True):
        db = rows.connection()
        if db.vendor == "postgresql":
            with db.cursor() as cursor:
                cursor.execute(f"SET LOCAL lock_timeout = {max(1, int(settings.LOCK_WAIT_SECONDS * 1000))}")
        yield


@contextmanager
def savepoint() -> Iterator[None]:
    """Open a savepoint inside the running transaction."""
    with transaction.atomic(using=rows.database()):
        yield


def retried(attempt: Callable[[], T]) -> T:
    """Run ``attempt``, a whole transaction, again where the database rolled it back for its own reasons.

    Raises ``LockWaitOver`` when a lock was not to be had, and ``Problem`` ``temporarily_unavailable`` when the attempts are used up.
    """
    inside = rows.connection().in_atomic_block
    for number in range(1, _ATTEMPTS + 1):
        try:
            return attempt()
        except OperationalError as error:
            state = _sqlstate(error)
            # SQLite says so only after its own time-out, which was wait enough.
            if state == _LOCK_NOT_AVAILABLE or "database is locked" in str(error):
                raise LockWaitOver from error
            if state not in _RETRIED or inside:
                raise
            if number == _ATTEMPTS:
                raise Problem("temporarily_unavailable", retry_after=1) from error
        time.sleep(random.uniform(0.01, 0.05) * number)
    raise AssertionError("unreachable")


def let_go() -> None:
    """Give this thread's connection back before a wait on the outside, unless a surrounding transaction (a test's) owns it."""
    connection = rows.connection()
    if not connection.in_atomic_block:
        connection.close()


def _sqlstate(error: Error) -> str | None:
    return getattr(error.__cause__, "sqlstate", None)
