"""Effects outside: sent after the commit under a stable key, at most once on a guess, and never shown as done when nobody knows."""

from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import DatabaseError
from django.utils import timezone

from tests.desk import workflows as desk
from tests.desk.models import Parcel
from tests.desk.workflows import AskToSend, ParcelWorkflow
from tests.runtime.tables import nothing_written
from turnframe_django import flow, registry
from turnframe_django.models import OutboxEntry
from turnframe_django.runtime import deliver_outbox
from turnframe_django.runtime.outbox import backoff
from turnframe_django.testing import Scenario, ScenarioFactory, later

pytestmark = pytest.mark.django_db


def sent(scenario: ScenarioFactory, name: str = "Books") -> Scenario:
    """A conversation whose parcel was handed over, with its entry in the outbox."""
    s = scenario(ParcelWorkflow, Parcel(account="acme", name=name, revision=3))
    s.user("send it", proposes=[AskToSend()])
    s.click(s.expect_card("confirm_command"), "confirm")
    s.expect_receipt("parcel.sent")
    return s


def entry() -> OutboxEntry:
    return OutboxEntry.objects.get()


def test_nothing_is_sent_by_the_turn_itself(scenario: ScenarioFactory, carrier: list[flow.Outgoing]) -> None:
    sent(scenario)
    assert not carrier
    assert (entry().status, entry().attempts) == ("pending", 0)


def test_a_sender_is_handed_the_entry_and_its_answer_is_kept(scenario: ScenarioFactory, carrier: list[flow.Outgoing]) -> None:
    s = sent(scenario)
    told: list[OutboxEntry] = []
    assert deliver_outbox(told=told.append) == 1
    (outgoing,) = carrier
    row = entry()
    assert outgoing == flow.Outgoing(
        id=row.pk,
        destination="carrier",
        key=row.key,
        command="parcel.send_parcel",
        payload={"name": "Books"},
        account="acme",
        workflow="parcel",
        case_id=str(s.fresh().pk),
        attempt=1,
    )
    assert (row.status, row.remote_ref, row.attempts, row.last_failure) == ("completed", "carrier-1", 1, "")
    assert row.completed_at is not None
    assert row.claimed_by
    assert [settled.status for settled in told] == ["completed"]
    assert deliver_outbox() == 0
    assert len(carrier) == 1


def test_entries_are_sent_oldest_first_and_no_more_than_asked_for(scenario: ScenarioFactory, carrier: list[flow.Outgoing]) -> None:
    for name in ("One", "Two", "Three"):
        sent(scenario, name)
    assert deliver_outbox(most=2) == 2
    assert [outgoing.payload["name"] for outgoing in carrier] == ["One", "Two"]
    assert deliver_outbox() == 1


def test_what_certainly_did_not_arrive_is_sent_again_under_the_same_key_after_a_while(
    scenario: ScenarioFactory, carrier: list[flow.Outgoing]
) -> None:
    sent(scenario)
    desk.ANSWER[:] = [flow.Retryable("carrier.closed")]
    assert deliver_outbox() == 1
    row = entry()
    assert (row.status, row.last_failure, row.attempts, row.completed_at) == ("pending", "carrier.closed", 1, None)
    with nothing_written():
        assert deliver_outbox() == 0
    desk.ANSWER.clear()
    with later(timedelta(seconds=1)):
        assert deliver_outbox() == 1
    row = entry()
    assert (row.status, row.attempts, row.last_failure) == ("completed", 2, "")
    assert [outgoing.attempt for outgoing in carrier] == [1, 2]
    assert len({outgoing.key for outgoing in carrier}) == 1


def test_the_wait_grows_to_a_minute() -> None:
    assert [backoff(attempts).total_seconds() for attempts in (1, 2, 3, 4, 5)] == [1, 4, 16, 60, 60]


def test_the_other_side_may_say_how_long_to_wait(scenario: ScenarioFactory) -> None:
    sent(scenario)
    desk.ANSWER[:] = [flow.Retryable("carrier.closed", timedelta(hours=2))]
    deliver_outbox()
    with later(timedelta(hours=1, minutes=59)):
        assert deliver_outbox() == 0
    with later(timedelta(hours=2)):
        assert deliver_outbox() == 1


