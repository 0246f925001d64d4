"""Several dispatchers at one outbox: each entry is claimed by one."""

import time
from typing import Any

import pytest

from tests.desk import workflows as desk
from tests.races.crowd import asked
from tests.threads import together
from turnframe_django import flow, registry
from turnframe_django.models import OutboxEntry
from turnframe_django.runtime import deliver_outbox


def slow(outgoing: flow.Outgoing) -> flow.SenderResult:
    """Take a while, so that dispatchers meet."""
    time.sleep(0.02)
    desk.SENT.append(outgoing)
    return flow.Completed(f"carrier-{outgoing.attempt}")


@pytest.mark.parametrize("entries", [1, 5])
def test_r13_an_entry_is_sent_once_however_many_dispatch(entries: int) -> None:
    for _ in range(entries):
        asked().click()
    with registry.temporary(empty=True):
        flow.sender("carrier")(slow)
        outcomes: list[Any] = together(4, lambda number: deliver_outbox(worker=f"worker-{number}"))
    assert not [outcome for outcome in outcomes if isinstance(outcome, Exception)], outcomes
    assert sum(outcomes) == entries
    assert len(desk.SENT) == entries
    assert len({outgoing.key for outgoing in desk.SENT}) == entries
    assert list(OutboxEntry.objects.values_list("status", "attempts")) == [("completed", 1)] * entries
