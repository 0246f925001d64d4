"""Events: what happened, and the only source of a receipt.

A receipt's template is filled once, in the turn's language, from a committed event. Its placeholders are checked per language when the
workflow is registered, so a slip in a catalogue stops the start and not a customer's turn (docs/concepts.md, "Receipts").
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from django.conf import settings
from django.utils import translation

from turnframe_django.flow.data import Data, fields_of
from turnframe_django.flow.text import TemplateError, Text, fill, placeholders, visible

Severity: TypeAlias = Literal["info", "success", "warning", "error"]


@dataclass(frozen=True, slots=True)
class EventDeclaration:
    """The class keywords of an event."""

    code: str
    title: Text
    body: Text
    severity: Severity


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an overridden ``receipt()`` returns. Without a severity it takes the class's."""

    title: Text
    body: Text = ""
    severity: Severity | None = None


@dataclass(frozen=True, slots=True)
class ReceiptText:
    """A receipt in one language, as it is stored: ``status_code`` is the event's code."""

    status_code: str
    severity: Severity
    title: str
    body: str


class Event(Data):
    """Something that happened to a record. Fields are its payload; without a ``title`` it shows no receipt.

    ``title`` and ``body`` may name fields in braces: ``_("It is now called {name}.")``.
    """

    declared: ClassVar[EventDeclaration]

    def __init_subclass__(cls, *, code: str, title: Text = "", body: Text = "", severity: Severity = "success") -> None:
        super().__init_subclass__()
        cls.declared = EventDeclaration(code, title, body, severity)

    def receipt(self) -> Receipt | None:
        """Return what the user is told, or None. Override it where a template is not enough; it must be pure."""
        declared = self.declared
        if not declared.title:
            return None
        return Receipt(fill(declared.title, vars(self)), fill(declared.body, vars(self)))


def receipt_of(event: Event) -> ReceiptText | None:
    """Return the receipt of ``event`` in the active language, or None when it shows none."""
    receipt = event.receipt()
    if receipt is None:
        return None
    declared = event.declared
    return ReceiptText(
        status_code=declared.code,
        severity=receipt.severity or declared.severity,
        title=visible(str(receipt.title)) or "—",
        body=visible(str(receipt.body), lines=True),
    )


def check_templates(event: type[Event]) -> Iterator[str]:
    """Yield what is wrong with the templates of ``event``, in every language of ``settings.LANGUAGES``."""
    names = frozenset(fields_of(event))
    for part, template in (("title", event.declared.title), ("body", event.declared.body)):
        # A plain string reads the same everywhere.
        languages = [""] if isinstance(template, str) else [code for code, _name in settings.LANGUAGES]
        for language in languages:
            with translation.override(language or translation.get_language()):
                problem = _problem(str(template), names)
            if problem:
                yield f"{event.__qualname__}: {part}{f' in {language}' if language else ''}: {problem}"


def _problem(template: str, names: frozenset[str]) -> str:
    try:
        unknown = placeholders(template) - names
    except TemplateError as error:
        return str(error)
    return f"{template!r} asks for {', '.join(sorted(unknown))}, which is no field." if unknown else ""
