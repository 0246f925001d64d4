"""Whatever a user reads is there in Italian, and the compiled catalogue is the one that is read."""

import ast
import gettext
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
MARKERS = {"_", "gettext", "gettext_lazy", "gettext_noop", "pgettext", "ngettext", "ngettext_lazy"}
TAG = re.compile(r"""\{%\s*(?:translate|trans)\s+(?:"([^"]*)"|'([^']*)')""")
HOSTS = {"turnframe_django": ["turnframe_django"], "demo_project": ["demo_project", "templates"]}


def said_in_python(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKERS:
            first = node.args[0] if node.args else None
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value


def said_in_templates(path: Path) -> Iterator[str]:
    for double, single in TAG.findall(path.read_text(encoding="utf-8")):
        yield double or single


@pytest.mark.parametrize("host", HOSTS)
def test_every_sentence_is_in_the_compiled_italian_catalogue(host: str) -> None:
    with (ROOT / host / "locale/it/LC_MESSAGES/django.mo").open("rb") as compiled:
        catalogue = gettext.GNUTranslations(compiled)
    said: set[str] = set()
    for folder in HOSTS[host]:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix == ".py" and "migrations" not in path.parts:
                said |= set(said_in_python(path))
            elif path.suffix == ".html":
                said |= set(said_in_templates(path))
    assert len(said) > 20
    known: dict[object, str] = catalogue._catalog  # type: ignore[attr-defined]
    missing = sorted(sentence for sentence in said if sentence not in known and (sentence, 0) not in known)
    # Where the demo says a word that Django or the app already translates, its own catalogue need not repeat it.
    assert not missing, "not in Italian: run make messages, then translate\n" + "\n".join(missing)
