"""Writes the tables of the pages that repeat what the code declares: problems, notices, settings, public names.

``python docs/tables.py`` writes them between ``<!-- table: name -->`` and ``<!-- end -->``; ``--check`` writes nothing and fails where a
page says something else than the code.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import django  # noqa: E402 - the tree comes first
from django.conf import settings as django_settings  # noqa: E402

if not django_settings.configured:
    django_settings.configure(USE_I18N=False, INSTALLED_APPS=["django.contrib.contenttypes", "turnframe_django"])
    django.setup()

from turnframe_django import flow, runtime, testing  # noqa: E402
from turnframe_django.conf import Settings  # noqa: E402
from turnframe_django.flow.notices import NOTICES, REJECTIONS  # noqa: E402
from turnframe_django.protocol.problems import PROBLEMS  # noqa: E402

_PLACE = re.compile(r"(<!-- table: (?P<name>\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def problems() -> str:
    """Return the problems that are sent: status, code, title."""
    sent = sorted(((kind.status, code) for code, kind in PROBLEMS.items() if _is_named(code)), key=lambda row: row[0])
    return table(("Status", "Code", "Meaning"), [(status, f"`{code}`", PROBLEMS[code].title) for status, code in sent])


def reserved() -> str:
    """Return the codes that are declared and that nothing sends."""
    return f"Reserved, and sent by nothing yet: {', '.join(f'`{code}`' for code in (*PROBLEMS, *NOTICES) if not _is_named(code))}.\n"


def notices() -> str:
    """Return the package's own notices: code, severity, sentence."""
    said = {**NOTICES, **{code: ("warning", text) for code, text in REJECTIONS.items()}}
    rows = [(f"`{code}`", severity, str(text).replace("{words}", "…")) for code, (severity, text) in said.items() if _is_named(code)]
    return table(("Code", "Severity", "Says"), rows)


def settings() -> str:
    """Return the keys of ``TURNFRAME``: name, default, meaning."""
    declared, rows = Settings(), []
    for name, member in vars(Settings).items():
        if isinstance(member, property) and name != "TURN_BUDGET":
            meaning = " ".join((member.__doc__ or "").split()).replace("``", "`")
            default = getattr(declared, name)
            rows.append((f"`{name}`", "unset" if default is None else f"`{default!r}`".replace("'", '"'), meaning))
    return table(("Key", "Default", "Meaning"), rows)


def public(module: ModuleType) -> Callable[[], str]:
    """Return the writer of the table of a module's public names: each with the first sentence of its docstring."""
    return lambda: table(("Name", "What it is"), [(f"`{name}`", _described(name, getattr(module, name))) for name in module.__all__])


def _described(name: str, thing: object) -> str:
    if name in _ALIASES:
        return _ALIASES[name]
    text = " ".join((inspect.getdoc(thing) or "").split()).replace("``", "`")
    return re.split(r"(?<=[.;]) ", text)[0].rstrip(";.")


#: Names that have no docstring of their own.
_ALIASES = {
    "Quoted": "A value that must be copied from the user's own words",
    "ScenarioFactory": "The type of the `scenario` fixture",
    "SenderResult": "What a sender returns",
    "Text": "What an author writes for a reader: a string, or a lazily translated one",
}


@cache
def _source() -> str:
    return "\n".join(path.read_text() for path in (ROOT / "turnframe_django").rglob("*.py"))


def _is_named(code: str) -> bool:
    """Whether the package names ``code`` once more than it declares it: whether anything sends it."""
    return _source().count(f'"{code}"') > 1


TABLES: dict[str, Callable[[], str]] = {
    "problems": problems,
    "reserved": reserved,
    "notices": notices,
    "settings": settings,
    "flow": public(flow),
    "runtime": public(runtime),
    "testing": public(testing),
}


def filled(text: str) -> str:
    """Return a page with its tables as the code has them."""
    return _PLACE.sub(lambda place: place[1] + TABLES[place["name"]]() + place[3], text)


def main(arguments: Sequence[str]) -> int:
    """Write the tables, or with ``--check`` name the pages that differ. Returns the exit status."""
    differing = []
    for page in sorted((ROOT / "docs").glob("*.md")):
        text = page.read_text()
        if filled(text) != text:
            differing.append(page.name)
            if "--check" not in arguments:
                page.write_text(filled(text))
    for name in differing:
        sys.stdout.write(f"{name}: {'differs from the code; run python docs/tables.py' if '--check' in arguments else 'written'}\n")
    return int(bool(differing) and "--check" in arguments)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
