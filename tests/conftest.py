"""What every test gets: one database for each worker, no network, and a count of statements."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from django.test import TransactionTestCase

from tests import databases, network
from tests.statements import Statements, counting

ROW_FIXTURES = frozenset({"db", "transactional_db", "django_db_reset_sequences", "django_db_serialized_rollback", "live_server"})


def pytest_configure(config: pytest.Config) -> None:
    """Keep the tests on this machine."""
    network.refuse()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave no file of this run behind."""
    if not hasattr(config, "workerinput"):
        databases.sweep()


def pytest_report_header() -> str:
    """Say which pass this is."""
    return f"database: {databases.VENDOR}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run a test that touches no rows in the SQLite pass only: another database changes nothing for it."""
    if databases.VENDOR == "sqlite":
        return
    rowless = [item for item in items if not _touches_rows(item)]
    if rowless:
        config.hook.pytest_deselected(items=rowless)
        items[:] = [item for item in items if _touches_rows(item)]


def _touches_rows(item: pytest.Item) -> bool:
    if item.get_closest_marker("django_db") or not ROW_FIXTURES.isdisjoint(getattr(item, "fixturenames", ())):
        return True
    return issubclass(getattr(item, "cls", None) or object, TransactionTestCase)


@pytest.fixture
def count_statements() -> Callable[[], AbstractContextManager[Statements]]:
    """Count what this thread sends to the database in a ``with`` block; see ``tests/statements.py``."""
    return counting
