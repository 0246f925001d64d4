"""Cells of the lists: short words for a stored text, and codes as they are stored."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.html import format_html
from django.utils.text import Truncator
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from turnframe_django import codec

REMOVED = _("These words were removed.")
SHORT = 80
TAIL = 12


def moment(at: datetime | None) -> str:
    """Return a time to the second with its zone, in an order that sorts."""
    if at is None:
        return ""
    return format_html(
        '<time datetime="{}">{}</time>', at.isoformat(), timezone.localtime(at).strftime("%Y-%m-%d %H:%M:%S\N{NO-BREAK SPACE}%Z")
    )


def code(value: str | None) -> str:
    """Return a stored code."""
    return format_html("<code>{}</code>", value) if value else ""


def state(value: str) -> str:
    """Return a state, marked by what it means."""
    return format_html('<span class="tfa-state tfa-state-{}">{}</span>', value, value)


def record(row: Any) -> str:
    """Return the record that a card, a command or an event is about."""
    whole = f"{row.engine}/{row.case_name}/{row.case_id}"
    return format_html('<code title="{}">{}/{}</code>', whole, row.case_name, end_of(row.case_id))


def end_of(key: object) -> str:
    """Return the end of a long id: keys made in one moment begin alike."""
    text = str(key)
    return text if len(text) <= TAIL + 1 else f"…{text[-TAIL:]}"


def read(text: str) -> Any:
    """Return what a stored JSON text says, or nothing where it says nothing."""
    try:
        return codec.decode(text)
    except codec.CodecError:
        return None


def words_of_input(text: str, redacted: bool = False) -> str:
    """Return a turn's input in short: the message, or the option that was clicked."""
    if redacted:
        return str(REMOVED)
    given = read(text)
    if not isinstance(given, dict):
        return ""
    said = given.get("text")
    answer = given.get("interaction_response")
    if not said and isinstance(answer, dict):
        return gettext("Click on “%(option)s”") % {"option": str(answer.get("option_id", ""))}
    return short(str(said or ""))


def title_of_card(row: Any) -> str:
    """Return what a card asks."""
    if row.is_redacted:
        return str(REMOVED)
    payload = read(row.payload)
    return short(str(payload.get("title", ""))) if isinstance(payload, dict) else ""


def short(text: str) -> str:
    """Return the beginning of a text."""
    return Truncator(text).chars(SHORT)
