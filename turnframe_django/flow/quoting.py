"""Quoted values on the wire: ``{value, quote}`` for a model, a plain value for the author.

The type hints of a request are rewritten so that pydantic reads and describes the wire form; the quotes are gathered while it is unwrapped.
A quote can be followed through unions, lists, tuples and the values of mappings, and nowhere else.
"""

import dataclasses
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired, Union, cast, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, TypeAdapter
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, core_schema
from typing_extensions import TypedDict

from turnframe_django.codec import Json
from turnframe_django.flow.data import Data, FromUser, fields_of

_LISTS = (list, tuple, Sequence)
_MAPPINGS = (dict, Mapping)


@dataclass(frozen=True, slots=True)
class Copied:
    """A value and the words it was copied from. ``is_text``: a text must stand in its quote."""

    value: Any
    quote: str
    is_text: bool

    def is_grounded(self, message: str) -> bool:
        """Whether the quote stands in ``message`` and every text of the value in the quote, letter by letter."""
        if not self.quote.strip() or self.quote not in message:
            return False
        return not self.is_text or all(text.strip() and text in self.quote for text in _texts(self.value))


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
        return core_schema.no_info_after_validator_function(lambda given: Copied(given["value"], given["quote"], self.is_text), pair)


_adapters: dict[type, TypeAdapter[dict[str, Any]]] = {}


def wire_adapter(cls: type[Data]) -> TypeAdapter[dict[str, Any]]:
    """Return the reader of the arguments of ``cls`` as a model gives them; quoted values come out as ``Copied``."""
    if cls not in _adapters:
        members: dict[str, Any] = {}
        for name, info in fields_of(cls).items():
            kind = _field_type(info)
            members[name] = kind if info.is_required() else NotRequired[kind]
        # Built from a table: a class body could not hold a field called "copy" or "class_".
        arguments = cast(Any, TypedDict)("Arguments", members)
        arguments.__pydantic_config__ = ConfigDict(extra="forbid")
        _adapters[cls] = TypeAdapter(arguments)
    return _adapters[cls]


def unwrapped(value: Any, found: list[Copied]) -> Any:
    """Return the plain value of what ``wire_adapter`` read, and add every ``Copied`` in it to ``found``."""
    if isinstance(value, Copied):
        found.append(value)
        return unwrapped(value.value, found)
    if isinstance(value, dict):
        return {key: unwrapped(item, found) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(unwrapped(item, found) for item in value)
    return value


def is_quoted(info: FieldInfo) -> bool:
    """Whether a field holds a ``Quoted`` value, itself or inside."""
    return _is_marked(info.metadata) or _has_quoted(info.annotation)


def loses_quotes(info: FieldInfo) -> bool:
    """Whether a field hides a ``Quoted`` value where its quote could not be followed."""
    return any(_has_quoted_below(part) for part in _parts(info.annotation))


def with_quotes(info: FieldInfo, value: Json, quote: str | None) -> Json:
    """Return ``value``, as a field is dumped, in its wire form; without a ``quote`` each quoted value is quoted as it reads."""
    return _pair(value, quote) if _is_marked(info.metadata) else _quoted_inside(info.annotation, value, quote)


def _field_type(info: FieldInfo) -> Any:
    others = [item for item in info.metadata if not isinstance(item, FromUser)]
    if _is_marked(info.metadata):
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
        if _is_marked(metadata):
            others.append(_AsQuoted(_is_text(inner)))
        return _annotated(_wire_type(inner), others)
    if hasattr(hint, "__value__"):
        return _wire_type(hint.__value__)
    parts = tuple(_wire_type(argument) for argument in arguments)
    if origin in (Union, types.UnionType):
        return Union[parts]  # noqa: UP007 - a union of a computed list
    return cast(Any, origin)[parts]


def _quoted_inside(hint: Any, value: Json, quote: str | None) -> Json:
    if value is None or not _has_quoted(hint):
        return value
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _pair(value, quote) if _is_marked(arguments[1:]) else _quoted_inside(arguments[0], value, quote)
    if hasattr(hint, "__value__"):
        return _quoted_inside(hint.__value__, value, quote)
    if origin in _LISTS and isinstance(value, list):
        parts = arguments if len(arguments) == len(value) and Ellipsis not in arguments else arguments[:1] * len(value)
        return [_quoted_inside(part, item, quote) for part, item in zip(parts, value, strict=True)]
    if origin in _MAPPINGS and isinstance(value, dict):
        return {key: _quoted_inside(arguments[1], item, quote) for key, item in value.items()}
    return _quoted_inside(next(part for part in arguments if _has_quoted(part)), value, quote)


def _pair(value: Json, quote: str | None) -> dict[str, Json]:
    return {"value": value, "quote": quote if quote is not None else str(value)}


def _annotated(kind: Any, metadata: Sequence[Any]) -> Any:
    for item in metadata:
        kind = Annotated[kind, item]
    return kind


def _is_text(hint: Any) -> bool:
    return get_origin(hint) is not Literal


def _is_marked(metadata: Sequence[Any]) -> bool:
    return any(isinstance(item, FromUser) for item in metadata)


def _has_quoted(hint: Any) -> bool:
    if get_origin(hint) is Annotated and _is_marked(get_args(hint)[1:]):
        return True
    if hasattr(hint, "__value__"):
        return _has_quoted(hint.__value__)
    return any(_has_quoted(argument) for argument in get_args(hint) if not isinstance(argument, str))


def _parts(hint: Any) -> Iterator[Any]:
    """The types a hint is made of, as far as a quote can be followed."""
    origin = get_origin(hint)
    if origin is Annotated:
        yield from _parts(get_args(hint)[0])
    elif hasattr(hint, "__value__"):
        yield from _parts(hint.__value__)
    elif origin in (Union, types.UnionType, *_LISTS, *_MAPPINGS):
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
        return any(is_quoted(info) or _has_quoted_below(info.annotation, seen) for info in hint.model_fields.values())
    if dataclasses.is_dataclass(hint):
        kinds = [item.type for item in dataclasses.fields(hint)]
        return any(_has_quoted(kind) or _has_quoted_below(kind, seen) for kind in kinds if not isinstance(kind, str))
    return False


def _texts(value: Any) -> Iterator[str]:
    if type(value) is str:
        yield value
    elif type(value) in (list, tuple, set, frozenset):
        for item in value:
            yield from _texts(item)
