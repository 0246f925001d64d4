"""The page of an event: what was committed, by which command, on whose word, and which receipts tell of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from turnframe_django.admin import columns
from turnframe_django.admin.facts import FactAdmin
from turnframe_django.admin.links import Links, links_of
from turnframe_django.models import Block, DomainEvent


class EventAdmin(FactAdmin[DomainEvent]):
    """The ledger, newest turn first."""

    page = "turnframe/admin/event.html"
    page_related = ("turn__conversation", "command__interaction")
    ordering = ("-turn_id", "-position", "-id")
    list_select_related = ("turn", "command")
    list_display = ("typed", "account", "position", "about", "revision", "committed", "in_turn", "by_command")
    linked: ClassVar[frozenset[str]] = frozenset({"turn__id__exact", "command__id__exact", "account", "engine", "case_name", "case_id"})
    search_ids = ("id", "turn_id", "command_id")

    def title_of(self, fact: DomainEvent) -> str:
        """The event's type and its place in the ledger."""
        return f"{fact.type} #{fact.position}"

    def page_context(self, request: HttpRequest, fact: DomainEvent, links: Links) -> Mapping[str, Any]:
        """Read the receipts that rest on it."""
        receipts = Block.objects.filter(event_links__event=fact).select_related("turn").order_by("turn_id", "position")
        return {"receipts": list(receipts) if "turn" in links else []}

    @admin.display(description=_("event"))
    def typed(self, event: DomainEvent) -> str:
        """Its type."""
        return columns.code(event.type)

    @admin.display(description=_("record"))
    def about(self, event: DomainEvent) -> str:
        """The record it happened to."""
        return columns.record(event)

    @admin.display(description=_("committed"))
    def committed(self, event: DomainEvent) -> str:
        """When it was committed."""
        return columns.moment(event.at)

    @admin.display(description=_("turn"))
    def in_turn(self, event: DomainEvent) -> str:
        """The turn that committed it."""
        return links_of(event).to("turn", event.turn_id, event.turn.ordinal)

    @admin.display(description=_("command"))
    def by_command(self, event: DomainEvent) -> str:
        """The command it came from."""
        return links_of(event).to("command", event.command_id, event.command.name, code=True)
