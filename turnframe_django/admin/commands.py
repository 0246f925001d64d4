"""The page of a command: what was to be done, who decided that it may, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from turnframe_django.admin import columns
from turnframe_django.admin.facts import FactAdmin
from turnframe_django.admin.links import Links, links_of
from turnframe_django.admin.lists import one_of
from turnframe_django.admin.searching import ScopedText
from turnframe_django.models import Command, DomainEvent, OutboxEntry
from turnframe_django.protocol.states import CommandStatus, Confirmation, OriginKind, Risk


class CommandAdmin(FactAdmin[Command]):
    """The journal, newest turn first."""

    page = "turnframe/admin/command.html"
    page_related = ("turn__conversation", "settled_turn", "interaction")
    ordering = ("-turn_id", "-position", "-id")
    list_select_related = ("turn",)
    list_display = ("named", "status_now", "about", "in_turn", "by_card", "decided", "completed", "origin_code", "risk_code")
    list_filter = (
        one_of("status", _("status"), CommandStatus),
        one_of("origin", _("origin"), OriginKind),
        one_of("risk", _("risk"), Risk),
        one_of("confirmation", _("confirmation"), Confirmation),
    )
    linked: ClassVar[frozenset[str]] = frozenset({"turn__id__exact", "interaction__id__exact"})
    search_ids = ("id", "turn_id", "interaction_id")
    search_text = ScopedText(
        "idempotency_key",
        "account",
        _(
            "The id of a command, of its turn or of its card, or an idempotency key. A key is looked for among the newest 1,000 commands; "
            "with the account and a space before it, anywhere."
        ),
    )

    def title_of(self, fact: Command) -> str:
        """The command's name."""
        return fact.name

    def page_context(self, request: HttpRequest, fact: Command, links: Links) -> Mapping[str, Any]:
        """Read its events and what it promised to the outside."""
        events = DomainEvent.objects.filter(command=fact).select_related("command__interaction").order_by("position")
        return {
            "events": list(events) if "domainevent" in links else [],
            "outbox": list(OutboxEntry.objects.filter(command=fact).order_by("created_at", "id")) if "outboxentry" in links else [],
        }

    @admin.display(description=_("command"))
    def named(self, command: Command) -> str:
        """Its name."""
        return columns.code(command.name)

    @admin.display(description=_("status"))
    def status_now(self, command: Command) -> str:
        """Where it stands."""
        return columns.state(command.status)

    @admin.display(description=_("origin"))
    def origin_code(self, command: Command) -> str:
        """What makes it run."""
        return columns.code(command.origin)

    @admin.display(description=_("risk"))
    def risk_code(self, command: Command) -> str:
        """How much it can hurt."""
        return columns.code(command.risk)

    @admin.display(description=_("record"))
    def about(self, command: Command) -> str:
        """The record it changes."""
        return columns.record(command)

    @admin.display(description=_("decided"))
    def decided(self, command: Command) -> str:
        """When it was decided."""
        return columns.moment(command.created_at)

    @admin.display(description=_("completed"))
    def completed(self, command: Command) -> str:
        """When it ran or was dropped."""
        return columns.moment(command.completed_at)

    @admin.display(description=_("turn"))
    def in_turn(self, command: Command) -> str:
        """The turn that decided it."""
        return links_of(command).to("turn", command.turn_id, command.turn.ordinal)

    @admin.display(description=_("card"))
    def by_card(self, command: Command) -> str:
        """The card that it waits for, or that authorised it."""
        return links_of(command).to("interaction", command.interaction_id, _("card")) if command.interaction_id else ""
