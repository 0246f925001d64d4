"""Links from one fact to another, for those who may follow them; everybody else reads the words alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

from django.contrib.admin.sites import AdminSite
from django.db.models import Model
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html

from turnframe_django.models import Command, Conversation, DomainEvent, Interaction, OutboxEntry, Turn

MODELS: Mapping[str, type[Model]] = {
    "conversation": Conversation,
    "turn": Turn,
    "interaction": Interaction,
    "command": Command,
    "domainevent": DomainEvent,
    "outboxentry": OutboxEntry,
}


class Links:
    """What one reader may open: ``kind in links``, ``links.to(kind, key)``, ``links.listed(kind, ...)``."""

    def __init__(self, request: HttpRequest, site: AdminSite) -> None:
        self.site = site
        self.kinds = frozenset(kind for kind, model in MODELS.items() if _may_view(request, site, model))

    def __contains__(self, kind: str) -> bool:
        return kind in self.kinds

    def to(self, kind: str, key: object, words: object = "", *, code: bool = False) -> str:
        """Return a link to the page of the ``kind`` with that key, as HTML."""
        if key is None:
            return ""
        shown = format_html("<code>{}</code>", words or key) if code or not words else format_html("{}", words)
        address = self.address(kind, "change", key)
        return format_html('<a href="{}">{}</a>', address, shown) if address else shown

    def listed(self, kind: str, words: object, **lookups: Any) -> str:
        """Return a link to the list of the ``kind`` that ``lookups`` narrow, as HTML; nothing for who may not see the list."""
        address = self.address(kind, "changelist")
        return format_html('<a href="{}?{}">{}</a>', address, urlencode(lookups), words) if address else ""

    def address(self, kind: str, page: str, *keys: object) -> str:
        """Return the address of a page, or nothing where the reader may not open it."""
        if kind not in self.kinds:
            return ""
        try:
            return reverse(f"admin:turnframe_{kind}_{page}", args=keys, current_app=self.site.name)
        except NoReverseMatch:
            return ""


def lend(links: Links, rows: Iterable[Model]) -> None:
    """Let the cells of a list link as ``links`` does: a cell is made of its row alone, and one admin serves many readers at a time."""
    for row in rows:
        row.__dict__["_turnframe_links"] = links


def links_of(row: Model) -> Links:
    """Return what was lent to ``row``."""
    found = row.__dict__["_turnframe_links"]
    assert isinstance(found, Links)
    return found


def _may_view(request: HttpRequest, site: AdminSite, model: type[Model]) -> bool:
    return site.is_registered(model) and site.get_model_admin(model).has_view_permission(request)
