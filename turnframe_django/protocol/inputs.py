"""What every request body goes through before anything is read: size, strict JSON, a closed schema.

A refusal is a ``Problem`` that names each fault by a JSON pointer and a stable code (docs/protocol.md, "Problems"). It repeats no value
the caller sent.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, TypeVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from turnframe_django import codec
from turnframe_django.codec import CodecError, Json
from turnframe_django.exceptions import Problem

#: Faults that one answer lists; a body of ten thousand unknown members is refused with the first of them.
MOST_ERRORS: Final = 20
#: Longest member name that a pointer repeats, in characters; the fault of a longer one is reported at the object that holds it.
LONGEST_NAME: Final = 100

_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)
_UNKNOWN_ID = "unknown_id"


@dataclass(frozen=True, slots=True)
class InputLimits:
    """How much a caller may send: characters of text, bytes of body, levels of nesting, and the languages there are."""

    max_text_length: int = 50_000
    max_body_bytes: int = 1024 * 1024
    max_depth: int = 32
    locales: frozenset[str] = frozenset({"en"})


class Input(BaseModel):
    """A part of a request body. Types are strict, unknown members are refused, and null means the same as absent."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


I = TypeVar("I", bound=Input)  # noqa: E741


def invalid(pointer: str, code: str, detail: str) -> Problem:
    """Return the ``invalid_input`` problem for one fault."""
    return Problem("invalid_input", errors=[{"pointer": pointer, "code": code, "detail": detail}])


def decoded(raw: bytes, limits: InputLimits) -> Json:
    """Return the value of a request body. Raises ``Problem``: ``payload_too_large``, ``invalid_text`` or ``invalid_input``."""
    if len(raw) > limits.max_body_bytes:
        raise Problem("payload_too_large", max_bytes=limits.max_body_bytes)
    try:
        return codec.decode(raw, max_depth=limits.max_depth)
    except CodecError as error:
        raise problem_of(error) from None


def problem_of(error: CodecError) -> Problem:
    """Return the problem that stands for a refusal of the codec."""
    pointer = error.pointer if len(error.pointer) <= LONGEST_NAME * 4 else ""
    errors: Json = [{"pointer": pointer, "code": error.code, "detail": error.detail}]
    return Problem("invalid_text" if error.code == "invalid_text" else "invalid_input", errors=errors)


def validated(model: type[I], value: Json) -> I:
    """Return ``value`` as ``model``.

    Raises ``Problem`` ``invalid_input`` with every fault, or ``not_found`` when the only fault is an id that cannot be anybody's: to a
    caller a malformed id, an unknown one and a foreign one are the same.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        # Neither the input nor pydantic's own sentences go out: both may hold what the caller wrote.
        faults = error.errors(include_url=False, include_context=False, include_input=False)
    if all(fault["type"] == _UNKNOWN_ID for fault in faults):
        raise Problem("not_found")
    errors: list[Json] = [_described(fault) for fault in faults if fault["type"] != _UNKNOWN_ID]
    raise Problem("invalid_input", errors=errors[:MOST_ERRORS])


def parse_id(value: object) -> UUID | None:
    """Return the UUID that ``value`` writes in its usual form of 36 characters, else None."""
    return UUID(value) if isinstance(value, str) and _UUID.fullmatch(value) else None


def known_id(value: Any) -> Any:
    """Bring an id member into its lower-case form: text that is no UUID is an id nobody has (see ``validated``)."""
    if not isinstance(value, str):
        return value
    found = parse_id(value)
    if found is None:
        raise PydanticCustomError(_UNKNOWN_ID, "This id is not known.")
    return str(found)


_FAULTS: Final[dict[str, tuple[str, str]]] = {
    "extra_forbidden": ("unknown_member", "This member is not known."),
    "missing": ("missing", "This member is required."),
    "string_type": ("wrong_type", "Text is expected."),
    "int_type": ("wrong_type", "A whole number is expected."),
    "is_instance_of": ("wrong_type", "Text is expected."),
    "model_type": ("wrong_type", "An object is expected."),
    "model_attributes_type": ("wrong_type", "An object is expected."),
    "list_type": ("wrong_type", "A list is expected."),
    "greater_than_equal": ("out_of_range", "The number is too small."),
    "less_than_equal": ("out_of_range", "The number is too large."),
    "string_too_short": ("too_short", "The text is too short."),
    "string_too_long": ("too_long", "The text is too long."),
    "too_long": ("too_long", "The list is too long."),
}


def _described(fault: ErrorDetails) -> Json:
    code, detail = _FAULTS.get(fault["type"], ("invalid", "This value is not allowed."))
    return {"pointer": _pointer(fault["loc"]), "code": code, "detail": detail}


def _pointer(location: tuple[int | str, ...]) -> str:
    steps: list[str] = []
    for step in location:
        name = str(step)
        if len(name) > LONGEST_NAME:
            break
        steps.append("/" + name.replace("~", "~0").replace("/", "~1"))
    return "".join(steps)


def check_locale(locale: str | None, limits: InputLimits) -> None:
    """Raise ``invalid_input`` unless ``locale`` is absent or one of the site's languages."""
    if locale is not None and locale not in limits.locales:
        raise invalid("/locale", "unknown_locale", "This site does not have that language.")
