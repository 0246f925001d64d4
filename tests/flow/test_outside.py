"""Callbacks and senders."""

from collections.abc import Iterator

import pytest
from django.core.exceptions import ImproperlyConfigured
from pydantic import BaseModel

from tests.flow.desk import Desk, RecordAnswer
from turnframe_django import flow, registry
from turnframe_django.registry import AlreadyRegistered


@pytest.fixture(autouse=True)
def empty_registry() -> Iterator[None]:
    with registry.temporary(empty=True):
        yield


def test_a_callback_is_registered_with_the_type_of_its_body() -> None:
    @flow.callback("airline", key=lambda body: body.number)
    def answered(body: Answer) -> flow.Tell:
        return flow.Tell(Desk, body.trip, RecordAnswer())

    found = registry.callbacks()["airline"]
    assert found.function is answered
    assert found.body_type is Answer
    assert found.key(Answer(trip="1", number="n7")) == "n7"
    assert answered(Answer(trip="1", number="n7")) == flow.Tell(Desk, "1", RecordAnswer())


class Answer(BaseModel):
    """Defined below what names it: annotations are resolved when the body is read."""

    trip: str
    number: str


def test_a_callback_that_does_not_say_what_it_takes_is_refused() -> None:
    @flow.callback("airline")
    def answered(body) -> flow.Tell:
        raise NotImplementedError

    with pytest.raises(ImproperlyConfigured, match="pydantic model"):
        _ = registry.callbacks()["airline"].body_type


def test_a_sender_is_registered_by_its_destination() -> None:
    @flow.sender("airline")
    def send(outgoing: flow.Outgoing) -> flow.Completed | flow.Retryable:
        return flow.Completed("ref") if outgoing.attempt > 1 else flow.Retryable("busy")

    found = registry.senders()["airline"]
    assert (found.function, found.destination) == (send, "airline")


def test_two_senders_for_one_destination_are_refused() -> None:
    def send(outgoing: flow.Outgoing) -> flow.Unknown:
        return flow.Unknown()

    flow.sender("airline")(send)
    with pytest.raises(AlreadyRegistered, match="The sender name 'airline' is taken"):
        flow.sender("airline")(send)


@pytest.mark.parametrize("name", ["", "Air Line", "air/line", "../x"])
def test_a_name_is_a_plain_word(name: str) -> None:
    def send(outgoing: flow.Outgoing) -> flow.Permanent:
        return flow.Permanent("no")

    with pytest.raises(ImproperlyConfigured, match="lower-case"):
        flow.sender(name)(send)


def test_a_sender_is_not_async() -> None:
    async def send(outgoing: flow.Outgoing) -> flow.Completed:
        return flow.Completed()

    with pytest.raises(ImproperlyConfigured, match="async"):
        flow.sender("airline")(send)  # type: ignore[arg-type]
