"""The base of events, commands and operations: a frozen pydantic dataclass made by writing a subclass.

It is no ``BaseModel`` and has no metaclass, so a type checker reads the class keywords (``risk=``, ``code=``) and the fields alike. What
would go wrong silently is refused when the class is created.
"""

import inspect
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Annotated, Any, TypeVar, cast, dataclass_transform, get_args, get_origin

import pydantic
from pydantic import ConfigDict, TypeAdapter
from pydantic.dataclasses import dataclass as pydantic_dataclass
from pydantic.dataclasses import is_pydantic_dataclass, rebuild_dataclass

from turnframe_django.codec import Json

T = TypeVar("T")
D = TypeVar("D", bound="Data")

_WORD_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True, slots=True)
class FromUser:
    """Marks a value that must be copied from the user's own words."""


#: A plain ``T`` to the author; a model must give ``{value, quote}``, and the quote is located in the user's message.
Quoted = Annotated[T, FromUser()]


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(pydantic.Field, field))
class Data:
    """A frozen record whose fields are its annotations. Unknown fields are refused, and fields are given by name."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        documentation = cls.__dict__.get("__doc__")
        taken = _names_of_bases(cls) & set(own_annotations(cls))
        if taken:
            names = ", ".join(sorted(taken))
            raise TypeError(f"{cls.__qualname__}: a field may not be called {names}: the base class uses that name.")
        pydantic_dataclass(cls, frozen=True, kw_only=True, config=ConfigDict(extra="forbid"))
        # dataclass() writes a signature where there was no docstring.
        cls.__doc__ = documentation


def dump(value: object) -> dict[str, Json]:
    """Return the JSON object of a command, an event, a pydantic model or a dataclass; decimals, dates and ids become text.

    Raises ``TypeError`` for a value that is no object in JSON.
    """
    dumped = _adapter(type(value)).dump_python(value, mode="json")
    if not isinstance(dumped, dict):
        raise TypeError(f"{type(value).__qualname__} is not an object in JSON.")
    return dumped


def load(cls: type[D], arguments: Mapping[str, Json]) -> D:
    """Return the instance of ``cls`` whose ``dump`` is ``arguments``. Raises ``pydantic.ValidationError``."""
    return cast(D, _adapter(cls).validate_python(dict(arguments)))


def documentation_of(cls: type) -> str:
    """Return the class's own docstring, without indentation; empty when it has none."""
    return inspect.cleandoc(cls.__dict__.get("__doc__") or "")


def snake(name: str) -> str:
    """Return ``RenameTrip`` as ``rename_trip``."""
    return _WORD_BOUNDARY.sub("_", name).lower()


def words_of(documentation: str, key: str) -> str:
    """Return what a docstring says can be done, as part of a sentence: its first line, without the dot, in lower case."""
    first = documentation.partition("\n")[0].strip().rstrip(".")
    return first[:1].lower() + first[1:] if first else key.replace("_", " ")


def fields_of(cls: type[Data]) -> Mapping[str, "pydantic.fields.FieldInfo"]:
    """Return the fields of ``cls`` with their annotations resolved.

    Raises ``pydantic.errors.PydanticUndefinedAnnotation`` for a name that does not exist at run time.
    """
    if is_pydantic_dataclass(cls):
        rebuild_dataclass(cls, raise_errors=True)
    return cast("Mapping[str, pydantic.fields.FieldInfo]", cast(Any, cls).__pydantic_fields__)


def type_arguments(cls: type, origin: type) -> tuple[Any, ...]:
    """Return what ``cls`` puts for the type parameters of its generic base ``origin``; empty when it leaves them open."""
    for base in cls.__dict__.get("__orig_bases__", cls.__bases__):
        generic = get_origin(base) or base
        if generic is origin:
            return get_args(base)
        if isinstance(generic, type) and issubclass(generic, origin):
            inner = type_arguments(generic, origin)
            given = dict(zip(getattr(generic, "__parameters__", ()), get_args(base), strict=False))
            return tuple(given.get(argument, argument) if isinstance(argument, TypeVar) else argument for argument in inner)
    return ()


def own_annotations(thing: Any) -> Mapping[str, Any]:
    """Return the annotations written on a class or function itself, unevaluated where they are text."""
    if sys.version_info >= (3, 14):
        import annotationlib

        return annotationlib.get_annotations(thing, format=annotationlib.Format.FORWARDREF)
    return inspect.get_annotations(thing)


def _names_of_bases(cls: type) -> frozenset[str]:
    return frozenset(
        name
        for base in cls.__mro__[1:]
        for name in {**vars(base), **own_annotations(base)}
        if not name.startswith("__") and name not in _field_names(base)
    )


def _field_names(base: type) -> frozenset[str]:
    return frozenset(item.name for item in fields(base)) if is_dataclass(base) else frozenset()


_adapters: dict[type, TypeAdapter[Any]] = {}


def _adapter(cls: type) -> TypeAdapter[Any]:
    if cls not in _adapters:
        _adapters[cls] = TypeAdapter(cls)
    return _adapters[cls]
