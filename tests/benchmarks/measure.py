"""What one request takes: processor time here and in the database, time on the clock, statements, and bytes."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import connection

from tests.benchmarks.operations import Call
from tests.statements import counting

SUCCESS = (200, 201)


@dataclass
class Figures:
    """The figures of one operation on one side; each list holds one figure a round."""

    here_ms: list[float] = field(default_factory=list)
    there_ms: list[float] = field(default_factory=list)
    walls_ms: list[float] = field(default_factory=list)
    wal_bytes: list[float] = field(default_factory=list)
    statements: int = 0
    response_bytes: int = 0

    @property
    def cpu_ms(self) -> list[float]:
        """Processor time here and in the database, round by round."""
        return [here + there for here, there in zip(self.here_ms, self.there_ms, strict=True)]


def count(figures: Figures, call: Call) -> None:
    """Send one request to count its statements and the bytes of its answer."""
    with counting() as statements:
        response = _sent(call)
    figures.statements, figures.response_bytes = len(statements.work), len(response.content)


def measure(figures: Figures, calls: Iterable[Call]) -> None:
    """Send prepared requests and keep what they took, a request."""
    ready = list(calls)
    walls = []
    backend, written = _Backend(), _wal_position()
    began = time.process_time()
    for call in ready:
        at = time.perf_counter()
        _sent(call)
        walls.append((time.perf_counter() - at) * 1000)
    spent = time.process_time() - began
    figures.here_ms.append(spent * 1000 / len(ready))
    figures.there_ms.append(backend.spent_ms() / len(ready))
    figures.walls_ms.append(statistics.median(walls))
    figures.wal_bytes.append((_wal_position() - written) / len(ready))


def _sent(call: Call) -> Any:
    response = call()
    if response.status_code not in SUCCESS:
        raise SystemExit(f"{response.status_code}: {response.content[:500]!r}")
    return response


class _Backend:
    """The processor time of the database process that serves this one; none where the database is a file."""

    def __init__(self) -> None:
        self.process: int | None = None
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_backend_pid()")
                self.process = int(cursor.fetchone()[0])
        self.before = self._read()

    def spent_ms(self) -> float:
        """Milliseconds since this was made."""
        return self._read() - self.before

    def _read(self) -> float:
        if self.process is None:
            return 0.0
        try:
            # Exact to the nanosecond, where the kernel keeps it.
            return int(Path(f"/proc/{self.process}/schedstat").read_text().split()[0]) / 1e6
        except (OSError, IndexError):
            pass
        try:
            ticks = Path(f"/proc/{self.process}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
        except OSError:
            return 0.0
        return sum(map(int, ticks)) * 1000 / os.sysconf("SC_CLK_TCK")


def _wal_position() -> int:
    if connection.vendor != "postgresql":
        return 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')")
        return int(cursor.fetchone()[0])
