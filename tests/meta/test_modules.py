"""What every module looks like."""

import ast
from pathlib import Path

import pytest

from tests.meta.source import DEMO, PACKAGE, ROOT, modules, shown, tree

LONGEST = 600
VAGUE = {"base_utils", "common", "helper", "helpers", "manager", "misc", "util", "utils"}


def test_no_module_is_longer_than_a_thought():
    long = {shown(path): lines for path in modules(PACKAGE) if (lines := len(path.read_text().splitlines())) > LONGEST}
    assert not long


@pytest.mark.parametrize("folder", [PACKAGE, DEMO, ROOT / "tests"], ids=lambda folder: folder.name)
def test_every_module_says_why_it_exists(folder: Path):
    silent = [shown(path) for path in modules(folder) if not (ast.get_docstring(tree(path)) or "").strip()]
    assert not silent


def test_no_module_has_a_name_that_says_nothing():
    assert not [shown(path) for folder in (PACKAGE, DEMO) for path in modules(folder) if path.stem in VAGUE]


def test_no_transition_is_a_coroutine():
    """The state would change at once, and the body would never run."""
    asynchronous = [
        shown(path, node)
        for folder in (PACKAGE, DEMO)
        for path in modules(folder)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.AsyncFunctionDef) and any("transition" in ast.unparse(mark) for mark in node.decorator_list)
    ]
    assert not asynchronous


#: Words of the place where this was written, split so that this file does not hold them.
FOREIGN = ["sub" + "agent", "py" + "pi.org", "regis" + "try.npmjs", "/wo" + "rk/", "/ro" + "ot/"]
TEXTS = {".css", ".html", ".js", ".md", ".po", ".py", ".toml"}


@pytest.mark.parametrize("word", FOREIGN)
def test_the_project_speaks_of_itself_only(word: str):
    folders = [ROOT / name for name in ("demo_project", "docs", "templates", "tests", "turnframe_django")]
    files = [path for folder in folders for path in folder.rglob("*") if path.suffix in TEXTS]
    files += [path for path in ROOT.iterdir() if path.suffix in TEXTS or path.name == "Makefile"]
    assert not [shown(path) for path in files if word in path.read_text(encoding="utf-8")]
