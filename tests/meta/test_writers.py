"""Only the runtime writes rows, so that one code path locks, checks, records and announces."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.meta.source import PACKAGE, modules, shown, tree

#: Who may write, and the triggers that hold everybody else to it.
WRITERS = ("runtime", "testing", "models/guards.py")
VERBS = {"save", "create", "bulk_create", "bulk_update", "delete", "get_or_create", "update_or_create", "update"}
STATEMENT = re.compile(r"\s*(INSERT INTO|UPDATE\s+\S+\s+SET|DELETE FROM|TRUNCATE)\b", re.IGNORECASE)


def writes(path: Path) -> Iterator[ast.AST]:
    """Calls that write rows, and statements that do."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            verb = node.func.attr
            # A dictionary is updated from one argument, rows are updated by name.
            if (verb in VERBS or verb.removeprefix("a") in VERBS) and not (verb == "update" and node.args):
                yield node
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and STATEMENT.match(node.value):
            yield node


def test_no_rows_are_written_outside_the_runtime():
    strangers = [path for path in modules(PACKAGE) if not path.relative_to(PACKAGE).as_posix().startswith(WRITERS)]
    assert [shown(path, node) for path in strangers for node in writes(path)] == []


@pytest.mark.parametrize(
    "line",
    [
        "turn.save()",
        "Turn.objects.create(text=text)",
        "Turn.objects.filter(pk=pk).update(text='')",
        "await turn.asave()",
        "cursor.execute('UPDATE turnframe_turn SET text = %s', [text])",
    ],
)
def test_a_write_is_noticed(line: str, tmp_path: Path):
    module = tmp_path / "module.py"
    module.write_text(f"async def write():\n    {line}\n")
    assert len(list(writes(module))) == 1
