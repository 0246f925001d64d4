"""What a model may say about an operation: the schema of its arguments, and the strict reading of what came back.

On the wire every ``Quoted`` value is ``{"value": …, "quote": …}``. The quote must stand in the user's message, letter by letter, and a
text must stand in its quote; everything else about the value is pydantic's (docs/concepts.md, "What a model may propose").
"""

import dataclasses
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired, TypeVar, Union, cast, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, TypeAdapter, ValidationError
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticUserError
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, core_schema
from typing_extensions import TypedDict

from turnframe_django import codec
from turnframe_django.codec import Json
from turnframe_django.flow.data import Data, FromUser, dump, fields_of

D = TypeVar("D", bound=Data)

_SUBSCHEMA = ("items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else")
_SUBSCHEMAS = ("anyOf", "oneOf", "allOf", "prefixItems")
_NAMED_SUBSCHEMAS = ("properties", "$defs", "patternProperties", "dependentSchemas")
_CONTAINERS = (list, tuple, dict, Sequence, Mapping)


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
    try:
        found = _wire_adapter(cls).json_schema()
    except PydanticInvalidForJsonSchema as error:
        raise UnsupportedField(f"{cls.__qualname__} has a field without a JSON form: {error.message}") from error
    tidied = _tidied(found)
    tidied.setdefault("required", [])
    tidied.pop("description", None)
    return tidied


def read(cls: type[D], arguments: Mapping[str, Json], message: str) -> D:
    """Return the request that untrusted ``arguments`` ask for, each quote found in ``message``. Raises ``ArgumentsRefused``."""
    try:
        text = codec.encode(dict(arguments))
        given = _wire_adapter(cls).validate_json(text, strict=True, extra="forbid")
        quoted: list[_Copied] = []
        plain = {name: _unwrapped(value, quoted) for name, value in given.items()}
        request = cls(**plain)
    except (codec.CodecError, ValidationError, RecursionError) as error:
        raise ArgumentsRefused("turnframe.operation.invalid_arguments", _first_error(error)) from error
    for copied in quoted:
        if not _is_grounded(copied, message):
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
        if _is_quoted(info.annotation, info.metadata):
            out[name] = _with_quotes(value, info, given.pop(name, None))
        else:
            out[name] = value
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
        holds = _has_quoted(info.annotation) or _is_quoted(info.annotation, info.metadata)
        if holds and not quoted:
            yield f"{cls.__qualname__}.{name}: only what a model may propose can be Quoted."
        elif any(_has_quoted_below(part) for part in _parts(info.annotation)):
            yield f"{cls.__qualname__}.{name}: Quoted inside a model or a set would lose its quote; make it a field or a list of its own."
    try:
        stored = TypeAdapter(cls).json_schema(mode="serialization")
    except PydanticInvalidForJsonSchema as error:
        yield f"{cls.__qualname__} has a field without a JSON form: {error.message}"
        return
    if any(part.get("type") == "number" for part in _schemas(stored)):
        yield f"{cls.__qualname__}: a float does not survive every database; use Decimal."


# --- the wire form -----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Copied:
    value: Any
    quote: str
    is_text: bool


@dataclass(frozen=True, slots=True)
class _AsQuoted:
    """Turns a type into ``{value, quote}``. A choice from a fixed list is a reading, not a copy, so it need not stand in its quote."""

    is_text: bool

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        pair = core_schema.typed_dict_schema(
            {
                "value": core_schema.typed_dict_field(handler(source)),
                "quote": core_schema.typed_dict_field(core_schema.str_schema(min_length=1)),
            },
            extra_behavior="forbid",
        )
        return core_schema.no_info_after_validator_function(lambda given: _Copied(given["value"], given["quote"], self.is_text), pair)


_wire_adapters: dict[type, TypeAdapter[dict[str, Any]]] = {}


def _wire_adapter(cls: type[Data]) -> TypeAdapter[dict[str, Any]]:
    if cls not in _wire_adapters:
        _wire_adapters[cls] = _built_wire_adapter(cls)
    return _wire_adapters[cls]


def _built_wire_adapter(cls: type[Data]) -> TypeAdapter[dict[str, Any]]:
    members: dict[str, Any] = {}
    for name, info in fields_of(cls).items():
        kind = _field_type(info)
        members[name] = kind if info.is_required() else NotRequired[kind]
    # Built from a table: a class body could not hold a field called "copy" or "class_".
    arguments = cast(Any, TypedDict)("Arguments", members)
    arguments.__pydantic_config__ = ConfigDict(extra="forbid")
    return TypeAdapter(arguments)


