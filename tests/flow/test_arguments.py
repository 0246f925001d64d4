"""What a model may say about an operation."""

from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from tests.flow.desk import Act, AddExtras, OpenTrip, Rename, SetSeats
from turnframe_django import codec, flow
from turnframe_django.flow import arguments
from turnframe_django.flow.arguments import ArgumentsRefused

QUOTE = "turnframe.evidence.not_in_message"
SHAPE = "turnframe.operation.invalid_arguments"


class Cabin(StrEnum):
    ECONOMY = "economy"


class Seat(BaseModel, frozen=True):
    """Where somebody sits."""

    title: str
    row: int = 1


class Rich(Act):
    """One of each."""

    title: flow.Quoted[str] = Field(max_length=10, description="What it is called.")
    seat: Seat
    cabin: flow.Quoted[Cabin] | None = None
    meal: flow.Quoted[Literal["vegan", "none"]] | None = None
    day: flow.Quoted[date] | None = None
    price: Decimal = Decimal(0)
    notes: dict[str, str] = Field(default_factory=dict)
    stops: list[flow.Quoted[str]] = Field(default_factory=list)


class Nested(Act):
    """Quotes inside what holds them."""

    by_name: dict[str, flow.Quoted[int]] = Field(default_factory=dict)
    pair: tuple[flow.Quoted[str], int]
    maybe: list[flow.Quoted[str]] | None = None
    whole: flow.Quoted[list[str]] | None = None


MESSAGE = "the Lisbon one, vegan and cheap, on the first of May via Porto and Faro"


def refused(kind: type[Any], given: dict[str, Any], message: str = MESSAGE) -> str:
    with pytest.raises(ArgumentsRefused) as caught:
        arguments.read(kind, given, message)
    return caught.value.code


def quoted(value: Any, quote: str | None = None) -> dict[str, Any]:
    return {"value": value, "quote": quote or str(value)}


def test_a_quoted_value_is_an_object_of_value_and_quote_in_the_schema() -> None:
    assert arguments.schema(Rename) == {
        "type": "object",
        "properties": {
            "name": {
                "type": "object",
                "properties": {"value": {"type": "string"}, "quote": {"type": "string", "minLength": 1}},
                "required": ["value", "quote"],
                "additionalProperties": False,
            }
        },
        "required": ["name"],
        "additionalProperties": False,
    }


def test_titles_are_stripped_and_a_field_called_title_is_not() -> None:
    schema: Any = arguments.schema(Rich)
    assert "title" not in schema
    assert "title" in schema["properties"]
    assert "title" in schema["$defs"]["Seat"]["properties"]
    assert "title" not in schema["$defs"]["Seat"]


def test_every_object_is_closed_but_a_mapping() -> None:
    schema: Any = arguments.schema(Rich)
    assert schema["additionalProperties"] is False
    assert schema["$defs"]["Seat"]["additionalProperties"] is False
    assert schema["properties"]["notes"]["additionalProperties"] == {"type": "string"}
    assert schema["properties"]["stops"]["items"]["additionalProperties"] is False


def test_constraints_and_descriptions_reach_the_model() -> None:
    title: Any = arguments.schema(Rich)["properties"]
    assert title["title"]["properties"]["value"]["maxLength"] == 10
    assert title["title"]["description"] == "What it is called."
    assert arguments.schema(Rich)["required"] == ["title", "seat"]


def test_a_request_without_arguments_has_a_closed_empty_schema() -> None:
    class Nothing(Act):
        """No arguments."""

    assert arguments.schema(Nothing) == {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def test_what_a_model_gives_is_read_into_the_author_s_types() -> None:
    read = arguments.read(
        Rich,
        {
            "title": quoted("Lisbon", "the Lisbon one"),
            "seat": {"title": "window", "row": 3},
            "cabin": quoted("economy", "cheap"),
            "meal": quoted("vegan"),
            "day": quoted("2026-05-01", "the first of May"),
            "price": "12.50",
            "stops": [quoted("Porto"), quoted("Faro")],
        },
        MESSAGE,
    )
    assert (read.title, read.seat, read.cabin, read.day) == ("Lisbon", Seat(title="window", row=3), Cabin.ECONOMY, date(2026, 5, 1))
    assert (read.price, read.stops) == (Decimal("12.50"), ["Porto", "Faro"])


def test_a_default_stands_where_nothing_is_given() -> None:
    assert arguments.read(OpenTrip, {}, "") == OpenTrip(name=None)
    assert arguments.read(OpenTrip, {"name": None}, "") == OpenTrip(name=None)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"seats": "2"},
        {"seats": 2.5},
        {"seats": True},
        {"seats": None},
        {"seats": 2, "more": 1},
        {"seats": {"value": 2, "quote": "two"}},
        {"seats": 2**60},
        {"seats": float("nan")},
        {"seats": 2, "\ud800": 1},
    ],
)
def test_arguments_that_do_not_fit_are_refused(given: dict[str, Any]) -> None:
    assert refused(SetSeats, given) == SHAPE


@pytest.mark.parametrize(
    "name", ["Lisbon", {"value": "Lisbon"}, {"quote": "Lisbon"}, {"value": "L", "quote": "L", "x": 1}, {"value": "L", "quote": ""}]
)
def test_a_quoted_value_without_its_quote_is_refused(name: Any) -> None:
    assert refused(Rename, {"name": name}) == SHAPE


def test_an_unknown_member_deep_inside_is_refused() -> None:
    assert refused(Rich, {"title": quoted("Lisbon"), "seat": {"title": "a", "aisle": True}}) == SHAPE


