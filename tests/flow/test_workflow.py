"""The workflow as an author writes it, and what the runtime derives from it."""

from uuid import UUID

import pytest

from tests.flow.adopter import trips
from tests.flow.desk import ACTOR, DESK, AddExtras, DeskState, OpenGroupTrip, OpenTrip, RecordAnswer, Rename, SubmitRebooking, Withdraw
from tests.flow.example.travel.models import Trip
from turnframe_django import flow
from turnframe_django.flow.view import check


def test_model_and_state_are_those_of_the_class_s_own_base() -> None:
    assert (DESK.model, DESK.state_type) == (Trip, DeskState)

    class Child(trips.TripWorkflow):
        name = "child"

    assert (Child().model, Child().state_type) == (Trip, trips.TripState)


def test_what_may_be_proposed_is_found_by_key_and_nothing_else_is() -> None:
    assert DESK.proposable("rename") is Rename
    assert DESK.proposable("submit_rebooking") is None
    assert DESK.command_type("submit_rebooking") is SubmitRebooking
    assert DESK.command_type("rename") is Rename
    assert DESK.command_type("rebook") is None
    assert DESK.request("submit_rebooking") is SubmitRebooking
    assert DESK.operation("rename") is DESK.command("rename") is Rename
    for find in (DESK.operation, DESK.command, DESK.request, DESK.event):
        with pytest.raises(KeyError):
            find("nothing")


def test_everything_that_opens_nothing_is_on_offer_unless_the_view_says_so() -> None:
    offered = DESK.on_offer(DESK.project(DeskState()))
    assert set(offered) == set(DESK.operations) - {OpenTrip, OpenGroupTrip}
    assert DESK.on_offer(DESK.project(DeskState(offers=("withdraw", "rename", "open_trip")))) == (Withdraw, Rename)
    assert DESK.on_offer(DESK.project(DeskState(offers=()))) == ()


def test_nothing_is_on_offer_once_all_is_over() -> None:
    assert DESK.on_offer(DESK.project(DeskState(over=True))) == ()


def test_an_offer_that_may_not_be_proposed_is_none() -> None:
    view = flow.View(DESK.Phase.COLLECTING, offers=[RecordAnswer, trips.RenameTrip, AddExtras])
    assert DESK.on_offer(view) == (AddExtras,)


def test_where_there_is_no_record_what_opens_one_is_on_offer() -> None:
    assert DESK.starts() == (OpenTrip, OpenGroupTrip)
    assert trips.TripWorkflow().starts() == ()


def test_a_blank_record_has_its_derived_key_and_the_account() -> None:
    trip = DESK.blank("acme", "00000000-0000-8000-8000-000000000007")
    assert (trip.pk, trip.account, DESK.revision_of(trip), DESK.account_of(trip)) == (
        UUID("00000000-0000-8000-8000-000000000007"),
        "acme",
        0,
        "acme",
    )
    DESK.set_revision(trip, 4)
    assert trip.revision == 4


def test_the_closed_default_shows_nobody_anything() -> None:
    class Closed(flow.Workflow[Trip, DeskState]):
        """Says not who may see what."""

    with pytest.raises(NotImplementedError):
        Closed().visible_to(ACTOR)
    assert Closed().artifacts(Trip()) == ()


@pytest.mark.parametrize(
    ("state", "phase"),
    [
        (None, "collecting"),
        ({"name": ""}, "collecting"),
        ({"status": "requoted"}, "awaiting_confirmation"),
        ({"status": "requested"}, "dispatching"),
        ({"status": "ticketed"}, "ticketed"),
        ({}, "collecting"),
    ],
)
def test_the_adopter_s_views_are_sound_in_every_state(state: dict[str, str] | None, phase: str) -> None:
    workflow = trips.TripWorkflow()
    quote = trips.Quote(flight="AZ 612", price="120.00")  # type: ignore[arg-type]
    given = None if state is None else trips.TripState.model_validate({"name": "Rome", "status": "draft", "quote": quote, **state})
    view = workflow.project(given)
    assert check(view, workflow.known) == []
    assert view.phase.key == phase


def test_the_adopter_s_snapshot_reads_the_row() -> None:
    trip = Trip(name="Rome", quote={"flight": "AZ 612", "price": "120.00"})
    state = trips.TripWorkflow().snapshot(trip)
    assert (state.name, state.status, str(state.quote.price if state.quote else "")) == ("Rome", Trip.Status.DRAFT, "120.00")