def _field_type(info: FieldInfo) -> Any:
    marked = any(isinstance(item, FromUser) for item in info.metadata)
    others = [item for item in info.metadata if not isinstance(item, FromUser)]
    if marked:
        kind = _annotated(_wire_type(info.annotation), [*others, _AsQuoted(_is_text(info.annotation))])
    elif _has_quoted(info.annotation):
        # Constraints on the field as a whole are the author's class's to check: here they would meet {value, quote}.
        kind = _wire_type(info.annotation)
    else:
        kind = _annotated(info.annotation, others)
    return Annotated[kind, Field(description=info.description, examples=info.examples, discriminator=cast(Any, info.discriminator))]


def _wire_type(hint: Any) -> Any:
    if not _has_quoted(hint):
        return hint
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        inner, *metadata = arguments
        others = [item for item in metadata if not isinstance(item, FromUser)]
        if len(others) < len(metadata):
            others.append(_AsQuoted(_is_text(inner)))
        return _annotated(_wire_type(inner), others)
    if hasattr(hint, "__value__"):
        return _wire_type(hint.__value__)
    parts = tuple(_wire_type(argument) for argument in arguments)
    if origin in (Union, types.UnionType):
        return Union[parts]  # noqa: UP007 - a union of a computed list
    return cast(Any, origin)[parts]


def _annotated(kind: Any, metadata: Sequence[Any]) -> Any:
    for item in metadata:
        kind = Annotated[kind, item]
    return kind


def _is_text(hint: Any) -> bool:
    return get_origin(hint) is not Literal


def _is_quoted(annotation: Any, metadata: Sequence[Any]) -> bool:
    return any(isinstance(item, FromUser) for item in metadata) or _has_quoted(annotation)


def _has_quoted(hint: Any) -> bool:
    if get_origin(hint) is Annotated and any(isinstance(item, FromUser) for item in get_args(hint)[1:]):
        return True
    if hasattr(hint, "__value__"):
        return _has_quoted(hint.__value__)
    return any(_has_quoted(argument) for argument in get_args(hint) if not isinstance(argument, str))


def _parts(hint: Any) -> Iterator[Any]:
    """The types a hint is made of, as far as a quote can be followed: unions, lists, tuples and values of mappings."""
    origin = get_origin(hint)
    if origin is Annotated:
        yield from _parts(get_args(hint)[0])
    elif hasattr(hint, "__value__"):
        yield from _parts(hint.__value__)
    elif origin in (Union, types.UnionType) or origin in _CONTAINERS:
        for argument in get_args(hint):
            yield from _parts(argument)
    else:
        yield hint


def _has_quoted_below(hint: Any, seen: frozenset[Any] = frozenset()) -> bool:
    if get_origin(hint) is not None:
        return _has_quoted(hint) or any(_has_quoted_below(part, seen) for part in get_args(hint))
    if not isinstance(hint, type) or hint in seen:
        return False
    seen |= {hint}
    if issubclass(hint, BaseModel):
        infos: list[FieldInfo] = list(hint.model_fields.values())
        return any(_is_quoted(info.annotation, info.metadata) or _has_quoted_below(info.annotation, seen) for info in infos)
    if dataclasses.is_dataclass(hint):
        return any(
            not isinstance(item.type, str) and (_has_quoted(item.type) or _has_quoted_below(item.type, seen))
            for item in dataclasses.fields(hint)
        )
    return False


def _unwrapped(value: Any, found: list[_Copied]) -> Any:
    if isinstance(value, _Copied):
        found.append(value)
        return _unwrapped(value.value, found)
    if isinstance(value, dict):
        return {key: _unwrapped(item, found) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_unwrapped(item, found) for item in value)
    return value


def _is_grounded(copied: _Copied, message: str) -> bool:
    if not copied.quote.strip() or copied.quote not in message:
        return False
    return not copied.is_text or all(text.strip() and text in copied.quote for text in _texts(copied.value))


def _texts(value: Any) -> Iterator[str]:
    if type(value) is str:
        yield value
    elif type(value) in (list, tuple, set, frozenset):
        for item in value:
            yield from _texts(item)


def _with_quotes(value: Json, info: FieldInfo, quote: str | None) -> Json:
    if isinstance(value, list) and not any(isinstance(item, FromUser) for item in info.metadata):
        return [_quoted(item, quote) for item in value]
    return _quoted(value, quote)


def _quoted(value: Json, quote: str | None) -> dict[str, Json]:
    return {"value": value, "quote": quote if quote is not None else str(value)}


def _first_error(error: Exception) -> str:
    if isinstance(error, ValidationError):
        # The location and the type only: the message would repeat what the user wrote.
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        return f"{'.'.join(str(step) for step in first['loc'])}: {first['type']}"
    return str(error) or type(error).__name__


# --- schemas -----------------------------------------------------------------------------------------------------------------------


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
