"""``{{ card|with_words:refused }}``: a card whose answer was refused, with the words of that answer in the input they came from."""

from __future__ import annotations

import re

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString

from demo_project.travel.page import RefusedAnswer

register = template.Library()


@register.filter
def with_words(card: SafeString, refused: RefusedAnswer) -> SafeString:
    """Return the HTML of ``card`` with the refused words in the input of their option; unchanged where that option has no input."""
    if not refused.words:
        return card
    form = re.compile(rf'(name="option_id" value="{re.escape(escape(refused.option))}">(?:(?!</form>).)*?name="freeform_input")', re.DOTALL)
    value = f' value="{escape(refused.words)}" aria-invalid="true"'
    return SafeString(form.sub(lambda found: found[1] + value, card, count=1))
