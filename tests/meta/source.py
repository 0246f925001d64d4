"""Reads the source tree for the tests beside this file."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "turnframe_django"
DEMO = ROOT / "demo_project"


def modules(folder: Path) -> list[Path]:
    """Every module under ``folder`` but migrations."""
    return sorted(path for path in folder.rglob("*.py") if "migrations" not in path.parts)


@cache
def tree(path: Path) -> ast.Module:
    """The parsed module."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def shown(path: Path, node: ast.AST | None = None) -> str:
    """Where that is, as an editor opens it."""
    return f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}"


def imports(path: Path) -> Iterator[tuple[ast.stmt, str]]:
    """Each import that runs, as ``package.module.name``. Those for type checkers only are left out."""
    yield from _imports(path, tree(path).body)


def _imports(path: Path, body: list[ast.stmt]) -> Iterator[tuple[ast.stmt, str]]:
    for node in body:
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node, f"{_absolute(path, node)}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from _imports(path, node.orelse)
        else:
            for part in ("body", "orelse", "finalbody", "handlers", "cases"):
                for inner in getattr(node, part, []):
                    yield from _imports(path, [inner] if isinstance(inner, ast.stmt) else inner.body)


def _absolute(path: Path, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parent = path.relative_to(ROOT).parts[: -node.level]
    return ".".join([*parent, *([node.module] if node.module else [])])
