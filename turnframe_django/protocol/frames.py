"""Stream frames on the wire: their exact text, joined from what is stored (docs/protocol.md, "Frames").

A frame repeats the stored bytes of what it announces; its own text is encoded once, when it is written.
"""

from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from turnframe_django.protocol.times import rfc3339

#: The version of the frame format, in every frame as ``v``.
VERSION: Final = 1


class FrameType(StrEnum):
    """The stored frames. Frames without ``seq`` belong to one socket and are not listed here."""

    TURN_RECEIVED = "turn.received"
    TURN_PHASE = "turn.phase"
    TURN_STEP = "turn.step"
    BLOCK = "block"
    ANSWERS = "answers"
    TURN_DELIVERED = "turn.delivered"
    TURN_FAILED = "turn.failed"
    INTERACTION_CHANGED = "interaction.changed"


def frame_text(seq: int, type: str, turn_id: UUID | None, at: datetime, data_text: str) -> str:
    """Return the exact text of a stored frame, members in sorted order. ``data_text`` is JSON text and goes in as it is."""
    turn = f',"turn_id":"{turn_id}"' if turn_id is not None else ""
    return f'{{"at":"{rfc3339(at)}","data":{data_text},"seq":{seq:d}{turn},"type":"{type}","v":{VERSION}}}'


def counter_scope(conversation_id: UUID) -> str:
    """Return the scope of the counter that numbers a conversation's frames."""
    return f"conversation:{conversation_id}"


def received_text(ordinal: int, source: str, input_text: str) -> str:
    """Return the data of ``turn.received``, read from its turn: an empty ``input_text`` (told, or redacted) is null."""
    return f'{{"input":{input_text or "null"},"ordinal":{ordinal:d},"source":"{source}"}}'
