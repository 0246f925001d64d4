"""The README's tour with curl works as it is printed, on a demo that was started from a clean copy of the tree."""

import re
import sys
from pathlib import Path

from tests.meta import checkout, pages

TITLE = "A tour with curl"
PORT = 8123
#: What separates the output of one block from the next.
MARK = "=== block {number} ==="


def blocks() -> list[str]:
    """Return the tour's blocks of shell, in order."""
    assert f"make demo PORT={PORT}" in pages.section(pages.README, TITLE)
    lines = pages.README.read_text().splitlines()
    first = lines.index(f"## {TITLE}") + 1
    last = next(number for number, line in enumerate(lines[first:], first) if line.startswith("## "))
    return [snippet.text for snippet in pages.snippets(pages.README, "bash") if first < snippet.line <= last]


def promised(block: str) -> list[str]:
    """Return the lines of output that a block prints as comments."""
    return re.findall(r"^# (.*)$", block, re.MULTILINE)


def test_the_tour_promises_an_output_at_each_step_of_the_way() -> None:
    printed = [line for block in blocks() for line in promised(block)]
    assert len(blocks()) >= 6
    assert len(printed) >= 6
    assert "Idempotency-Replayed: true" in printed
    assert "same bytes" in printed


def test_the_tour_with_curl_works_as_printed(tmp_path: Path) -> None:
    bash, _curl, _python = checkout.required("bash"), checkout.required("curl"), checkout.required("python3")
    tree, walk, port = checkout.copy_tree(tmp_path / "tree"), tmp_path / "walk", checkout.free_port()
    walk.mkdir()
    steps = [f"printf '%s\\n' '{MARK.format(number=number)}'\n{block}" for number, block in enumerate(blocks())]
    (walk / "tour.sh").write_text("\n".join(steps).replace(str(PORT), str(port)))
    with checkout.served([sys.executable, "manage.py", "demo", "--host", "127.0.0.1", "--port", str(port)], port, tree) as said:
        output = checkout.run([bash, "-eu", "tour.sh"], walk)
    parts = re.split(r"^=== block \d+ ===\n", output, flags=re.MULTILINE)[1:]
    got = [part.replace("\r", "").splitlines() for part in parts]
    assert got == [promised(block) for block in blocks()], said.read_text()
