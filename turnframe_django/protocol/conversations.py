"""A conversation on the wire: how one is opened and how one is described."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field, StringConstraints

from turnframe_django.codec import Json
from turnframe_django.protocol import inputs
from turnframe_django.protocol.inputs import Input, InputLimits
from turnframe_django.protocol.times import rfc3339
from turnframe_django.protocol.turns import OriginInput


class ConversationInput(Input):
    """What a user sends to open a conversation. Without ``chat`` it is a workflow conversation; ``cases`` are records it is about."""

    chat: Annotated[str, StringConstraints(min_length=1, max_length=80)] | None = None
    locale: str | None = None
    title: Annotated[str, StringConstraints(max_length=200)] | None = None
    cases: Annotated[list[OriginInput], Field(max_length=20)] | None = None


def parse_conversation_input(raw: bytes | Json, limits: InputLimits) -> ConversationInput:
    """Return the input that ``raw`` (a request body, or its decoded value) gives. Raises ``Problem`` as ``parse_turn_input`` does."""
    value = inputs.decoded(raw, limits) if isinstance(raw, bytes) else raw
    found = inputs.validated(ConversationInput, value)
    inputs.check_locale(found.locale, limits)
    return found


def conversation_document(
    *,
    conversation_id: UUID,
    engine: str,
    chat: str | None,
    title: str,
    locale: str,
    created_at: datetime,
    last_activity_at: datetime,
    turn_in_progress: bool,
) -> dict[str, Json]:
    """Return a conversation as it is sent; ``chat`` is a member only of a chat's conversation."""
    document: dict[str, Json] = {
        "conversation_id": str(conversation_id),
        "created_at": rfc3339(created_at),
        "engine": engine,
        "last_activity_at": rfc3339(last_activity_at),
        "locale": locale,
        "title": title,
        "turn_in_progress": turn_in_progress,
    }
    if chat is not None:
        document["chat"] = chat
    return document
