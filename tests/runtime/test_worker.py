"""``turnframe_worker``: delivers what is due, once or until it is asked to stop."""

import os
import signal
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from tests.desk.models import Parcel
from tests.desk.workflows import AskToSend, ParcelWorkflow
from turnframe_django import flow
from turnframe_django.management.commands import turnframe_worker
from turnframe_django.models import OutboxEntry
from turnframe_django.runtime import deliver_outbox
from turnframe_django.testing import Scenario


def promise(count: int) -> None:
    """Leave so many entries in the outbox."""
    for number in range(count):
        s = Scenario(ParcelWorkflow, Parcel(account="acme", name=f"Box {number}"))
        s.user("send it", proposes=[AskToSend()])
        s.click(s.expect_card("confirm_command"), "confirm")


@pytest.fixture
def handlers() -> Iterator[None]:
    """Give the process its own signal handlers back."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


@pytest.mark.django_db
@pytest.mark.parametrize("count", [0, 1, 3])
def test_once_delivers_what_is_due_and_ends(carrier: list[flow.Outgoing], count: int) -> None:
    promise(count)
    out = StringIO()
    call_command("turnframe_worker", "--once", "outbox", stdout=out)
    assert out.getvalue() == f"outbox: {count} done\n"
    assert len(carrier) == count
    assert not OutboxEntry.objects.exclude(status="completed").exists()


@pytest.mark.django_db
def test_a_job_that_there_is_not_is_refused() -> None:
    with pytest.raises(CommandError, match="invalid choice"):
        call_command("turnframe_worker", "--once", "laundry")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_after_the_delivery_it_is_at(
    carrier: list[flow.Outgoing], handlers: None, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    promise(3)

    def interrupted(**options: Any) -> int:
        done = deliver_outbox(**options)
        os.kill(os.getpid(), number)
        return done

    monkeypatch.setattr(turnframe_worker, "deliver_outbox", interrupted)
    out = StringIO()
    call_command("turnframe_worker", stdout=out)
    assert out.getvalue() == "worker started: outbox\nworker stopped\n"
    assert len(carrier) == 1
    assert sorted(OutboxEntry.objects.values_list("status", flat=True)) == ["completed", "pending", "pending"]


@pytest.mark.django_db(transaction=True)
def test_it_rests_when_nothing_is_due_and_goes_on(carrier: list[flow.Outgoing], handlers: None, monkeypatch: pytest.MonkeyPatch) -> None:
    command = turnframe_worker.Command(stdout=StringIO())
    rested: list[float] = []

    class Stopping:
        """An event that is set after the second rest."""

        def is_set(self) -> bool:
            return len(rested) > 1

        def wait(self, seconds: float) -> None:
            rested.append(seconds)
            promise(1)

        def set(self) -> None:
            raise AssertionError("nobody asked")

    monkeypatch.setattr(command, "stopping", Stopping())
    command.handle(once=None, pause=0.5)
    assert rested == [0.5, 0.5]
    assert len(carrier) == 1


@pytest.mark.django_db(transaction=True)
def test_nothing_is_open_while_a_sender_works(monkeypatch: pytest.MonkeyPatch) -> None:
    promise(1)
    seen: list[bool] = []

    def looking(self: Any, outgoing: flow.Outgoing) -> None:
        seen.append(connection.in_atomic_block)

    monkeypatch.setattr("tests.desk.workflows.SENT", type("Looking", (list,), {"append": looking})())
    call_command("turnframe_worker", "--once", "outbox", stdout=StringIO())
    assert seen == [False]
