"""Counts the statements that a piece of work sends to the database.

What opens, nests or ends a transaction is kept apart, and so are the key checks that Django runs at the end of a test.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connections

NOT_WORK = ("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "SET CONSTRAINTS", "PRAGMA")
READS = ("SELECT", "EXPLAIN")


class Statements(list[str]):
    """Every statement that was sent, in order, as it was before its parameters were filled in."""

    @property
    def work(self) -> list[str]:
        """Those that read or write rows."""
        return [sql for sql in self if not _starts_with(sql, NOT_WORK)]

    @property
    def writes(self) -> list[str]:
        """Those that may write. A read that locks rows is not one."""
        return [sql for sql in self.work if not _starts_with(sql, READS)]

    def __str__(self) -> str:
        """The work, numbered, one statement a line: the message of a failed count."""
        return "\n".join(f"{number:3}. {' '.join(sql.split())}" for number, sql in enumerate(self.work, 1))


@contextmanager
def counting(using: str = "default") -> Iterator[Statements]:
    """Collect what this thread sends to one database.

    ``with counting() as statements: ...`` and then ``assert len(statements.work) <= 26, statements``.
    """
    statements = Statements()

    def record(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        statements.append(str(sql))
        return execute(sql, params, many, context)

    with connections[using].execute_wrapper(record):
        yield statements


def _starts_with(sql: str, words: tuple[str, ...]) -> bool:
    return sql.lstrip(" \n\t(").upper().startswith(words)
