"""The page of a turn reads like the conversation: what came in, what went out, and what each part of it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from turnframe_django.admin import columns, turn_page
from turnframe_django.admin.facts import FactAdmin
from turnframe_django.admin.links import Links, links_of
from turnframe_django.admin.lists import one_of
from turnframe_django.admin.searching import ScopedText
from turnframe_django.models import Turn
from turnframe_django.protocol.states import TurnPhase, TurnSource


class TurnAdmin(FactAdmin[Turn]):
    """Turns, newest first."""

    page = "turnframe/admin/turn.html"
    page_related = ("conversation",)
    ordering = ("-id",)
    list_select_related = ("conversation",)
    list_display = ("received", "words", "phase_now", "error", "in_conversation", "ordinal", "actor", "source_code")
    list_filter = (one_of("phase", _("phase"), TurnPhase), one_of("source", _("source"), TurnSource))
    linked: ClassVar[frozenset[str]] = frozenset({"conversation__id__exact"})
    search_ids = ("id", "conversation_id", "replay_token")
    search_text = ScopedText(
        "client_turn_id",
        "conversation_id",
        _(
            "The id of a turn or of its conversation, or a client turn id. A client turn id is looked for among the newest 1,000 turns; "
            "with the conversation's id and a space before it, anywhere."
        ),
        scope_is_id=True,
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Turn]:
        """Leave out the server's own memory, which no page shows."""
        return super().get_queryset(request).defer("memory", "head")

    def title_of(self, fact: Turn) -> str:
        """The turn's number in its conversation."""
        return gettext("Turn %(ordinal)d") % {"ordinal": fact.ordinal}

    def page_context(self, request: HttpRequest, fact: Turn, links: Links) -> Mapping[str, Any]:
        """Read everything the turn did."""
        return {"page": turn_page.read(fact, links)}

    @admin.display(description=_("received"))
    def received(self, turn: Turn) -> str:
        """When it came in."""
        return columns.moment(turn.received_at)

    @admin.display(description=_("input"))
    def words(self, turn: Turn) -> str:
        """What came in, in short."""
        return columns.words_of_input(turn.input, turn.is_redacted)

    @admin.display(description=_("phase"))
    def phase_now(self, turn: Turn) -> str:
        """Where it stands."""
        return columns.state(turn.phase)

    @admin.display(description=_("source"))
    def source_code(self, turn: Turn) -> str:
        """Who began it."""
        return columns.code(turn.source)

    @admin.display(description=_("conversation"))
    def in_conversation(self, turn: Turn) -> str:
        """The conversation it belongs to."""
        return links_of(turn).to(
            "conversation", turn.conversation_id, columns.short(turn.conversation.title) or columns.end_of(turn.conversation_id)
        )

    @admin.display(description=_("error"))
    def error(self, turn: Turn) -> str:
        """Why it failed."""
        return columns.code(turn.error_code)
