"""``{% turnframe_block block %}``: one block of a reply as HTML, the same in a page and in the admin.

A block is shown from its stored text and nothing else, so what a reader sees now is what was said then. Only a card has a state beside
it: it is shown as it stands, and its buttons work only where the page can take an answer. A kind nobody knows is shown as unknown, never
left out.

Usage::

    {% load turnframe %}
    {% turnframe_block block states=interaction_states answer_url=answer_url %}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from django import template
from django.template.loader import get_template, select_template
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from turnframe_django import blocks, ids
from turnframe_django.models import Block, Interaction
from turnframe_django.protocol.blocks import InteractionBody, ReadBlock, RedactedBlock, UnknownBlock
from turnframe_django.protocol.cards import InteractionView, OptionView
from turnframe_django.protocol.states import InteractionStatus

register = template.Library()

LINK_SCHEMES = frozenset({"", "http", "https", "mailto"})

_STATUS_LABELS: Mapping[str, str | Promise] = {
    InteractionStatus.ACTIVE: _("Waiting for your answer"),
    InteractionStatus.RESOLVING: _("Being answered"),
    InteractionStatus.RESOLVED: _("Answered"),
    InteractionStatus.DECLINED: _("Declined"),
    InteractionStatus.DISMISSED: _("Put aside"),
    InteractionStatus.INVALIDATED: _("No longer valid"),
    InteractionStatus.EXPIRED: _("Expired"),
    InteractionStatus.FAILED: _("Could not be done"),
}


@dataclass(frozen=True, slots=True)
class ShownOption:
    """One button: the option, whether it was the answer, and the key that makes a double submit one turn."""

    option: OptionView
    chosen: bool
    client_turn_id: str

    @property
    def takes_text(self) -> bool:
        """Whether the answer may carry words."""
        return self.option.freeform.mode != "forbidden"


@dataclass(frozen=True, slots=True)
class ShownCard:
    """A card with its state now. ``status`` is empty where it is not known."""

    view: InteractionView
    status: str
    label: str | Promise
    answerable: bool
    expires_at: datetime | None
    options: tuple[ShownOption, ...]


@register.simple_tag(takes_context=True)
def turnframe_block(
    context: template.Context,
    block: Block | str,
    states: Mapping[str, Mapping[str, Any]] | None = None,
    answer_url: str = "",
) -> SafeString:
    """Return the HTML of ``block``, a row or the text of a body.

    ``states`` holds the cards' states as the protocol writes them (``interaction_states``); without it a card's own row is used where it
    was read together with the block. ``answer_url`` takes the answers by POST; without it, and once a card is not active, no button works.
    """
    body = _read(block)
    given: dict[str, Any] = {"body": body, "answer_url": answer_url, "csrf_token": context.get("csrf_token", "")}
    if isinstance(body, RedactedBlock):
        found = get_template("turnframe/blocks/redacted.html")
    elif isinstance(body, UnknownBlock):
        found = get_template("turnframe/blocks/unknown.html")
    else:
        if isinstance(body, InteractionBody):
            given["card"] = _card(body.interaction, _state(body.interaction, block, states), bool(answer_url))
        given["words"] = blocks.words(body)
        found = select_template([blocks.kinds()[body.kind].template, "turnframe/blocks/fallback.html"])
    return SafeString(found.render(given))


@register.filter
def turnframe_link(url: str) -> str:
    """Return ``url`` when it leads to a page or a mailbox, else nothing: no script, no data, nothing a browser would read differently."""
    text = str(url)
    if any(character <= " " or character in "\\\x7f" for character in text):
        return ""
    try:
        scheme = urlsplit(text).scheme
    except ValueError:
        return ""
    # A scheme that urlsplit does not recognise leaves its colon in the path.
    is_relative = scheme == "" and ":" not in text.partition("/")[0]
    return text if text and (is_relative or (scheme and scheme.lower() in LINK_SCHEMES)) else ""


def _read(block: Block | str) -> ReadBlock:
    if isinstance(block, str):
        return blocks.read(block)
    if block.is_redacted:
        return RedactedBlock(block.kind, str(block.pk), block.schema_version)
    return blocks.read(block.body)


def _state(view: InteractionView, block: Block | str, states: Mapping[str, Mapping[str, Any]] | None) -> tuple[str, str]:
    if states is not None:
        state = states.get(view.interaction_id, {})
        return str(state.get("status") or ""), str(state.get("resolved_option_id") or "")
    row = block._state.fields_cache.get("interaction") if isinstance(block, Block) else None
    return (row.status, row.resolved_option_id) if isinstance(row, Interaction) else ("", "")


def _card(view: InteractionView, state: tuple[str, str], page_takes_answers: bool) -> ShownCard:
    status, chosen = state
    expires_at = parse_datetime(view.expires_at) if view.expires_at else None
    if status == InteractionStatus.ACTIVE and expires_at is not None and expires_at <= timezone.now():
        status = InteractionStatus.EXPIRED
    return ShownCard(
        view=view,
        status=str(status),
        label=_STATUS_LABELS.get(status, ""),
        answerable=page_takes_answers and status == InteractionStatus.ACTIVE,
        expires_at=expires_at,
        options=tuple(ShownOption(option, option.option_id == chosen, str(ids.new_id())) for option in view.options),
    )
