"""Writes the tables of the pages that repeat what the code declares: problems, notices, settings.

``python docs/tables.py`` writes them between ``<!-- table: name -->`` and ``<!-- end -->``; ``--check`` writes nothing and fails where a page
says something else than the code.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from django.conf import settings as django_settings  # noqa: E402 - the tree comes first

if not django_settings.configured:
    django_settings.configure(USE_I18N=False)

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
    sent = [(kind.status, code, kind.title) for code, kind in PROBLEMS.items() if code in _sent()]
    return table(("Status", "Code", "Meaning"), [(status, f"`{code}`", title) for status, code, title in sorted(sent, key=lambda row: row[0])])


def reserved() -> str:
    """Return the codes that are declared and that nothing sends."""
    return f"Reserved, and sent by nothing yet: {', '.join(f'`{code}`' for code in PROBLEMS if code not in _sent())}.\n"


def notices() -> str:
    """Return the package's own notices: code, severity, sentence."""
    rows = [(f"`{code}`", severity, _words(str(text))) for code, (severity, text) in NOTICES.items()]
    return table(("Code", "Severity", "Says"), [*rows, *((f"`{code}`", "warning", _words(str(text))) for code, text in REJECTIONS.items())])


def settings() -> str:
    """Return the keys of ``TURNFRAME``: name, default, meaning."""
    declared, rows = Settings(), []
    for name, member in vars(Settings).items():
        if name in Settings.keys() and name != "TURN_BUDGET":
            meaning = " ".join((member.__doc__ or "").split()).replace("``", "`")
            default = getattr(declared, name)
            rows.append((f"`{name}`", "unset" if default is None else f"`{default!r}`".replace("'", '"'), meaning))
    return table(("Key", "Default", "Meaning"), rows)


def _sent() -> set[str]:
    """Return the codes that the package names anywhere but in their own table."""
    sources = [path.read_text() for path in (ROOT / "turnframe_django").rglob("*.py") if path.name != "problems.py"]
    return {code for code in PROBLEMS if any(f'"{code}"' in source for source in sources)}


def _words(sentence: str) -> str:
    return sentence.replace("{words}", "…")


TABLES: dict[str, Callable[[], str]] = {"problems": problems, "reserved": reserved, "notices": notices, "settings": settings}


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
