"""What a model may say about an operation: the schema of its arguments, and the strict reading of what came back.

On the wire every ``Quoted`` value is ``{"value": …, "quote": …}``. The quote must stand in the user's message, letter by letter, and a
text must stand in its quote; everything else about the value is pydantic's (docs/concepts.md, "What a model may propose").
"""

import copy
from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticUserError

from turnframe_django import codec
from turnframe_django.codec import Json
from turnframe_django.flow.data import Data, dump, fields_of
from turnframe_django.flow.quoting import Copied, is_quoted, loses_quotes, unwrapped, wire_adapter, with_quotes

D = TypeVar("D", bound=Data)

_SUBSCHEMA = ("items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else")
_SUBSCHEMAS = ("anyOf", "oneOf", "allOf", "prefixItems")
_NAMED_SUBSCHEMAS = ("properties", "$defs", "patternProperties", "dependentSchemas")

_made: dict[type, dict[str, Any]] = {}


class ArgumentsRefused(ValueError):
    """Arguments that were not taken: ``code`` is the rejection's code, ``detail`` says which field and why, for the record only."""

    def __init__(self, code: Literal["turnframe.operation.invalid_arguments", "turnframe.evidence.not_in_message"], detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


class UnsupportedField(TypeError):
    """A field that cannot be offered to a model or kept in the journal."""


def schema(cls: type[Data]) -> dict[str, Json]:
    """Return the JSON Schema of the arguments of ``cls`` for a model: no titles, every object closed.

    Raises ``UnsupportedField``.
    """
    if cls not in _made:
        try:
            made = _tidied(wire_adapter(cls).json_schema())
        except PydanticInvalidForJsonSchema as error:
            raise UnsupportedField(f"{cls.__qualname__} has a field without a JSON form: {error.message}") from error
        made.setdefault("required", [])
        made.pop("description", None)
        _made[cls] = made
    return copy.deepcopy(_made[cls])


def read(cls: type[D], arguments: Mapping[str, Json], message: str) -> D:
    """Return the request that untrusted ``arguments`` ask for, each quote found in ``message``. Raises ``ArgumentsRefused``."""
    try:
        text = codec.encode(dict(arguments))
        given = wire_adapter(cls).validate_json(text, strict=True, extra="forbid")
        quoted: list[Copied] = []
        plain = {name: unwrapped(value, quoted) for name, value in given.items()}
        request = cls(**plain)
    except (codec.CodecError, ValidationError, RecursionError) as error:
        raise ArgumentsRefused("turnframe.operation.invalid_arguments", _first_error(error)) from error
    if not all(copied.is_grounded(message) for copied in quoted):
        raise ArgumentsRefused("turnframe.evidence.not_in_message", "A quote is not in the message, or a text not in its quote.")
    return request


def wire(request: Data, quotes: Mapping[str, str] | None = None) -> dict[str, Json]:
    """Return the arguments with which a model would propose ``request``; a field not in ``quotes`` is quoted as it reads.

    Optional fields that hold None are left out.
    """
    given = dict(quotes or {})
    arguments = dump(request)
    out: dict[str, Json] = {}
    for name, info in fields_of(type(request)).items():
        value = arguments[name]
        if value is None and not info.is_required():
            continue
        out[name] = with_quotes(info, value, given.pop(name, None)) if is_quoted(info) else value
    if given:
        raise TypeError(f"{type(request).__qualname__} has no quoted field {', '.join(sorted(given))}.")
    return out


def check_fields(cls: type[Data], *, quoted: bool) -> Iterator[str]:
    """Yield what is wrong with the fields of ``cls``; ``quoted`` says whether it may hold ``Quoted`` ones.

    Floats are refused because journal arguments and event payloads are hashed; ``Quoted`` below a model because its quote would be lost.
    """
    try:
        fields = fields_of(cls)
    except (PydanticUserError, NameError) as error:
        yield f"{cls.__qualname__}: an annotation cannot be resolved: {error}"
        return
    for name, info in fields.items():
        if info.alias is not None or info.validation_alias is not None or info.serialization_alias is not None:
            yield f"{cls.__qualname__}.{name}: an alias is not supported."
        if is_quoted(info) and not quoted:
            yield f"{cls.__qualname__}.{name}: only what a model may propose can be Quoted."
        elif loses_quotes(info):
            yield f"{cls.__qualname__}.{name}: Quoted inside a model or a set would lose its quote; make it a field or a list of its own."
    try:
        stored = TypeAdapter(cls).json_schema(mode="serialization")
    except PydanticInvalidForJsonSchema as error:
        yield f"{cls.__qualname__} has a field without a JSON form: {error.message}"
        return
    if any(part.get("type") == "number" for part in _schemas(stored)):
        yield f"{cls.__qualname__}: a float does not survive every database; use Decimal."


def _first_error(error: Exception) -> str:
    if isinstance(error, ValidationError):
        # The location and the type only: the message would repeat what the user wrote.
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        return f"{'.'.join(str(step) for step in first['loc'])}: {first['type']}"
    return str(error) or type(error).__name__


def _tidied(found: Mapping[str, Any]) -> dict[str, Any]:
    # Keyword by keyword: a field may be called "title", and a default may hold an object.
    out: dict[str, Any] = {}
    for key, value in found.items():
        if key == "title":
            continue
        if key in _SUBSCHEMA and isinstance(value, dict):
            out[key] = _tidied(value)
        elif key in _SUBSCHEMAS:
            out[key] = [_tidied(item) for item in value]
        elif key in _NAMED_SUBSCHEMAS:
            out[key] = {name: _tidied(item) for name, item in value.items()}
        else:
            out[key] = value
    if "properties" in out:
        out["additionalProperties"] = False
    return out


def _schemas(found: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield found
    for key, value in found.items():
        if key in _SUBSCHEMA and isinstance(value, dict):
            yield from _schemas(value)
        elif key in _SUBSCHEMAS:
            for item in value:
                yield from _schemas(item)
        elif key in _NAMED_SUBSCHEMAS:
            for item in value.values():
                yield from _schemas(item)
