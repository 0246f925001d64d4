"""What every face asks before it calls a verb: who acts, and how much they may send."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings as django_settings

from turnframe_django.codec import Json
from turnframe_django.conf import load, settings
from turnframe_django.context import Actor
from turnframe_django.protocol.inputs import InputLimits
from turnframe_django.protocol.turns import TurnInput, parse_turn_input


def actor_of(user: Any) -> Actor:
    """Return the actor that ``ACTOR_RESOLVER`` makes of an authenticated user."""
    actor: Actor = load(settings.ACTOR_RESOLVER)(user)
    return actor


def limits() -> InputLimits:
    """Return what the site's settings allow a caller to send."""
    return InputLimits(
        max_text_length=settings.MAX_TEXT_LENGTH,
        max_body_bytes=settings.MAX_BODY_BYTES,
        max_depth=settings.MAX_JSON_DEPTH,
        locales=frozenset(code for code, _name in django_settings.LANGUAGES),
    )


def read_input(turn_input: TurnInput | Mapping[str, Json]) -> TurnInput:
    """Return a turn input, checked like a request body where it is a plain mapping. Raises ``Problem``."""
    return turn_input if isinstance(turn_input, TurnInput) else parse_turn_input(dict(turn_input), None, limits())
