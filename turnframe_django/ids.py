"""Identifiers: time-ordered ones for rows, derived ones for whatever a replay must reproduce.

A derived id is the SHA-256 of a domain name and its parts, so the same turn reduced again names the same commands, cards and blocks.
Parts are ids, digests and enum values, never a user's words.
"""

import hashlib
import sys
import uuid
from collections.abc import Iterable

from turnframe_django import codec

if sys.version_info >= (3, 14):
    _uuid7 = uuid.uuid7
else:
    from uuid_utils.compat import uuid7 as _uuid7


def new_id() -> uuid.UUID:
    """Return a new version 7 UUID: unique, and in order of creation."""
    return _uuid7()


def derived_id(domain: str, *parts: str) -> uuid.UUID:
    """Return the version 8 UUID of ``domain`` and ``parts``; equal input gives an equal id."""
    number = int.from_bytes(_hashed(domain, parts)[:16], "big")
    number = (number & ~(0xF << 76)) | (8 << 76)
    number = (number & ~(0x3 << 62)) | (2 << 62)
    # uuid.UUID(version=8) is refused before Python 3.14, so the bits are set by hand.
    return uuid.UUID(int=number)


def command_id(turn: uuid.UUID, act: str, position: int) -> uuid.UUID:
    """Return the id of the command at ``position`` (from 0) of an act of ``turn``."""
    return derived_id("turnframe.command.v1", str(turn), act, str(position))


def event_id(command: uuid.UUID, position: int) -> uuid.UUID:
    """Return the id of the event at ``position`` (from 0) that ``command`` committed."""
    return derived_id("turnframe.event.v1", str(command), str(position))


def interaction_id(turn: uuid.UUID, case: str, key: str) -> uuid.UUID:
    """Return the id of the card ``key`` that ``turn`` raises on ``case`` (its path, without a revision)."""
    return derived_id("turnframe.interaction.v1", str(turn), case, key)


def block_id(turn: uuid.UUID, key: str) -> uuid.UUID:
    """Return the id of the block ``key`` of ``turn``."""
    return derived_id("turnframe.block.v1", str(turn), key)


def receipt_id(status_code: str, event_ids: Iterable[uuid.UUID]) -> uuid.UUID:
    """Return the id of a receipt: the same whatever the order of its events, another for another set or status."""
    return derived_id("turnframe.receipt.v1", status_code, *sorted({str(event) for event in event_ids}))


def outbox_id(command: uuid.UUID) -> uuid.UUID:
    """Return the id of the outbox entry of ``command``."""
    return derived_id("turnframe.outbox.v1", str(command))


def replay_token(turn: uuid.UUID) -> uuid.UUID:
    """Return the token that joins a shown turn to its record."""
    return derived_id("turnframe.replay_token.v1", str(turn))


def new_case_id(turn: uuid.UUID, workflow: str, act: str) -> uuid.UUID:
    """Return the key of the record that an act of ``turn`` opens."""
    return derived_id("turnframe.new_case.v1", str(turn), workflow, act)


def target_token(account: str, turn: uuid.UUID, workflow: str, case: str) -> str:
    """Return the opaque name by which a model may point at a record during one turn."""
    return "t_" + _hashed("turnframe.target.v1", (account, str(turn), workflow, case)).hex()[:12]


def idempotency_key(*, account: str, turn: str, case: str, revision: int, origin: str, command: str, arguments: str) -> str:
    """Return the journal key of a command: 64 hexadecimal digits that change when any of the inputs does (spec: I14)."""
    parts: codec.Json = {
        "account": account,
        "arguments": arguments,
        "case": case,
        "command": command,
        "domain": "turnframe.idempotency.v1",
        "origin": origin,
        "revision": revision,
        "turn": turn,
    }
    return codec.digest(codec.encode(parts))


def _hashed(domain: str, parts: Iterable[str]) -> bytes:
    # A NUL before each part: no two lists of parts run into the same bytes.
    return hashlib.sha256(domain.encode() + b"".join(b"\0" + part.encode() for part in parts)).digest()
