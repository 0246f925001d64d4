"""The tree keeps its rules: small files that say why they exist, and one place that writes."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = ROOT / "turnframe_django"
LONGEST = 600
#: Where rows of ours are written: the verbs, and the kit that tests a host.
WRITERS = ("runtime", "testing")
WRITES = {
    "save",
    "update",
    "create",
    "bulk_create",
    "bulk_update",
    "get_or_create",
    "update_or_create",
    "delete",
    "asave",
    "adelete",
    "acreate",
    "aupdate",
}
#: What is called like a write and is none: dictionaries and sets.
MODULES = [path for path in sorted(PACKAGE.rglob("*.py")) if "migrations" not in path.parts]


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", MODULES, ids=named)
def test_a_module_is_short_and_says_why_it_exists(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= LONGEST, f"{named(path)} has more than {LONGEST} lines"
    assert ast.get_docstring(ast.parse(text)), f"{named(path)} does not say why it exists"


def test_only_the_runtime_writes_rows() -> None:
    found = [
        f"{named(path)}:{line} .{name}()"
        for path in MODULES
        if path.relative_to(PACKAGE).parts[0] not in WRITERS
        for line, name in written(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not found, "rows are written outside runtime/:\n" + "\n".join(found)


def written(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield each call that looks like a write of rows: on a manager, a queryset, or a name that holds a row."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in WRITES:
            source = ast.unparse(node.func.value)
            if re.search(r"\bobjects\b|filter\(|exclude\(|all\(\)|_default_manager|queryset|super\(\)", source) or node.func.attr in (
                "save",
                "bulk_create",
            ):
                yield node.lineno, node.func.attr


def test_a_write_outside_the_runtime_would_be_found() -> None:
    assert list(written(ast.parse("Turn.objects.filter(pk=1).update(phase='x')")))
    assert list(written(ast.parse("turn.save()")))
    assert not list(written(ast.parse("{}.update(a=1)")))


def test_names_say_what_is_inside() -> None:
    vague = {"utils", "helpers", "common", "manager", "misc"}
    assert not [named(path) for path in MODULES if path.stem in vague]


@pytest.mark.parametrize("word", ["sub" + "agent", "py" + "pi.org", "regis" + "try.npmjs", "/wo" + "rk/", "/ro" + "ot/"])
def test_the_project_speaks_of_itself_only(word: str) -> None:
    suffixes = {".py", ".md", ".toml", ".html", ".css", ".po", ".js"}
    folders = ("turnframe_django", "demo_project", "tests", "templates", "docs")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in suffixes]
    files += [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "Makefile", "pyproject.toml")]
    assert not [named(path) for path in files if word in path.read_text(encoding="utf-8")]
