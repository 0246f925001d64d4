"""The base of events, commands and operations."""

from dataclasses import FrozenInstanceError
from datetime import date
from decimal import Decimal
from typing import Any, Generic, TypeVar
from uuid import UUID

import pytest
from pydantic import BaseModel, ValidationError

from tests.flow.desk import Act, DeskState, Rename, SetSeats
from tests.flow.example.travel.models import Trip
from turnframe_django import flow
from turnframe_django.flow.data import dump, load, snake, type_arguments, words_of


class Price(BaseModel, frozen=True):
    amount: Decimal


class Everything(flow.Event, code="test.everything"):
    """One of each."""

    price: Price
    day: date
    id: UUID
    tags: tuple[str, ...] = ()


EVERYTHING = Everything(price=Price(amount=Decimal("1.50")), day=date(2026, 5, 1), id=UUID(int=1), tags=("a",))


def test_what_is_dumped_loads_again() -> None:
    dumped = dump(EVERYTHING)
    assert dumped == {"price": {"amount": "1.50"}, "day": "2026-05-01", "id": str(UUID(int=1)), "tags": ["a"]}
    assert load(Everything, dumped) == EVERYTHING


def test_a_quoted_value_is_stored_plain() -> None:
    assert dump(Rename(name="Lisbon")) == {"name": "Lisbon"}
    assert load(Rename, {"name": "Lisbon"}) == Rename(name="Lisbon")


def test_only_objects_can_be_dumped() -> None:
    assert dump({"a": Decimal("1.0")}) == {"a": "1.0"}
    assert dump(Price(amount=Decimal(1))) == {"amount": "1"}
    with pytest.raises(TypeError, match="not an object"):
        dump([1])


def test_a_request_is_frozen_and_takes_its_own_fields_only() -> None:
    with pytest.raises(FrozenInstanceError):
        Rename(name="a").name = "b"  # type: ignore[misc]
    for arguments in ({}, {"name": "a", "other": 1}, {"name": 3}):
        with pytest.raises(ValidationError):
            Rename(**arguments)


@pytest.mark.parametrize("field", ["policy", "needed", "execute", "declared", "outgoing", "preview", "confirm_card"])
def test_a_field_named_like_the_base_class_is_refused_when_the_class_is_written(field: str) -> None:
    with pytest.raises(TypeError, match=field):
        type("Clash", (Act,), {"__annotations__": {field: str}, "__module__": __name__})


@pytest.mark.parametrize("field", ["destination", "risk", "key", "title", "code", "words", "opens", "copy", "json", "schema"])
def test_a_field_may_have_the_name_of_a_class_keyword(field: str) -> None:
    kind: Any = type("Free", (Act,), {"__annotations__": {field: str}, "__module__": __name__})
    assert dump(kind(**{field: "x"})) == {field: "x"}


def test_a_subclass_may_declare_an_inherited_field_again() -> None:
    class Longer(SetSeats, risk="reversible_low_risk"):
        """Set more seats."""

        seats: int = 4

    assert Longer().seats == 4


def test_a_docstring_is_the_author_s_or_none() -> None:
    class Silent(Act):
        seats: int

    assert Silent.__doc__ is None
    assert Silent.declared.documentation == ""
    assert Rename.declared.documentation == "Give the trip a name."


@pytest.mark.parametrize(
    ("name", "snaked"), [("RenameTrip", "rename_trip"), ("SetHTTPPort", "set_http_port"), ("Add2Extras", "add2_extras")]
)
def test_a_key_is_the_class_name_in_snake_case(name: str, snaked: str) -> None:
    assert snake(name) == snaked


def test_words_are_the_first_line_of_the_docstring_as_part_of_a_sentence() -> None:
    assert words_of("Give the trip a name.\n\nMore.", "k") == "give the trip a name"
    assert words_of("", "give_it") == "give it"


M = TypeVar("M", bound=Trip)


class Middle(flow.Command[M, DeskState], Generic[M]):
    """Between the base and the author's."""


class End(Middle[Trip]):
    """The author's."""


def test_type_parameters_are_found_through_bases_in_between() -> None:
    assert type_arguments(End, flow.Command) == (Trip, DeskState)
    assert type_arguments(flow.Workflow, flow.Workflow) == ()
