"""One run on one database: a new database, everything prepared, the sides interleaved, the tables printed."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection
from django.test.utils import setup_databases, teardown_databases

from tests import databases
from tests.benchmarks import measure, table
from tests.benchmarks.measure import Figures
from tests.benchmarks.operations import OPERATIONS, SIDES, Site, prepared
from turnframe_django.management.progress import Progress

WARM_UP = 3


def on_a_new_database(rounds: int, requests: int) -> None:
    """Make the database, measure, print, and leave nothing behind."""
    made = setup_databases(verbosity=0, interactive=False, serialized_aliases=())
    try:
        with _another_connection():
            _measured(rounds, requests)
    finally:
        teardown_databases(made, verbosity=0)
        databases.sweep()


@contextmanager
def _another_connection() -> Iterator[None]:
    """Keep a SQLite file open, as other workers of a site do: were ours the only one, each close would write the whole log back."""
    if connection.vendor != "sqlite":
        yield
        return
    other = connection.copy()
    other.ensure_connection()
    try:
        yield
    finally:
        other.close()


def _measured(rounds: int, requests: int) -> None:
    sides = prepared(Site.open())
    with connection.cursor() as cursor:
        # The planner knows the tables of a site that runs for a while; here nothing has told it yet.
        cursor.execute("ANALYZE")
    results = {(operation, side): Figures() for operation in OPERATIONS for side in SIDES}
    for (operation, side), figures in results.items():
        for call in sides[side].calls(operation, WARM_UP):
            measure.count(figures, call)
    progress = Progress(sys.stderr, rounds * len(results), connection.display_name)
    for number in range(rounds):
        for operation in OPERATIONS:
            # Whoever comes first in one round comes later in the next, so that none has the quiet moments to itself.
            for side in (*SIDES[number % len(SIDES) :], *SIDES[: number % len(SIDES)]):
                calls = list(sides[side].calls(operation, requests))
                gc.collect()
                measure.measure(results[operation, side], calls)
                progress.advance()
    progress.finish()
    print(f"\n{connection.display_name}: {rounds} rounds of {requests} requests, medians\n")
    print("\n".join(table.lines(results, connection.vendor)))
    print()
    print("\n".join(table.ratios(results)))
