"""The page of a conversation: who owns it, what it is about, what is still asked, and its newest turns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.contrib import admin
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from turnframe_django.admin import columns
from turnframe_django.admin.facts import FactAdmin
from turnframe_django.admin.links import Links, links_of
from turnframe_django.admin.lists import one_of
from turnframe_django.models import Conversation, ConversationCase, Interaction, Turn
from turnframe_django.protocol.states import OPEN_INTERACTION, Engine

#: How many turns, cards and records the page shows; the rest is in the lists.
WINDOW = 50


class ConversationAdmin(FactAdmin[Conversation]):
    """Conversations, the last begun first."""

    page = "turnframe/admin/conversation.html"
    ordering = ("-id",)
    list_display = ("name", "account", "owner", "engine_code", "last_ordinal", "active_at", "begun", "held")
    list_filter = (one_of("engine", _("engine"), Engine),)
    linked: ClassVar[frozenset[str]] = frozenset({"account", "account__exact", "owner", "owner__exact"})

    def title_of(self, fact: Conversation) -> str:
        """The title, where there is one."""
        return fact.title or gettext("Conversation")

    def page_context(self, request: HttpRequest, fact: Conversation, links: Links) -> Mapping[str, Any]:
        """Read the newest turns, the open cards and the records."""
        turns = (
            list(Turn.objects.filter(conversation=fact).defer("head", "memory").order_by("-ordinal")[: WINDOW + 1])
            if "turn" in links
            else []
        )
        cards = (
            list(Interaction.objects.filter(conversation=fact, status__in=OPEN_INTERACTION).order_by("-created_at")[: WINDOW + 1])
            if "interaction" in links
            else []
        )
        cases = list(ConversationCase.objects.filter(conversation=fact).order_by("engine", "name", "case_id")[: WINDOW + 1])
        return {
            "turns": [(turn, columns.words_of_input(turn.input, turn.is_redacted)) for turn in turns[:WINDOW]],
            "cards": [(card, columns.title_of_card(card)) for card in cards[:WINDOW]],
            "cases": cases[:WINDOW],
            "has_more_turns": len(turns) > WINDOW,
            "has_more_cards": len(cards) > WINDOW,
            "has_more_cases": len(cases) > WINDOW,
            "lease_holds": _is_held(fact),
        }

    @admin.display(description=_("conversation"))
    def name(self, conversation: Conversation) -> str:
        """The title or, where there is none, the id."""
        if conversation.is_redacted:
            return str(columns.REMOVED)
        return columns.short(conversation.title) or columns.code(columns.end_of(conversation.pk))

    @admin.display(description=_("engine"))
    def engine_code(self, conversation: Conversation) -> str:
        """The engine that answers."""
        return columns.code(conversation.engine)

    @admin.display(description=_("last activity"))
    def active_at(self, conversation: Conversation) -> str:
        """When something last happened."""
        return columns.moment(conversation.last_activity_at)

    @admin.display(description=_("begun"))
    def begun(self, conversation: Conversation) -> str:
        """When it was opened."""
        return columns.moment(conversation.created_at)

    @admin.display(description=_("turn being taken"))
    def held(self, conversation: Conversation) -> str:
        """The turn that holds the lease."""
        return (
            links_of(conversation).to("turn", conversation.lease_turn, columns.end_of(conversation.lease_turn))
            if _is_held(conversation)
            else ""
        )


def _is_held(conversation: Conversation) -> bool:
    return conversation.lease_until is not None and conversation.lease_until > timezone.now()
