"""A turn on the wire: what a user may send, and the exact text of what comes back.

A delivered turn is the same bytes in the first answer, in a repeat and after a reload. That holds because its text is joined here from
what is stored and nothing stored is encoded again (docs/protocol.md, "Turn").
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

from pydantic import BeforeValidator, Field, StringConstraints

from turnframe_django import codec
from turnframe_django.codec import CodecError, Json
from turnframe_django.exceptions import Problem
from turnframe_django.protocol import inputs
from turnframe_django.protocol.inputs import Input, InputLimits, invalid
from turnframe_django.protocol.times import rfc3339

#: How the server's own turns are keyed; a client may not use these.
RESERVED_PREFIXES: Final = ("callback:", "worker:", "operator:", "application:")
_CLIENT_TURN_ID = re.compile(r"[\x20-\x7e]{1,255}")

Number = Annotated[int, Field(ge=0, le=codec.LARGEST_INTEGER)]


class InteractionResponse(Input):
    """A click: the card, the option, and the revision the user was shown. What it means stands on the server."""

    interaction_id: Annotated[str, BeforeValidator(inputs.known_id)]
    option_id: str
    expected_case_revision: Number
    freeform_input: str | None = None


class OriginInput(Input):
    """The record that the page of the user shows, named by its workflow and its key."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=80)]
    case_id: Annotated[str, StringConstraints(min_length=1, max_length=80)]


class TurnInput(Input):
    """What a user sends to begin a turn; build it with ``parse_turn_input``.

    ``client_turn_id`` is None when the caller gave no key: nothing of that turn can be repeated. ``text`` is never blank.
    """

    client_turn_id: str | None = None
    text: str | None = None
    interaction_response: InteractionResponse | None = None
    origin: OriginInput | None = None
    locale: str | None = None
    seen_ordinal: Number | None = None
    expected_revision: Number | None = None

    @property
    def stored_text(self) -> str:
        """The canonical text of ``stored_input``: what ``Turn.input`` holds."""
        return codec.encode(self.stored_input())

    @property
    def digest(self) -> str:
        """SHA-256 of ``stored_text``, 64 hexadecimal digits: two requests under one key are the same when this is."""
        return codec.digest(self.stored_text)

    def stored_input(self) -> dict[str, Json]:
        """Return the body as it is kept: without the key it came under and without absent members."""
        body: dict[str, Json] = self.model_dump(mode="json", exclude={"client_turn_id"}, exclude_none=True)
        return body


def parse_turn_input(raw: bytes | Json, header_key: str | None, limits: InputLimits) -> TurnInput:
    """Return the turn input that ``raw`` (a request body, or its decoded value) and the ``Idempotency-Key`` header give.

    Raises ``Problem``: ``invalid_input`` with the faults, ``invalid_text``, ``payload_too_large``, ``text_too_long``, ``empty_turn``, or
    ``not_found`` for a card id that nobody can have. Nothing has been read or written then.
    """
    value = inputs.decoded(raw, limits) if isinstance(raw, bytes) else _checked(raw)
    turn_input = inputs.validated(TurnInput, value)
    inputs.check_locale(turn_input.locale, limits)
    turn_input = turn_input.model_copy(
        update={
            "client_turn_id": _one_key(turn_input.client_turn_id, header_key),
            "text": turn_input.text if turn_input.text is not None and turn_input.text.strip() else None,
        }
    )
    if turn_input.text is not None and len(turn_input.text) > limits.max_text_length:
        raise Problem("text_too_long", max_len=limits.max_text_length)
    if turn_input.text is None and turn_input.interaction_response is None:
        raise Problem("empty_turn")
    return turn_input


def _checked(value: Json) -> Json:
    # A value that did not come through the codec may hold what no database keeps.
    try:
        codec.encode(value)
    except CodecError as error:
        raise inputs.problem_of(error) from None
    return value


def _one_key(body_key: str | None, header_key: str | None) -> str | None:
    if body_key is not None and header_key is not None and body_key != header_key:
        raise invalid("/client_turn_id", "conflict", "The Idempotency-Key header and client_turn_id differ; send one of them.")
    key = body_key if body_key is not None else header_key
    if key is None:
        return None
    if not _CLIENT_TURN_ID.fullmatch(key):
        raise invalid("/client_turn_id", "invalid_key", "A turn's key is 1 to 255 printable ASCII characters.")
    if key.startswith(RESERVED_PREFIXES):
        raise invalid("/client_turn_id", "reserved", "Keys that begin like this one are the server's own.")
    return key


def head_text(*, conversation_id: UUID, turn_id: UUID, replay_token: UUID) -> str:
    """Return the canonical text of an assistant turn without its blocks: what ``Turn.head`` stores."""
    return codec.encode({"conversation_id": str(conversation_id), "replay_token": str(replay_token), "turn_id": str(turn_id)})


def assistant_turn_text(head: str, bodies: Sequence[str]) -> str:
    """Return the exact text of an assistant turn: its stored head and the stored bodies of its blocks in their order, joined as text."""
    return '{"blocks":[' + ",".join(bodies) + "]," + head[1:]


def turn_text(
    *,
    turn_id: UUID,
    client_turn_id: str,
    conversation_id: UUID,
    ordinal: int,
    source: str,
    phase: str,
    input_text: str,
    received_at: datetime,
    delivered_at: datetime | None,
    error_code: str = "",
    error_reference: str = "",
    head: str = "",
    bodies: Sequence[str] = (),
) -> str:
    """Return the exact text of a turn, members in sorted order.

    ``input_text`` is the stored text of the user's input; empty (no user began the turn, or it was redacted) it is null. ``head`` is the
    stored head, empty until the turn is delivered: then ``assistant_turn`` is null. ``bodies`` are the stored bodies in their order, a
    redacted one given as ``redacted_body``. A turn that failed carries ``error_code`` and ``error_reference``.
    """
    error = codec.encode({"code": error_code, "reference": error_reference}) if error_code else "null"
    return "".join(
        (
            '{"assistant_turn":',
            assistant_turn_text(head, bodies) if head else "null",
            ',"client_turn_id":',
            codec.encode(client_turn_id),
            f',"conversation_id":"{conversation_id}","delivered_at":',
            f'"{rfc3339(delivered_at)}"' if delivered_at is not None else "null",
            ',"error":',
            error,
            ',"input":',
            input_text or "null",
            f',"ordinal":{ordinal:d},"phase":{codec.encode(str(phase))},"received_at":"{rfc3339(received_at)}"',
            f',"source":{codec.encode(str(source))},"turn_id":"{turn_id}"}}',
        )
    )


def redacted_body(kind: str, block_id: UUID, schema_version: int) -> str:
    """Return the text that stands in for a block whose words were redacted: what it was, and nothing of what it said."""
    return codec.encode({"block_id": str(block_id), "kind": kind, "redacted": True, "schema_version": schema_version})
