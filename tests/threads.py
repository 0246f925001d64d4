"""Runs the same work in several threads at once: the races of the tests."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

from django.db import connections

T = TypeVar("T")
#: How long threads wait for each other, and a race for its threads, in seconds.
PATIENCE = 60


def together(count: int, work: Callable[[int], T]) -> list[T | Exception]:
    """Call ``work(0)`` to ``work(count - 1)``, each on its own thread and connection, all released at once.

    Answers in that order what each returned, or the exception it raised. The test must use ``transactional_db``: what another
    connection has not committed cannot be seen.
    """
    start = Barrier(count)

    def run(number: int) -> T | Exception:
        try:
            connections["default"].ensure_connection()
        except Exception as error:
            start.abort()
            return error
        try:
            start.wait(PATIENCE)
            return work(number)
        except Exception as error:
            return error
        finally:
            connections.close_all()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count), timeout=2 * PATIENCE))
