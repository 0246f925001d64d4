"""The figures as a table, and the goals as ratios taken in the same run."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from tests.benchmarks.measure import Figures

#: Figures by operation and side.
Results: TypeAlias = Mapping[tuple[str, str], Figures]

WRITING = frozenset({"text", "click"})
TITLES = {"text": "text turn", "click": "click", "repeat": "repeated click", "page": "page of 50 turns", "list": "50 conversations"}
#: What ours may spend of processor time, as a multiple of plain's.
GOALS = {"text": 2.0, "click": 1.3}
HEADINGS = ("", "", "CPU ms", "here", "database", "median ms", "statements", "bytes")


def lines(results: Results, vendor: str) -> Iterator[str]:
    """Yield the table's lines. Bytes are those written ahead (WAL) by a write, where the database tells, and those answered by a read."""
    yield "{:18}{:7}{:>8}{:>8}{:>10}{:>11}{:>12}{:>10}".format(*HEADINGS)
    last = ""
    for (operation, side), figures in results.items():
        title = TITLES[operation] if operation != last else ""
        last = operation
        cells = (
            *(f"{statistics.median(values):.2f}" for values in (figures.cpu_ms, figures.here_ms)),
            f"{statistics.median(figures.there_ms):.2f}" if vendor == "postgresql" else "",
            f"{statistics.median(figures.walls_ms):.2f}",
            str(figures.statements),
            _bytes(operation, figures, vendor),
        )
        yield "{:18}{:7}{:>8}{:>8}{:>10}{:>11}{:>12}{:>10}".format(title, side, *cells)


def ratios(results: Results) -> Iterator[str]:
    """Yield what ours spends beside each baseline, with the goal where there is one."""
    for operation in dict.fromkeys(operation for operation, _side in results):
        told = [f"{TITLES[operation]}: CPU"]
        for side in ("plain", "naive"):
            ratio = _ratio(results[operation, "ours"], results[operation, side])
            goal = GOALS.get(operation) if side == "plain" else None
            told.append(f"{ratio:.2f} × {side}" + (f" (goal ≤ {goal:.1f}, {'met' if ratio <= goal else 'MISSED'})" if goal else ""))
        yield f"{told[0]} {', '.join(told[1:])}"
    first, again = results["click", "ours"], results["repeat", "ours"]
    yield f"a repeated click costs {_ratio(again, first):.2f} × the first"


def _ratio(ours: Figures, theirs: Figures) -> float:
    """The middle of the rounds' ratios: both halves of each were taken within the same second or two."""
    return statistics.median(mine / other for mine, other in zip(ours.cpu_ms, theirs.cpu_ms, strict=True))


def _bytes(operation: str, figures: Figures, vendor: str) -> str:
    if operation not in WRITING:
        return f"{figures.response_bytes:,}"
    return f"{statistics.median(figures.wal_bytes):,.0f}" if vendor == "postgresql" else ""