def test_deep_nesting_is_refused_and_not_an_error() -> None:
    deep: Any = {}
    for _ in range(3000):
        deep = {"a": deep}
    assert refused(Rename, {"name": deep}) == SHAPE


@pytest.mark.parametrize(
    ("value", "quote"),
    [
        ("Lisbon", "Lisbon!"),
        ("Lisbon", "the lisbon one"),
        ("Porto", "the Lisbon one"),
        ("lisbon", "the Lisbon one"),
        ("", "the Lisbon one"),
        (" ", "the Lisbon one"),
        ("Lisbon", " "),
        ("Lisbon", "the Lisbon one, vegan and cheap, on the tenth of May"),
    ],
)
def test_a_value_that_is_not_in_the_user_s_words_is_refused(value: str, quote: str) -> None:
    assert refused(Rename, {"name": {"value": value, "quote": quote}}) == QUOTE


def test_each_item_of_a_quoted_list_needs_its_own_words() -> None:
    assert arguments.read(AddExtras, {"extras": [quoted("Porto"), quoted("Faro")]}, MESSAGE).extras == ["Porto", "Faro"]
    assert refused(AddExtras, {"extras": [quoted("Porto"), quoted("Madrid")]}) == QUOTE
    assert refused(AddExtras, {"extras": ["Porto"]}) == SHAPE


def test_a_reading_needs_words_but_need_not_repeat_them() -> None:
    assert refused(Rich, {"title": quoted("Lisbon"), "seat": {"title": "w"}, "day": quoted("2026-05-01", "the tenth of May")}) == QUOTE


def test_a_refusal_says_where_but_never_what_the_user_wrote() -> None:
    with pytest.raises(ArgumentsRefused) as caught:
        arguments.read(Rich, {"title": quoted("a secret that is long"), "seat": {"title": "w"}}, "a secret that is long")
    assert "secret" not in caught.value.detail
    assert "title" in caught.value.detail


def test_a_request_proposes_itself_with_its_quotes() -> None:
    assert arguments.wire(Rename(name="Lisbon"), {"name": "the Lisbon one"}) == {"name": quoted("Lisbon", "the Lisbon one")}
    assert arguments.wire(AddExtras(extras=["a", "b"])) == {"extras": [quoted("a"), quoted("b")]}
    assert arguments.wire(OpenTrip()) == {}
    assert arguments.wire(Nested(by_name={"a": 1}, pair=("x", 2), maybe=["y"])) == {
        "by_name": {"a": quoted(1)},
        "pair": [quoted("x"), 2],
        "maybe": [quoted("y")],
    }
    with pytest.raises(TypeError, match="nmae"):
        arguments.wire(Rename(name="Lisbon"), {"nmae": "x"})


def test_what_a_request_proposes_is_read_back_as_itself() -> None:
    request = Rich(title="Lisbon", seat=Seat(title="w"), meal="vegan", day=date(2026, 5, 1), price=Decimal("1.5"), stops=["Faro"])
    wire = arguments.wire(request, {"day": "the first of May"})
    assert arguments.read(Rich, wire, MESSAGE) == request
    assert codec.decode(codec.encode(wire)) == wire


class Carrier(BaseModel):
    name: flow.Quoted[str]


def problems(annotations: dict[str, Any], *, quoted_allowed: bool = True, base: type[Any] = Act, **keywords: Any) -> str:
    import types

    kind = types.new_class("Odd", (base,), keywords, lambda body: body.update({"__annotations__": annotations, "__module__": __name__}))
    return " ".join(arguments.check_fields(kind, quoted=quoted_allowed))


@pytest.mark.parametrize("hint", [Carrier, list[Carrier], Carrier | None, set[flow.Quoted[str]], dict[str, Carrier]])
def test_a_quote_that_would_be_lost_is_refused(hint: Any) -> None:
    assert "lose its quote" in problems({"x": hint})


@pytest.mark.parametrize(
    "hint", [flow.Quoted[str], flow.Quoted[str] | None, list[flow.Quoted[str]], dict[str, flow.Quoted[int]], tuple[flow.Quoted[str], ...]]
)
def test_a_quote_that_can_be_followed_is_taken(hint: Any) -> None:
    assert problems({"x": hint}) == ""


@pytest.mark.parametrize("hint", [float, list[float], float | None, dict[str, float]])
def test_a_float_is_refused_because_it_would_not_survive(hint: Any) -> None:
    assert "use Decimal" in problems({"x": hint})


def test_an_event_has_nothing_quoted() -> None:
    assert "can be Quoted" in problems({"x": flow.Quoted[str]}, quoted_allowed=False, base=flow.Event, code="a.b")


def test_a_name_that_does_not_exist_is_told_by_the_registration() -> None:
    assert "cannot be resolved" in problems({"x": "Missing"})


def test_a_schema_handed_out_can_be_changed_without_harm() -> None:
    first: Any = arguments.schema(Rename)
    first["properties"].clear()
    assert "name" in arguments.schema(Rename)["properties"]  # type: ignore[operator]


def test_quotes_are_gathered_from_wherever_they_can_stand() -> None:
    given: dict[str, Any] = {
        "by_name": {"a": quoted(1, "one")},
        "pair": [quoted("vegan"), 2],
        "maybe": [quoted("Porto")],
        "whole": quoted(["cheap"], "and cheap"),
    }
    read = arguments.read(Nested, given, MESSAGE)
    assert read == Nested(by_name={"a": 1}, pair=("vegan", 2), maybe=["Porto"], whole=["cheap"])
    assert refused(Nested, {**given, "whole": quoted(["dear"], "and cheap")}) == QUOTE
    assert refused(Nested, {**given, "by_name": {"a": quoted(1, "ten")}}) == QUOTE
