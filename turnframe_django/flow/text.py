"""Text that the server composes: translated templates filled with localised values, and nothing invisible in them.

A card or receipt may hold a user's words, so what a reader could not see is written out (``\\u{202E}``) before it reaches anybody.
Templates know plain names only: ``str.format`` would follow attributes.
"""

import dataclasses
import datetime as dt
import enum
import re
import string
import unicodedata
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from django.utils import timezone
from django.utils.formats import localize
from django.utils.functional import Promise, lazy
from django.utils.translation import gettext as _

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

    #: What an author writes for a reader: a string, or a lazily translated one.
    Text: TypeAlias = str | _StrPromise
else:
    Text = str | Promise

_NOT_PRINTABLE_ASCII = re.compile(r"[^\x20-\x7e]")
#: Blank or default-ignorable, though Unicode files them under letters and marks.
_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
#: Format characters with a shape of their own: the number signs that precede digits in Arabic, Syriac and Kaithi.
_SHAPED = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_ZWNJ, _ZWJ = "\u200c", "\u200d"


class TemplateError(ValueError):
    """A template that cannot be filled: malformed, or asking for more than plain names."""


def visible(text: str, *, lines: bool = False) -> str:
    """Return ``text`` with every control, bidirectional and zero-width character written out as ``\\u{XXXX}``.

    Right-to-left text passes unchanged, and so do the joiners that Arabic and Indic scripts and joined emoji need between two of their
    own. ``lines`` keeps line feeds and tabs.
    """
    if _NOT_PRINTABLE_ASCII.search(text) is None:
        return text
    kept = "\n\t" if lines else ""
    return "".join(
        character if character in kept or not _is_hidden(text, index) else f"\\u{{{ord(character):04X}}}"
        for index, character in enumerate(text)
    )


def placeholders(template: str) -> frozenset[str]:
    """Return the names that ``template`` asks for. Raises ``TemplateError`` for anything but plain ``{name}`` placeholders."""
    return frozenset(name for _literal, name in _parsed(template) if name is not None)


def fill(template: Text, values: Mapping[str, object]) -> str:
    """Fill ``template`` in the active language with localised values. Raises ``TemplateError``."""
    parts: list[str] = []
    for literal, name in _parsed(str(template)):
        parts.append(literal)
        if name is not None:
            if name not in values:
                raise TemplateError(f"{str(template)!r} asks for {name!r}, which there is not.")
            parts.append(shown(values[name]))
    return "".join(parts)


def _phrase(template: Text, values: Mapping[str, object]) -> str:
    return fill(template, values)


_lazy_phrase = lazy(_phrase, str)


def phrase(template: Text, /, **values: object) -> Text:
    """Return a lazy text: ``template`` filled with localised ``values`` in whatever language is active when it is shown.

    Django's ``format_lazy`` does the same without localising numbers and dates.
    """
    filled: Text = _lazy_phrase(template, values)
    return filled


def shown(value: object) -> str:
    """Return one value as the active language writes it: numbers and dates localised, choices by label, nothing as a dash."""
    if value is None:
        return "—"
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, enum.Enum):
        return str(getattr(value, "label", value.value))
    if isinstance(value, dt.datetime) and timezone.is_aware(value):
        value = timezone.localtime(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        items = sorted(value, key=str) if isinstance(value, (set, frozenset)) else value
        return ", ".join(shown(item) for item in items)
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {shown(item)}" for key, item in value.items())
    if hasattr(value, "model_dump") or dataclasses.is_dataclass(value):
        return shown(vars(value))
    return str(localize(value))


def _parsed(template: str) -> list[tuple[str, str | None]]:
    try:
        parts = list(string.Formatter().parse(template))
    except ValueError as error:
        raise TemplateError(f"{template!r} is not a template: {error}.") from error
    for _literal, name, spec, conversion in parts:
        if name is not None and (not name.isidentifier() or spec or conversion):
            raise TemplateError(f"{template!r}: {{{name}}} is not a plain name; attributes, positions and formats are not followed.")
    return [(literal, name) for literal, name, _spec, _conversion in parts]


def _is_hidden(text: str, index: int) -> bool:
    character = text[index]
    if character in _BLANKS:
        return True
    if character in (_ZWNJ, _ZWJ):
        return not _joins(text, index)
    if unicodedata.category(character) in _HIDDEN_CATEGORIES:
        return character not in _SHAPED
    point = ord(character)
    return point & 0xFFFE == 0xFFFE or 0xFDD0 <= point <= 0xFDEF or 0xE0000 <= point <= 0xE0FFF


def _joins(text: str, index: int) -> bool:
    # A joiner is writing, not hiding, between two letters of a script that joins, or between two emoji.
    before = text[index - 1] if index else ""
    after = text[index + 1] if index + 1 < len(text) else ""
    if not before or not after:
        return False
    if _is_joining_script(before) and _is_joining_script(after):
        return True
    return text[index] == _ZWJ and _is_emoji(before) and _is_emoji(after)


def _is_joining_script(character: str) -> bool:
    if unicodedata.bidirectional(character) == "AL":
        return True
    is_indic = 0x0900 <= ord(character) <= 0x0DFF or 0x1000 <= ord(character) <= 0x109F or 0x1780 <= ord(character) <= 0x18AF
    return (is_indic or 0x0600 <= ord(character) <= 0x08FF) and unicodedata.category(character)[0] in "LM"


def _is_emoji(character: str) -> bool:
    return character == "\ufe0f" or unicodedata.category(character) in ("So", "Sk")