def test_attempts_run_out(scenario: ScenarioFactory, settings: LazySettings) -> None:
    sent(scenario)
    settings.TURNFRAME = {"OUTBOX_ATTEMPTS": 2}
    desk.ANSWER[:] = [flow.Retryable("carrier.closed")]
    for waited in (0, 1):
        with later(timedelta(seconds=waited)):
            assert deliver_outbox() == 1
    row = entry()
    assert (row.status, row.attempts, row.last_failure) == ("failed", 2, "turnframe.dispatch.attempts_exhausted")
    with later(timedelta(days=1)):
        assert deliver_outbox() == 0


def test_what_was_refused_for_good_is_not_sent_again(scenario: ScenarioFactory, carrier: list[flow.Outgoing]) -> None:
    sent(scenario)
    desk.ANSWER[:] = [flow.Permanent("carrier.no_such_town")]
    deliver_outbox()
    row = entry()
    assert (row.status, row.last_failure) == ("failed", "carrier.no_such_town")
    with later(timedelta(days=1)):
        assert deliver_outbox() == 0
    assert len(carrier) == 1


def test_what_may_have_arrived_is_never_sent_on_a_guess(scenario: ScenarioFactory, carrier: list[flow.Outgoing]) -> None:
    sent(scenario)
    desk.ANSWER[:] = [flow.Unknown("carrier-77")]
    deliver_outbox()
    row = entry()
    assert (row.status, row.remote_ref, row.completed_at) == ("outcome_unknown", "carrier-77", None)
    with later(timedelta(days=1)):
        assert deliver_outbox() == 0
    assert len(carrier) == 1


def broken(outgoing: flow.Outgoing) -> flow.SenderResult:
    raise TimeoutError("secret words of a user")


def broken_inside(outgoing: flow.Outgoing) -> flow.SenderResult:
    raise DatabaseError("the sender's own table")


def silent(outgoing: flow.Outgoing) -> Any:
    return None


def strange(outgoing: flow.Outgoing) -> Any:
    return "sent"


@pytest.mark.parametrize("function", [broken, broken_inside, silent, strange])
def test_a_sender_that_breaks_or_says_nothing_leaves_the_outcome_unknown(
    scenario: ScenarioFactory, function: Any, caplog: pytest.LogCaptureFixture
) -> None:
    sent(scenario)
    with registry.temporary(empty=True):
        flow.sender("carrier")(function)
        assert deliver_outbox() == 1
        assert entry().status == "outcome_unknown"
        with later(timedelta(days=1)):
            assert deliver_outbox() == 0
    assert "secret words" not in caplog.text


def test_an_entry_without_a_sender_waits_for_one(scenario: ScenarioFactory, carrier: list[flow.Outgoing]) -> None:
    sent(scenario)
    with registry.temporary(empty=True):
        assert deliver_outbox() == 1
    row = entry()
    assert (row.status, row.last_failure) == ("pending", "turnframe.dispatch.no_sender")
    with later(timedelta(seconds=1)):
        assert deliver_outbox() == 1
    assert len(carrier) == 1


def test_one_bad_entry_does_not_hold_up_the_others(scenario: ScenarioFactory, carrier: list[flow.Outgoing]) -> None:
    sent(scenario, "One")
    desk.ANSWER[:] = [flow.Retryable("carrier.closed")]
    deliver_outbox()
    desk.ANSWER.clear()
    sent(scenario, "Two")
    assert deliver_outbox() == 1
    assert [outgoing.payload["name"] for outgoing in carrier] == ["One", "Two"]


def test_what_somebody_else_settled_meanwhile_stands(scenario: ScenarioFactory) -> None:
    sent(scenario)

    def settled(outgoing: flow.Outgoing) -> flow.SenderResult:
        OutboxEntry.objects.update(status="outcome_unknown")
        return flow.Completed("carrier-1")

    with registry.temporary(empty=True):
        flow.sender("carrier")(settled)
        deliver_outbox()
    assert (entry().status, entry().remote_ref) == ("outcome_unknown", "")


def test_the_receipt_says_sent_whatever_becomes_of_it(scenario: ScenarioFactory) -> None:
    s = sent(scenario)
    desk.ANSWER[:] = [flow.Unknown()]
    deliver_outbox()
    assert s.expect_receipt("parcel.sent")["body"] == "Books is with the carrier."
    s.user("hello")
    s.expect_no_receipt()


def test_what_was_redacted_before_it_was_sent_is_not_sent(scenario: ScenarioFactory, carrier: list[flow.Outgoing]) -> None:
    sent(scenario)
    OutboxEntry.objects.update(payload="", redacted_at=timezone.now(), redaction_authority="the user")
    assert deliver_outbox() == 1
    assert (entry().status, entry().last_failure) == ("failed", "turnframe.dispatch.redacted")
    assert not carrier
