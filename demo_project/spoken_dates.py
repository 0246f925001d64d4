"""Reads a day as English writes it: "12 May 2027", "2027-05-12", "next Friday", "in two weeks".

It never guesses. What names more than one day ("12/05/2027"), no day ("next week") or a day that does not exist ("31 February") is no day.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

_MONTHS: Final = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")
_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBERS: Final = ("a", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")

_MONTH: Final = r"(?P<month>[a-z]{3,9})\.?"
_DAY: Final = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR: Final = r"(?P<year>\d{4})"
_WEEKDAY: Final = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s+)?"

_ISO: Final = re.compile(r"(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})")
_NUMERIC: Final = re.compile(r"(?P<first>\d{1,2})([/.])(?P<second>\d{1,2})\2(?P<year>\d{4})")
_DAY_MONTH: Final = re.compile(rf"{_WEEKDAY}(?:the\s+)?{_DAY}\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?")
_MONTH_DAY: Final = re.compile(rf"{_WEEKDAY}{_MONTH}\s+(?:the\s+)?{_DAY}(?:,?\s+{_YEAR})?")
_ON_WEEKDAY: Final = re.compile(r"(?:(?:next|this|this\s+coming|the\s+next)\s+)?(?P<name>[a-z]{6,9})")
_IN: Final = re.compile(r"(?:in\s+)?(?P<count>[a-z]{1,6}|\d{1,3})\s+(?P<unit>days?|weeks?)(?P<after>\s+(?:from\s+(?:now|today)))?")
_NAMED: Final = {"today": 0, "tomorrow": 1, "the day after tomorrow": 2, "day after tomorrow": 2}
_LONGEST: Final = 40


def read_date(words: str, today: date) -> date | None:
    """Return the one day that ``words`` name as a whole, seen from ``today``, or None.

    A day without a year is the next one from today on. A weekday, with or without "next", is the first one after today.
    """
    text = " ".join(words.casefold().split())
    if not text or len(text) > _LONGEST:
        return None
    if text in _NAMED:
        return today + timedelta(days=_NAMED[text])
    if found := _ISO.fullmatch(text):
        return _day(int(found["year"]), int(found["month"]), int(found["day"]))
    if found := _NUMERIC.fullmatch(text):
        return _numeric(int(found["first"]), int(found["second"]), int(found["year"]))
    if found := _DAY_MONTH.fullmatch(text) or _MONTH_DAY.fullmatch(text):
        return _of_month(found["month"], int(found["day"]), found["year"], today)
    if (found := _ON_WEEKDAY.fullmatch(text)) and found["name"] in _DAYS:
        ahead = (_DAYS.index(found["name"]) - today.weekday() - 1) % 7 + 1
        return today + timedelta(days=ahead)
    if (found := _IN.fullmatch(text)) and (text.startswith("in ") or found["after"]):
        return _from_now(found["count"], found["unit"], today)
    return None


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _numeric(first: int, second: int, year: int) -> date | None:
    """Two numbers are a day and a month only when one of them cannot be a month, or both are the same."""
    if first > 12 or first == second:
        return _day(year, second, first)
    return _day(year, first, second) if second > 12 else None


def _of_month(name: str, day: int, year: str | None, today: date) -> date | None:
    month = next((number for number, full in enumerate(_MONTHS, 1) if name in {full, full[:3]} or (full, name) == ("september", "sept")), 0)
    if not month:
        return None
    if year:
        return _day(int(year), month, day)
    candidates = (_day(today.year + ahead, month, day) for ahead in range(9))
    return next((found for found in candidates if found and found >= today), None)


def _from_now(count: str, unit: str, today: date) -> date | None:
    number = int(count) if count.isdecimal() else max(_NUMBERS.index(count), 1) if count in _NUMBERS else None
    if number is None:
        return None
    return today + timedelta(days=number * (7 if unit.startswith("week") else 1))
