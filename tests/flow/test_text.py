"""Text that the server composes."""

import enum
from datetime import UTC, date, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone, translation
from django.utils.functional import Promise
from pydantic import BaseModel

from turnframe_django.flow.text import TemplateError, fill, phrase, placeholders, shown, visible


@pytest.mark.parametrize("point", [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C])
def test_a_bidirectional_control_is_written_out(point: int) -> None:
    assert visible(f"pay {chr(point)}001 euro") == f"pay \\u{{{point:04X}}}001 euro"


@pytest.mark.parametrize("point", [0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0x00AD, 0x180E, 0x3164, 0x2063])
def test_a_zero_width_character_is_written_out(point: int) -> None:
    assert visible(f"Re{chr(point)}book") == f"Re\\u{{{point:04X}}}book"


@pytest.mark.parametrize("point", [0x00, 0x07, 0x0A, 0x0D, 0x1B, 0x7F, 0x85, 0x2028, 0x2029, 0xD800, 0xFFFE, 0xFDD0, 0xE0041])
def test_a_control_character_is_written_out(point: int) -> None:
    assert visible(f"a{chr(point)}b") == f"a\\u{{{point:04X}}}b"


@pytest.mark.parametrize(
    "text",
    [
        "שלום, מה שלומך?",
        "مرحبا بالعالم 123",
        "می\u200cخواهم",
        "क\u094d\u200dष",
        "naïve café — “quoted” €5",
        "👩\u200d👧 👍🏽 ❤\ufe0f",
        "Zażółć gęślą jaźń 日本語",
        "\u0600\u0661",
    ],
)
def test_writing_of_any_script_passes_unchanged(text: str) -> None:
    assert visible(text) == text


def test_lines_are_kept_where_a_body_may_have_them() -> None:
    assert visible("a\n\tb\r", lines=True) == "a\n\tb\\u{000D}"


def test_what_was_made_visible_once_stays_as_it_is() -> None:
    once = visible("a\u202eb\u200bc")
    assert visible(once) == once


@pytest.mark.parametrize("template", ["{a.b}", "{a[0]}", "{0}", "{}", "{a!r}", "{a:>10}", "{a", "a}", "{ a }"])
def test_a_template_takes_plain_names_only(template: str) -> None:
    with pytest.raises(TemplateError):
        placeholders(template)


def test_the_placeholders_of_a_template_are_its_names() -> None:
    assert placeholders("{{x}} {a} and {b_2}") == {"a", "b_2"}


def test_a_template_that_asks_for_what_is_not_there_is_refused() -> None:
    with pytest.raises(TemplateError, match="'b'"):
        fill("{a} {b}", {"a": 1})


def test_numbers_and_dates_are_written_as_the_language_writes_them() -> None:
    values = {"price": Decimal("1234.50"), "day": date(2026, 5, 1)}
    with translation.override("it"):
        assert fill("{price}, {day}", values) == "1234,50, 01 Maggio 2026"
    with translation.override("en"):
        assert fill("{price}, {day}", values) == "1234.50, May 1, 2026"


def test_a_moment_is_shown_in_the_time_zone_of_the_reader() -> None:
    with translation.override("en"), timezone.override(ZoneInfo("Asia/Tokyo")):
        assert "9 p.m." in shown(datetime(2026, 5, 1, 12, tzinfo=UTC))


class Seat(enum.Enum):
    WINDOW = "window"


class Flight(BaseModel):
    number: str
    price: Decimal


def test_every_kind_of_value_has_words() -> None:
    with translation.override("en"):
        assert [shown(value) for value in (None, True, False, Seat.WINDOW, ["a", 2], {"k": 1}, "x")] == [
            "—",
            "yes",
            "no",
            "window",
            "a, 2",
            "k: 1",
            "x",
        ]
        assert shown(Flight(number="AZ", price=Decimal("1.5"))) == "number: AZ, price: 1.5"


def test_a_phrase_waits_for_the_language_it_is_shown_in() -> None:
    text = phrase("{price}", price=Decimal("1.5"))
    assert isinstance(text, Promise)
    with translation.override("it"):
        assert str(text) == "1,5"
    with translation.override("en"):
        assert str(text) == "1.5"
