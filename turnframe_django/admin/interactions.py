"""The page of a card: what was asked, of which record at which revision, each answer with its action, and every move it made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from turnframe_django.admin import columns, turn_page
from turnframe_django.admin.facts import FactAdmin
from turnframe_django.admin.links import Links, links_of
from turnframe_django.admin.lists import one_of
from turnframe_django.models import Block, Command, Interaction
from turnframe_django.protocol.states import CardKind, InteractionStatus, Risk


class InteractionAdmin(FactAdmin[Interaction]):
    """Cards, newest turn first."""

    page = "turnframe/admin/interaction.html"
    page_related = ("conversation", "turn", "resolved_turn")
    ordering = ("-turn_id", "-id")
    list_select_related = ("turn",)
    list_display = ("asks", "status_now", "about", "in_turn", "answered_in", "bound_revision", "kind_code", "blocking", "raised", "expires")
    list_filter = (
        one_of("status", _("status"), InteractionStatus),
        one_of("kind", _("kind"), CardKind),
        one_of("risk", _("risk"), Risk),
    )
    linked: ClassVar[frozenset[str]] = frozenset(
        {"conversation__id__exact", "turn__id__exact", "account", "engine", "case_name", "case_id"}
    )
    search_ids = ("id", "turn_id", "conversation_id")

    def title_of(self, fact: Interaction) -> str:
        """What the card asks."""
        return columns.title_of_card(fact) or gettext("Card")

    def page_context(self, request: HttpRequest, fact: Interaction, links: Links) -> Mapping[str, Any]:
        """Read its options, its moves, the commands that wait for it and the blocks that show it."""
        commands = Command.objects.filter(interaction=fact).select_related("turn", "settled_turn").order_by("position", "id")
        return {
            "card": turn_page.with_history([fact], Q(interaction=fact))[fact.pk],
            "commands": list(commands) if "command" in links else [],
            "blocks": list(
                Block.objects.filter(interaction=fact).select_related("turn", "interaction").order_by("turn_id", "position")[:50]
            ),
        }

    @admin.display(description=_("asks"))
    def asks(self, card: Interaction) -> str:
        """What it asks."""
        return columns.title_of_card(card) or columns.code(card.key)

    @admin.display(description=_("status"))
    def status_now(self, card: Interaction) -> str:
        """Where it stands."""
        return columns.state(card.status)

    @admin.display(description=_("kind"))
    def kind_code(self, card: Interaction) -> str:
        """The kind of card."""
        return columns.code(card.kind)

    @admin.display(description=_("record"))
    def about(self, card: Interaction) -> str:
        """The record it is bound to."""
        return columns.record(card)

    @admin.display(description=_("raised"))
    def raised(self, card: Interaction) -> str:
        """When it was raised."""
        return columns.moment(card.created_at)

    @admin.display(description=_("expires"))
    def expires(self, card: Interaction) -> str:
        """When its time is over."""
        return columns.moment(card.expires_at)

    @admin.display(description=_("raised in turn"))
    def in_turn(self, card: Interaction) -> str:
        """The turn that raised it."""
        return links_of(card).to("turn", card.turn_id, card.turn.ordinal)

    @admin.display(description=_("answered"))
    def answered_in(self, card: Interaction) -> str:
        """The turn that answered it."""
        return links_of(card).to("turn", card.resolved_turn_id, columns.moment(card.resolved_at))
