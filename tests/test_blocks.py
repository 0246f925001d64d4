"""Kinds of block that a site adds."""

from typing import Literal
from uuid import UUID

import pytest

from turnframe_django import blocks, registry

BLOCK = UUID("01890000-0000-7000-8000-000000000001")


class ChartBody(blocks.BlockBody):
    kind: Literal["chart"]
    schema_version: Literal[1]
    points: list[int]


CHART = blocks.BlockKind("chart", {1: ChartBody}, lambda body: f"{len(body.points)} points")


def test_a_registered_kind_is_written_read_and_told_in_words() -> None:
    with registry.temporary():
        blocks.register(CHART)
        _version, text = blocks.text("chart", BLOCK, {"points": [1, 2]})
        body = blocks.read(text)
        assert isinstance(body, ChartBody)
        assert blocks.words(body) == "2 points"
    gone = blocks.read(text)
    assert gone == blocks.UnknownBlock("chart", 1, text)
    assert blocks.words(gone) == ""


def test_a_name_is_taken_once_and_the_protocols_own_never() -> None:
    with registry.temporary():
        blocks.register(CHART)
        with pytest.raises(registry.AlreadyRegistered, match="taken"):
            blocks.register(CHART)
        with pytest.raises(registry.AlreadyRegistered, match="protocol"):
            blocks.register(blocks.kinds()["receipt"])
