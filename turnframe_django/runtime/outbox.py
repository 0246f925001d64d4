"""Delivery of external effects: claimed in one transaction, sent without one, settled in another.

An entry is sent at least once under its stable key. Where nobody can know whether the destination accepted it, the outcome is unknown:
it is never shown as done and never sent again on a guess (docs/concepts.md, "Outside effects").
"""

import logging
import os
import socket
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import cast

from turnframe_django import codec, flow, registry
from turnframe_django.conf import settings
from turnframe_django.flow.outside import SenderResult
from turnframe_django.models import OutboxEntry
from turnframe_django.runtime import announcing, clock, rows
from turnframe_django.runtime.transactions import let_go, retried, work

logger = logging.getLogger(__name__)

_DUE = "status = 'pending' AND (next_attempt_at IS NULL OR next_attempt_at <= %s) ORDER BY created_at, id LIMIT 1"


def deliver_outbox(*, most: int = 100, worker: str = "", told: Callable[[OutboxEntry], None] | None = None) -> int:
    """Send the entries that are due, oldest first, at most ``most`` of them, and return how many were claimed.

    Any number of workers may run at once: an entry is claimed by one. ``told`` is called with each entry after it was settled.
    """
    name = worker or f"{socket.gethostname()}:{os.getpid()}"[:80]
    for count in range(most):
        entry = retried(lambda: _claim(name))
        if entry is None:
            return count
        settled = _settle(entry, _send(entry))
        if told is not None:
            told(settled)
    return most


def _claim(worker: str) -> OutboxEntry | None:
    with work():
        now = clock.now()
        found = rows.select(OutboxEntry, _DUE, [now], lock=True, skip_locked=True)
        if not found:
            return None
        entry = found[0]
        entry.claim()
        entry.attempts += 1
        entry.claimed_by, entry.claimed_at, entry.next_attempt_at = worker, now, None
        rows.update(entry, "status", "attempts", "claimed_by", "claimed_at", "next_attempt_at")
        return entry


def _send(entry: OutboxEntry) -> SenderResult:
    sender = registry.senders().get(entry.destination)
    if sender is None:
        return flow.Retryable("turnframe.dispatch.no_sender")
    if entry.is_redacted:
        return flow.Permanent("turnframe.dispatch.redacted")
    outgoing = flow.Outgoing(
        id=entry.pk,
        destination=entry.destination,
        key=entry.key,
        command=entry.command.name,
        payload=cast("dict[str, codec.Json]", codec.decode(entry.payload)),
        account=entry.account,
        workflow=entry.command.case_name,
        case_id=entry.command.case_id,
        attempt=entry.attempts,
    )
    let_go()
    named = {"outbox_id": str(entry.pk), "destination": entry.destination}
    # A sender that breaks, or says nothing we know, may have been heard all the same: nobody knows, and nobody guesses.
    try:
        result: object = sender.function(outgoing)
    except Exception as error:
        logger.warning("sender failed: %s", type(error).__name__, extra=named)
        return flow.Unknown()
    if not isinstance(result, SenderResult):
        logger.warning("sender answered with %s", type(result).__name__, extra=named)
        return flow.Unknown()
    return result


def _settle(entry: OutboxEntry, result: SenderResult) -> OutboxEntry:
    def attempt() -> OutboxEntry:
        with work():
            now = clock.now()
            held = rows.select(OutboxEntry, "id = %s", [entry.pk], lock=True)[0]
            if held.status != "dispatching" or held.attempts != entry.attempts:
                return held  # somebody settled it meanwhile, and that stands
            _apply(held, result, now)
            rows.update(held, "status", "completed_at", "next_attempt_at", "remote_ref", "last_failure")
            announcing.outbox_settled(held)
            return held

    return retried(attempt)


def _apply(entry: OutboxEntry, result: SenderResult, now: datetime) -> None:
    match result:
        case flow.Completed(remote_ref=reference):
            entry.complete()
            entry.completed_at, entry.remote_ref, entry.last_failure = now, _kept(reference, 200), ""
        case flow.Unknown(remote_ref=reference):
            entry.doubt()
            entry.remote_ref = _kept(reference, 200)
        case flow.Permanent(code=code):
            entry.fail()
            entry.completed_at, entry.last_failure = now, _kept(code, 120)
        case flow.Retryable(code=code) if entry.attempts >= settings.OUTBOX_ATTEMPTS:
            entry.fail()
            entry.completed_at, entry.last_failure = now, "turnframe.dispatch.attempts_exhausted"
        case flow.Retryable(code=code, after=after):
            entry.requeue()
            entry.next_attempt_at, entry.last_failure = now + (after or backoff(entry.attempts)), _kept(code, 120)


def _kept(text: str, longest: int) -> str:
    """Return what a sender said in a form that every database keeps: what came of the sending must not be lost over it."""
    return text[:longest].encode("utf-8", "replace").decode().replace("\0", "�")


def backoff(attempts: int) -> timedelta:
    """Return how long to wait after ``attempts`` tries: one second, then four times as long each time, a minute at most."""
    return timedelta(seconds=min(60, 4 ** max(0, attempts - 1)))
