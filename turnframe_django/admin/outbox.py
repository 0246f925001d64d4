"""The page of an outbox entry: what was promised to the outside, how often it was tried, and what is known of it."""

from __future__ import annotations

from typing import ClassVar

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from turnframe_django.admin import columns
from turnframe_django.admin.facts import FactAdmin
from turnframe_django.admin.links import links_of
from turnframe_django.admin.lists import one_of
from turnframe_django.admin.searching import ScopedText
from turnframe_django.models import OutboxEntry
from turnframe_django.protocol.states import OutboxStatus


class OutboxAdmin(FactAdmin[OutboxEntry]):
    """The outbox, newest turn first."""

    page = "turnframe/admin/outbox.html"
    page_related = ("turn__conversation", "command__interaction")
    ordering = ("-turn_id", "-id")
    list_select_related = ("turn", "command")
    list_display = ("to", "status_now", "attempts", "failure", "in_turn", "by_command", "next_attempt", "promised", "completed", "remote")
    list_filter = (one_of("status", _("status"), OutboxStatus),)
    linked: ClassVar[frozenset[str]] = frozenset({"turn__id__exact", "command__id__exact"})
    search_ids = ("id", "turn_id", "command_id")
    search_text = ScopedText(
        "key",
        "destination",
        _(
            "The id of an entry, of its turn or of its command, or a key. A key is looked for among the newest 1,000 entries; "
            "with the destination and a space before it, anywhere."
        ),
    )

    def title_of(self, fact: OutboxEntry) -> str:
        """Where it goes."""
        return fact.destination

    @admin.display(description=_("destination"))
    def to(self, entry: OutboxEntry) -> str:
        """Where it goes."""
        return columns.code(entry.destination)

    @admin.display(description=_("status"))
    def status_now(self, entry: OutboxEntry) -> str:
        """Where it stands."""
        return columns.state(entry.status)

    @admin.display(description=_("next attempt"))
    def next_attempt(self, entry: OutboxEntry) -> str:
        """When it is tried again."""
        return columns.moment(entry.next_attempt_at)

    @admin.display(description=_("last failure"))
    def failure(self, entry: OutboxEntry) -> str:
        """What went wrong last."""
        return columns.code(entry.last_failure)

    @admin.display(description=_("promised"))
    def promised(self, entry: OutboxEntry) -> str:
        """When it was promised."""
        return columns.moment(entry.created_at)

    @admin.display(description=_("completed"))
    def completed(self, entry: OutboxEntry) -> str:
        """When the outside accepted or refused it."""
        return columns.moment(entry.completed_at)

    @admin.display(description=_("remote reference"))
    def remote(self, entry: OutboxEntry) -> str:
        """What the outside calls it."""
        return columns.code(entry.remote_ref)

    @admin.display(description=_("turn"))
    def in_turn(self, entry: OutboxEntry) -> str:
        """The turn that promised it."""
        return links_of(entry).to("turn", entry.turn_id, entry.turn.ordinal)

    @admin.display(description=_("command"))
    def by_command(self, entry: OutboxEntry) -> str:
        """The command it came from."""
        return links_of(entry).to("command", entry.command_id, entry.command.name, code=True)
