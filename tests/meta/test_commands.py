"""The two commands that a newcomer types, as far as they can be told from the files."""

import re
import subprocess

from tests.meta.source import ROOT

MAKEFILE = (ROOT / "Makefile").read_text()


def test_make_alone_prints_a_line_for_each_target():
    printed = subprocess.run(["make", "--no-print-directory"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    declared = re.search(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE)
    assert declared
    assert [line.split()[1] for line in printed.splitlines()] == declared[1].split()


def test_everything_is_tested_on_both_databases():
    planned = subprocess.run(["make", "--dry-run", "test"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    order = [
        "ruff check",
        "ruff format --check",
        "mypy",
        "lint-imports",
        "makemigrations --check",
        "TEST_DATABASE=sqlite",
        "TEST_DATABASE=postgres",
    ]
    places = [planned.find(step) for step in order]
    assert -1 not in places
    assert places == sorted(places), "the quick checks come first"
    assert "make test" in (ROOT / ".ci" / "run").read_text()
