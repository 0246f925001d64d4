"""Reads the admin's pages in a test: by kind and key, with what a page links to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from typing import Any, cast

from django.db.models import Model
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from turnframe_django.models import Command, Conversation, DomainEvent, Interaction, OutboxEntry, Turn

MODELS: tuple[type[Model], ...] = (Conversation, Turn, Interaction, Command, DomainEvent, OutboxEntry)
KINDS = [str(model._meta.model_name) for model in MODELS]


class Reader:
    """A signed-in reader of the admin."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def page(self, row: Model) -> str:
        """Return the page of ``row``, which must be there."""
        return self._text(address(row))

    def list(self, kind: str, query: Mapping[str, Any] | None = None) -> str:
        """Return the list of a kind, which must be there."""
        return self._text(list_address(kind), query)

    def found(self, kind: str, term: str, **more: Any) -> set[str]:
        """Return the ids that a search finds."""
        text = self.list(kind, {"q": term, **more})
        return set(re.findall(rf'<th class="[^"]*"><a href="/admin/turnframe/{kind}/([0-9a-f-]{{36}})/change/', text))

    def _text(self, at: str, query: Mapping[str, Any] | None = None) -> str:
        answer = cast("HttpResponse", self.client.get(at, query))
        assert answer.status_code == 200, (at, answer.status_code)
        return answer.content.decode()


def address(row: Model) -> str:
    """The address of the page of ``row``."""
    return reverse(f"admin:turnframe_{row._meta.model_name}_change", args=[row.pk])


def list_address(kind: str) -> str:
    """The address of a list."""
    return reverse(f"admin:turnframe_{kind}_changelist")


def words(page: str) -> str:
    """What a reader sees of a page: its words, each run of white space one space."""
    main = page.partition('<div id="content"')[2] or page
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", re.sub(r"<(script|style).*?</\1>", " ", main, flags=re.DOTALL))).split())


def redact(row: Any, *columns: str) -> None:
    """Empty the guarded texts of ``row`` through the door, as an officer would."""
    emptied = dict.fromkeys(columns, "")
    type(row)._base_manager.filter(pk=row.pk).update(**emptied, redacted_at=timezone.now(), redaction_authority="a court <b>")
