"""The demo's airline: a small service outside the desk that quotes, takes a request, and answers it later through a callback.

It decides by three rules, so that a visitor can see each answer:

1. It does not fly on Sundays: such a trip is refused.
2. Each extra costs ``EXTRA_FARE``: a price below fare and extras is answered with the price that would do.
3. Anything else is ticketed. A trip without a date gets an open ticket.

It remembers nothing. The same request always gets the same answer, under the key it came with, so a request that is delivered twice is
answered once.
"""

import datetime
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import Decimal
from zlib import crc32

from django.conf import settings
from pydantic import BaseModel

from turnframe_django import flow, runtime
from turnframe_django.exceptions import Problem

FARES = {"TF 120": Decimal("120.00"), "TF 214": Decimal("89.50"), "TF 305": Decimal("210.00")}
EXTRA_FARE = Decimal("25.00")
SUNDAY = 6

_prompt: ContextVar[bool] = ContextVar("prompt", default=False)


class Quote(BaseModel, frozen=True):
    """A flight and what it costs."""

    flight: str
    price: Decimal


class Request(BaseModel, frozen=True):
    """What the desk asks for."""

    trip: str
    quote: Quote
    date: datetime.date | None
    extras: int


class Answer(BaseModel, frozen=True):
    """What the airline says: yes, no, or another price."""

    trip: str
    accepted: bool
    new_quote: Quote | None = None


def quote(destination: str) -> Quote:
    """Return the flight to ``destination``. The same words get the same flight."""
    flights = sorted(FARES)
    flight = flights[crc32(destination.casefold().encode()) % len(flights)]
    return Quote(flight=flight, price=FARES[flight])


def decide(request: Request) -> Answer:
    """Answer a request by the rules above."""
    if request.date is not None and request.date.weekday() == SUNDAY:
        return Answer(trip=request.trip, accepted=False)
    price = FARES[request.quote.flight] + EXTRA_FARE * request.extras
    if request.quote.price < price:
        return Answer(trip=request.trip, accepted=False, new_quote=Quote(flight=request.quote.flight, price=price))
    return Answer(trip=request.trip, accepted=True)


@contextmanager
def at_once() -> Iterator[None]:
    """Let the airline answer without its delay inside the block."""
    token = _prompt.set(True)
    try:
        yield
    finally:
        _prompt.reset(token)


@flow.sender("airline")
def send(outgoing: flow.Outgoing) -> flow.Completed | flow.Permanent | flow.Retryable:
    """Deliver a request to the airline. Its answer comes ``AIRLINE_DELAY`` seconds later (2 unless set), before this returns.

    A worker that stops in between delivers again, and the airline answers under the same key.
    """
    request = Request.model_validate(outgoing.payload)
    if request.quote.flight not in FARES:
        return flow.Permanent("airline.unknown_flight")
    time.sleep(0 if _prompt.get() else getattr(settings, "AIRLINE_DELAY", 2))
    try:
        runtime.receive_callback("airline", decide(request).model_dump(mode="json"), key=outgoing.key)
    except Problem:
        return flow.Retryable("airline.not_heard")
    return flow.Completed()
