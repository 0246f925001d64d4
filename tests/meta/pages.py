"""The documents of the project as tests read them: their fenced blocks, headings, anchors and links.

A page of docs/ is plain Markdown. A block of Python begins with a comment that names the file it belongs to (``# desk/models.py``); blocks
of one file are joined in the order in which a reader meets them. A block that is only a part of a file of this project is preceded by
``<!-- excerpt: path -->``, and one that cannot be run by ``<!-- not run: why -->``.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"

#: The order in which a reader meets them.
PAGES = ("start", "concepts", "workflows", "protocol", "operating", "extending", "upgrading", "reference")

_FENCE = re.compile(r"^(?P<marks>```+)(?P<language>\w*)\n(?P<text>.*?)^(?P=marks)$", re.MULTILINE | re.DOTALL)
_NOTE = re.compile(r"<!--\s*(?P<what>excerpt|not run):\s*(?P<rest>.*?)\s*-->\s*$")
_FILE = re.compile(r"^# (?P<path>[\w./-]+\.(?:py|ini))\n", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6} (?P<title>.+?)\s*$", re.MULTILINE)
_LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")
_CODE = re.compile(r"`[^`\n]*`")


@dataclass(frozen=True, slots=True)
class Snippet:
    """One fenced block: its language and text, the page and line it stands at, and what an HTML comment before it says."""

    page: Path
    line: int
    language: str
    text: str
    excerpt_of: str = ""
    not_run: str = ""

    @property
    def where(self) -> str:
        """Where a reader finds it."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def files(self) -> list[tuple[str, str]]:
        """The files it holds, each as its path and text; empty when its first line names none."""
        found = list(_FILE.finditer(self.text))
        if not found or found[0].start():
            return []
        ends = [*(match.start() for match in found[1:]), len(self.text)]
        return [(match["path"], self.text[match.end() : end].strip("\n") + "\n") for match, end in zip(found, ends, strict=True)]


def page(name: str) -> Path:
    """Return the path of the page called ``name``."""
    return ROOT / "docs" / f"{name}.md"


def every_page() -> list[Path]:
    """Return the documents that are held to these rules: the pages in reading order, and those at the top."""
    known = [page(name) for name in PAGES]
    return [*known, *sorted(set((ROOT / "docs").glob("*.md")) - set(known)), *sorted(ROOT.glob("*.md"))]


def snippets(path: Path, language: str = "") -> list[Snippet]:
    """Return the fenced blocks of a document in order, those in ``language`` where it is given."""
    text = path.read_text()
    found = []
    for match in _FENCE.finditer(text):
        note = _NOTE.search(text[: match.start()].rstrip())
        said = {note["what"]: note["rest"]} if note else {}
        line = text.count("\n", 0, match.start()) + 1
        found.append(Snippet(path, line, match["language"], match["text"], said.get("excerpt", ""), said.get("not run", "")))
    return [snippet for snippet in found if not language or snippet.language == language]


def section(path: Path, title: str) -> str:
    """Return the text below the heading ``title``, up to the next heading of its level or a higher one."""
    text = _blanked(path.read_text(), keep_code=True)
    heading = re.search(rf"^(?P<level>#+) {re.escape(title)}\s*$", text, re.MULTILINE)
    assert heading is not None, f"{path} has no section {title!r}"
    rest = path.read_text()[heading.end() :]
    following = re.search(rf"^#{{1,{len(heading['level'])}}} ", _blanked(rest, keep_code=True), re.MULTILINE)
    return rest[: following.start()] if following else rest


def titles(path: Path) -> list[str]:
    """Return the headings of a document."""
    return [match["title"] for match in _HEADING.finditer(_blanked(path.read_text(), keep_code=True))]


def anchors(path: Path) -> set[str]:
    """Return the anchors of a document's headings, as GitHub makes them."""
    made: set[str] = set()
    for title in titles(path):
        base = re.sub(r"[^\w\- ]", "", title.lower().replace("`", "")).replace(" ", "-")
        name, number = base, 0
        while name in made:
            number += 1
            name = f"{base}-{number}"
        made.add(name)
    return made


def links(path: Path) -> Iterator[str]:
    """Yield the targets of a document's links and pictures."""
    for match in _LINK.finditer(_blanked(path.read_text())):
        yield match["target"]


def _blanked(text: str, *, keep_code: bool = False) -> str:
    # Of the same length and lines, so that positions stay true.
    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match[0])

    text = _FENCE.sub(blank, text)
    return text if keep_code else _CODE.sub(blank, text)
