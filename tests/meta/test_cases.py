"""The table of behaviours names tests that exist, and no row is missing from it."""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
ROW = re.compile(r"\| ([A-Z]?\d+) \| ([^|]+) \| ([^|]+) \|")
REFERENCE = re.compile(r"([\w/]+\.py)::(test_\w+)")
#: The rows there are, by letter; those of public reports have none.
EXPECTED = {
    "A": [1, 2, 4, 6, 7, 9, 11, 12, 14, 16, 17, 19, 21, 22, 24, 26, 27, 29, 31, 32, 34, 36],
    "B": [1, 3, 5, 6, 8, 10, 11, 13, 15, 16, 18, 20, 21],
    "C": [1, 3, 4, 6, 8, 9],
    "D": [2, 4, 5, 7],
    "F": [1, 3, 5, 6],
    "G": [1, 3, 4, 6],
    "": [1, 2, 4, 6, 7, 9, 11, 12, 14, 16, 17, 19, 21, 22, 24, 26, 27, 29, 79, 81],
}
ROWS = [found.groups() for line in (TESTS / "cases.md").read_text().splitlines() if (found := ROW.fullmatch(line))]


def test_the_table_holds_every_row_once() -> None:
    assert [row for row, _text, _where in ROWS] == [f"{letter}{number}" for letter, numbers in EXPECTED.items() for number in numbers]


@pytest.mark.parametrize(("row", "text", "where"), ROWS, ids=[row for row, _text, _where in ROWS])
def test_a_row_is_held_by_tests_that_exist_or_says_what_it_waits_for(row: str, text: str, where: str) -> None:
    assert text.strip()
    references = REFERENCE.findall(where)
    later = re.fullmatch(r"\(?later: [\w ,-]+\)?", REFERENCE.sub("", where).strip())
    assert later or (references and not REFERENCE.sub("", where).strip()), where
    for file, name in references:
        path = TESTS / file
        assert path.is_file(), f"there is no {file}"
        assert re.search(rf"^(async )?def {name}\(", path.read_text(), re.MULTILINE), f"{file} has no {name}"
