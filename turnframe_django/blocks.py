"""Kinds of block that a site adds to those of the protocol.

A kind is always the server's own: a pydantic body for each version, a template, and words for where neither can be shown. Register it in
``workflows.py`` or ``chats.py``::

    class ChartBody(blocks.BlockBody):
        kind: Literal["chart"]
        schema_version: Literal[1]
        points: list[int]

    blocks.register(blocks.BlockKind("chart", {1: ChartBody}, lambda body: f"{len(body.points)} points"))
"""

from collections.abc import Mapping
from uuid import UUID

from turnframe_django import registry
from turnframe_django.codec import Json
from turnframe_django.protocol import blocks as protocol
from turnframe_django.protocol.blocks import BlockBody, BlockKind, InvalidBlock, ReadBlock, RedactedBlock, UnknownBlock

__all__ = [
    "BlockBody",
    "BlockKind",
    "InvalidBlock",
    "ReadBlock",
    "RedactedBlock",
    "UnknownBlock",
    "kinds",
    "read",
    "register",
    "text",
    "words",
]


def register(kind: BlockKind) -> BlockKind:
    """Add ``kind``. Raises ``registry.AlreadyRegistered`` when its name is taken, by the protocol or by another app."""
    if kind.name in protocol.BUILT_IN:
        raise registry.AlreadyRegistered(f"The block kind {kind.name!r} is the protocol's own.")
    registry.add("block", kind.name, kind)
    return kind


def kinds() -> Mapping[str, BlockKind]:
    """Every kind of block by name: the protocol's and the site's."""
    return {**protocol.BUILT_IN, **registry.blocks()}


def text(kind: str, block_id: UUID, body: Mapping[str, Json]) -> tuple[int, str]:
    """Return the version and the exact text of a new block (``protocol.blocks.block_text``). Raises ``InvalidBlock``."""
    return protocol.block_text(kind, block_id, body, kinds())


def read(stored: str) -> ReadBlock:
    """Return what a stored body says; it never raises (``protocol.blocks.read_body``)."""
    return protocol.read_body(stored, kinds())


def words(block: ReadBlock) -> str:
    """Return the plain words of a block (``protocol.blocks.words_of``)."""
    return protocol.words_of(block, kinds())
