"""What the runtime's tests stand on: scenarios over the desk's parcels, and a second workflow that is registered for one test."""

from collections.abc import Iterator

import pytest

from tests.desk import workflows as desk
from tests.runtime.crates import CrateWorkflow
from turnframe_django import flow, registry
from turnframe_django.testing.plugin import scenario

__all__ = ["scenario"]


@pytest.fixture
def crates() -> Iterator[type[CrateWorkflow]]:
    """The workflow of crates, registered while the test runs."""
    with registry.temporary():
        yield flow.register(CrateWorkflow)


@pytest.fixture(autouse=True)
def carrier() -> Iterator[list[flow.Outgoing]]:
    """What the desk's carrier was handed, empty at the start; it accepts everything unless a test says otherwise."""
    desk.SENT.clear()
    desk.ANSWER.clear()
    yield desk.SENT
    desk.SENT.clear()
    desk.ANSWER.clear()
