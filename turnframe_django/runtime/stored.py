"""A stored turn as the exact text a client gets: the same join for a first answer, a repeat and a reload."""

from collections.abc import Sequence

from turnframe_django.models import Block, Turn
from turnframe_django.protocol.states import TurnPhase
from turnframe_django.protocol.turns import redacted_body, turn_text
from turnframe_django.runtime import rows


def text(turn: Turn, bodies: Sequence[str]) -> str:
    """Return the exact text of ``turn`` with the given bodies of its blocks."""
    return turn_text(
        turn_id=turn.pk,
        client_turn_id=turn.client_turn_id,
        conversation_id=turn.conversation_id,
        ordinal=turn.ordinal,
        source=turn.source,
        phase=turn.phase,
        input_text=turn.input,
        received_at=turn.received_at,
        delivered_at=turn.delivered_at,
        error_code=turn.error_code,
        error_reference=turn.error_reference,
        head=turn.head,
        bodies=bodies,
    )


def read(turn: Turn) -> str:
    """Read the blocks of ``turn`` in one statement and return its exact text."""
    if turn.phase != TurnPhase.DELIVERED:
        return text(turn, ())
    return text(turn, [body_of(block) for block in rows.select(Block, "turn_id = %s ORDER BY position", [turn.pk])])


def body_of(block: Block) -> str:
    """Return the stored body of ``block``, or what stands in for it once redacted."""
    return block.body if not block.is_redacted else redacted_body(block.kind, block.pk, block.schema_version)
