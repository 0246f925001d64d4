"""What the admin's pages are written with: a link to another fact, and a stored JSON text set out in lines.

Usage::

    {% load turnframe_admin %}
    {% fact_link "turn" turn.pk turn.ordinal %}
    <pre>{{ event.payload|set_out }}</pre>
"""

from __future__ import annotations

import json
from typing import Any

from django import template

from turnframe_django import codec

register = template.Library()


@register.simple_tag(takes_context=True)
def fact_link(context: template.Context, kind: str, key: object, words: object = "") -> str:
    """Return a link to the page of a fact, or its words alone where the reader may not open it."""
    shown: str = context["links"].to(kind, key, words)
    return shown


@register.simple_tag(takes_context=True)
def list_link(context: template.Context, kind: str, words: object, **lookups: Any) -> str:
    """Return a link to a list narrowed by ``lookups``, or nothing where the reader may not see it."""
    shown: str = context["links"].listed(kind, words, **lookups)
    return shown


@register.filter
def set_out(text: str) -> str:
    """Return a JSON text in lines, for reading; what is no JSON stays as it is. The result is plain text and is escaped like any other."""
    try:
        value = codec.decode(text)
    except codec.CodecError:
        return text
    return json.dumps(value, ensure_ascii=False, indent=2)


@register.filter
def is_visible(kind: str, links: Any) -> bool:
    """Whether the reader may view facts of this kind."""
    return kind in links
