"""The workflow that docs/workflows.md walks through, as an adopter writes it. The type checker and the tests read it."""

from datetime import timedelta
from decimal import Decimal

from django.db.models import QuerySet
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from pydantic import BaseModel

from turnframe_django import flow

from .models import Trip


class Quote(BaseModel, frozen=True):
    flight: str
    price: Decimal


class TripState(BaseModel, frozen=True):  # the snapshot: everything project() may see
    name: str
    status: Trip.Status
    quote: Quote | None


class TripRenamed(flow.Event, code="trip.renamed", title=_("Trip renamed"), body=_("It is now called {name}.")):
    name: str  # override receipt() where a template is not enough


class RebookingRequested(
    flow.Event, code="trip.rebooking_requested", title=_("Rebooking requested"), body=_("It will be sent to the airline: flight {flight}.")
):
    flight: str


class RebookingAnswered(flow.Event, code="trip.rebooking_answered", title=_("The airline answered"), severity="info"):
    accepted: bool


class RenameTrip(flow.Command[Trip, TripState], risk="reversible_low_risk"):
    """Give the trip a name."""  # what a model reads when this is on offer

    name: flow.Quoted[str]  # a str that must be copied from the user's own words

    def needed(self, trip: TripState) -> bool:  # optional, pure: say when nothing would change
        return self.name != trip.name

    def execute(self, trip: Trip) -> TripRenamed:  # the row is locked; the runtime saves it with its next revision
        trip.name = self.name
        return TripRenamed(name=self.name)


class RequestRebooking(flow.Command[Trip, TripState], risk="external_regulated", confirmation="explicit_click", destination="airline"):
    quote: Quote  # what the user saw; kept with the card, checked under the lock

    def confirm_card(self, trip: TripState) -> flow.Card:  # optional: the card raised when this waits for a click
        return confirm_rebooking(self.quote)

    def execute(self, trip: Trip) -> RebookingRequested:  # committed with an outbox row; the "airline" sender delivers it
        if trip.quote != self.quote.model_dump(mode="json"):
            raise flow.Rejected("trip.quote_changed", _("The price has changed."))
        trip.status = Trip.Status.REQUESTED
        return RebookingRequested(flight=self.quote.flight)


class AskForRebooking(flow.Operation[Trip, TripState]):
    """Move the trip to the quoted flight."""

    def compile(self, trip: TripState) -> list[RequestRebooking]:
        if trip.quote is None:
            raise flow.Rejected("trip.no_quote", _("The airline has not quoted yet."))
        return [RequestRebooking(quote=trip.quote)]


class RecordAirlineAnswer(flow.Command[Trip, TripState], risk="external_regulated", confirmation="none", origins=["external_callback"]):
    accepted: bool
    new_quote: Quote | None = None

    def execute(self, trip: Trip) -> RebookingAnswered:
        trip.status = Trip.Status.TICKETED if self.accepted else Trip.Status.REQUOTED if self.new_quote else Trip.Status.DRAFT
        if self.new_quote:
            trip.quote = self.new_quote.model_dump(mode="json")
        return RebookingAnswered(accepted=self.accepted)


def confirm_rebooking(quote: Quote) -> flow.Card:
    return flow.Card(
        "confirm_rebooking",
        "confirm_command",
        format_lazy(_("Rebook to {flight} for {price}?"), flight=quote.flight, price=quote.price),
        options=[flow.confirm(_("Rebook"), RequestRebooking(quote=quote)), flow.decline(_("Not now"), reason=200)],
        expires_in=timedelta(minutes=15),
    )


NEEDS_NAME = flow.Obligation("name", _("What should the trip be called?"), by=RenameTrip)


@flow.register
class TripWorkflow(flow.Workflow[Trip, TripState]):
    name, version = "trip", 1
    operations = [RenameTrip, AskForRebooking]  # the whole surface a model may propose
    commands = [RequestRebooking, RecordAirlineAnswer]  # reached by cards, operations and callbacks only
    events = [TripRenamed, RebookingRequested, RebookingAnswered]

    class Phase(flow.Phase):
        COLLECTING = flow.system(_("Collecting details"))
        AWAITING_CONFIRMATION = flow.user(_("Waiting for you"))  # must carry a blocking card
        DISPATCHING = flow.external(_("With the airline"))
        TICKETED = flow.terminal(_("Ticketed"))  # must carry an outcome

    def visible_to(self, actor: flow.Actor) -> QuerySet[Trip]:  # the case directory
        return Trip.objects.of(actor.account)

    def label(self, trip: Trip) -> str:
        return trip.name or "…"

    def snapshot(self, trip: Trip) -> TripState:  # reads
        return TripState.model_validate(trip, from_attributes=True)

    def project(self, trip: TripState | None) -> flow.View:  # pure
        if trip is None or not trip.name:
            return flow.View(self.Phase.COLLECTING, obligations=[NEEDS_NAME])
        match trip.status:
            case Trip.Status.REQUOTED if trip.quote:
                return flow.View(self.Phase.AWAITING_CONFIRMATION, card=confirm_rebooking(trip.quote))
            case Trip.Status.REQUESTED:
                return flow.View(self.Phase.DISPATCHING)
            case Trip.Status.TICKETED if trip.quote:
                return flow.View(self.Phase.TICKETED, outcome=trip.quote)
        return flow.View(self.Phase.COLLECTING)


class AirlineAnswer(BaseModel):
    trip: str
    accepted: bool
    new_quote: Quote | None = None


@flow.callback("airline")  # whoever hands a body to runtime.receive_callback has checked its signature
def airline_answered(body: AirlineAnswer) -> flow.Tell:
    return flow.Tell(TripWorkflow, body.trip, RecordAirlineAnswer(accepted=body.accepted, new_quote=body.new_quote))
