"""The one encoder: canonical JSON text and its digest.

Everything that is stored, hashed or sent is encoded here once, so live, reload and replay are the same bytes. The canonical form sorts
keys, uses no white space, writes text as it is, and refuses what a database or a browser would change silently: NaN, infinities, U+0000,
lone surrogates, duplicate keys, integers a JavaScript reader would round.
"""

import hashlib
import json
import math
import re
from typing import Literal, NoReturn, TypeAlias

Json: TypeAlias = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
CodecCode: TypeAlias = Literal[
    "invalid_json", "duplicate_key", "not_finite", "invalid_text", "too_deep", "integer_range", "float_forbidden"
]

#: The largest whole number every JSON reader keeps exactly.
LARGEST_INTEGER = 2**53

_CANONICAL = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True)
_FORBIDDEN_TEXT = re.compile("[\x00\ud800-\udfff]")
# Possessive, and an unfinished string runs to the end: one pass whatever the text holds.
_STRING_OR_BRACKET = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{]|[\]}]', re.DOTALL)


class CodecError(ValueError):
    """A value or text that has no canonical form. ``pointer`` is a JSON pointer (RFC 6901) where one is known."""

    def __init__(self, code: CodecCode, detail: str, pointer: str = "") -> None:
        super().__init__(detail)
        self.code: CodecCode = code
        self.detail = detail
        self.pointer = pointer


class _DuplicateKey(ValueError):
    pass


def encode(value: Json, *, floats: bool = True) -> str:
    """Return the canonical JSON text of ``value``.

    ``floats=False`` is for hashed payloads (cards, journal arguments, events), where a float would not survive every database.
    Raises ``CodecError``.
    """
    _check(value, "", floats)
    return _CANONICAL.encode(value)


def decode(text: str | bytes, *, max_depth: int = 32) -> Json:
    """Parse strict JSON. Nesting deeper than ``max_depth`` levels is refused before parsing. Raises ``CodecError``."""
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError as error:
            raise CodecError("invalid_json", "The text is not UTF-8.") from error
    _check_depth(text, max_depth)
    try:
        value: Json = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except _DuplicateKey as error:
        raise CodecError("duplicate_key", "An object names a member twice.") from error
    except CodecError:
        raise
    except (ValueError, RecursionError) as error:
        raise CodecError("invalid_json", "The text is not JSON.") from error
    _check(value, "", True)
    return value


def digest(text: str) -> str:
    """Return the SHA-256 of ``text`` in UTF-8 as 64 hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def is_clean_text(text: str) -> bool:
    """Whether ``text`` holds neither U+0000 nor a lone surrogate, so that every database and client keeps it."""
    return _FORBIDDEN_TEXT.search(text) is None


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _DuplicateKey
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise CodecError("not_finite", f"{name} is not JSON.")


def _check_depth(text: str, max_depth: int) -> None:
    # Strings are skipped as whole tokens, so a bracket inside one does not count. An unfinished string simply counts as nothing:
    # the parser refuses it right after.
    depth = 0
    for token in _STRING_OR_BRACKET.finditer(text):
        first = text[token.start()]
        if first in "[{":
            depth += 1
            if depth > max_depth:
                raise CodecError("too_deep", f"The text nests deeper than {max_depth} levels.")
        elif first in "]}":
            depth -= 1


def _check(value: Json, pointer: str, floats: bool) -> None:
    if isinstance(value, str):
        if not is_clean_text(value):
            raise CodecError("invalid_text", "Text may hold neither U+0000 nor a lone surrogate.", pointer)
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, int):
        if not -LARGEST_INTEGER <= value <= LARGEST_INTEGER:
            raise CodecError("integer_range", "An integer is beyond ±2**53.", pointer)
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise CodecError("not_finite", "A number is not finite.", pointer)
        if not floats:
            raise CodecError("float_forbidden", "A hashed payload may not hold a float; write decimals as text.", pointer)
    elif isinstance(value, dict):
        for key, member in value.items():
            if not isinstance(key, str):
                raise CodecError("invalid_json", f"An object key is {type(key).__name__}, not text.", pointer)
            if not is_clean_text(key):
                raise CodecError("invalid_text", "Text may hold neither U+0000 nor a lone surrogate.", pointer)
            _check(member, f"{pointer}/{_escaped(key)}", floats)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _check(item, f"{pointer}/{index}", floats)
    else:
        raise CodecError("invalid_json", f"{type(value).__name__} has no JSON form.", pointer)


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
