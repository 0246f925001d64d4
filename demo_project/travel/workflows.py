"""What may be done with a trip, by whom it is decided, and what each step is told as."""

import datetime
from decimal import Decimal
from typing import Annotated

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from pydantic import BaseModel, Field

from turnframe_django import flow

from . import airline
from .airline import Quote
from .models import Trip

Name = Annotated[str, Field(min_length=1, max_length=80)]
ExtraName = Annotated[str, Field(min_length=1, max_length=60)]


class ExtraState(BaseModel, frozen=True):
    name: str
    payer: str


class TripState(BaseModel, frozen=True):
    name: str
    date: datetime.date | None
    status: Trip.Status
    quote: Quote | None
    extras: tuple[ExtraState, ...]
    overdue: bool

    def payer_of(self, extra: str) -> str | None:
        return next((known.payer for known in self.extras if known.name.casefold() == extra.casefold()), None)


class TripOpened(flow.Event, code="trip.opened", title=_("Trip started"), body=_("The airline offers flight {flight} for {price}.")):
    flight: str
    price: Decimal


class TripRenamed(flow.Event, code="trip.renamed", title=_("Trip renamed"), body=_("It is now called {name}.")):
    name: str


class DateSet(flow.Event, code="trip.date_set", title=_("Date set"), body=_("You leave on {date}.")):
    date: datetime.date


class ExtraAdded(flow.Event, code="trip.extra_added", title=_("Extra added"), body=_("Part of the trip now: {name}.")):
    name: str


class PayerSet(flow.Event, code="trip.payer_set", title=_("Payer set"), body=_("Paid by {payer}: {extra}.")):
    extra: str
    payer: str


class RebookingRequested(
    flow.Event, code="trip.rebooking_requested", title=_("Rebooking requested"), body=_("It will be sent to the airline: flight {flight}.")
):
    flight: str


class TicketIssued(flow.Event, code="trip.ticket_issued", title=_("Ticket issued"), body=_("You fly with {flight} for {price}.")):
    flight: str
    price: Decimal


class PriceChanged(flow.Event, code="trip.price_changed", title=_("New price"), body=_("{flight} is {price} now."), severity="warning"):
    flight: str
    price: Decimal


class RebookingRefused(flow.Event, code="trip.rebooking_refused", title=_("The airline said no"), severity="warning"):
    """It does not say why."""


class TripWithdrawn(flow.Event, code="trip.withdrawn", title=_("Trip withdrawn"), body=_("{name} will not take place.")):
    name: str


class OpenTrip(flow.Command[Trip, TripState], risk="reversible_low_risk", opens=True, words=_("start a trip")):
    """Start a trip."""

    name: flow.Quoted[Name] | None = None

    def execute(self, trip: Trip) -> TripOpened:
        trip.name = self.name or ""
        quote = airline.quote(trip.name)
        trip.quote = quote.model_dump(mode="json")
        return TripOpened(flight=quote.flight, price=quote.price)


class RenameTrip(flow.Command[Trip, TripState], risk="reversible_low_risk", words=_("name the trip")):
    """Give the trip a name."""

    name: flow.Quoted[Name]

    def needed(self, trip: TripState) -> bool:
        return self.name != trip.name

    def execute(self, trip: Trip) -> TripRenamed:
        trip.name = self.name
        return TripRenamed(name=self.name)


class SetDate(flow.Command[Trip, TripState], risk="reversible_low_risk", words=_("set the date")):
    """Set the day of departure."""

    date: flow.Quoted[datetime.date]

    def needed(self, trip: TripState) -> bool:
        return self.date != trip.date

    def execute(self, trip: Trip) -> DateSet:
        trip.date = self.date
        if trip.status == Trip.Status.REFUSED:  # another day is another question to the airline
            trip.status = Trip.Status.DRAFT
        return DateSet(date=self.date)


class AddExtra(flow.Command[Trip, TripState], risk="reversible_low_risk", words=_("add an extra")):
    """Add an extra to the trip."""

    name: flow.Quoted[ExtraName]

    def needed(self, trip: TripState) -> bool:
        if trip.payer_of(self.name) is not None:  # refused here and not when it runs, so that what is asked beside it still runs
            raise self._known()
        return True

    def execute(self, trip: Trip) -> ExtraAdded:
        if any(extra.name.casefold() == self.name.casefold() for extra in trip.extras.all()):
            raise self._known()
        trip.extras.create(name=self.name)
        return ExtraAdded(name=self.name)

    def _known(self) -> flow.Rejected:
        return flow.Rejected("trip.known_extra", flow.phrase(_("{name} is already part of the trip."), name=self.name))


class SetPayer(flow.Command[Trip, TripState], risk="reversible_low_risk", words=_("say who pays for an extra")):
    """Say who pays for an extra."""

    extra: flow.Quoted[ExtraName]
    payer: flow.Quoted[Name]

    def needed(self, trip: TripState) -> bool:
        return trip.payer_of(self.extra) != self.payer

    def execute(self, trip: Trip) -> PayerSet:
        if not trip.extras.filter(name__iexact=self.extra).update(payer=self.payer):
            raise flow.Rejected("trip.unknown_extra", flow.phrase(_("The trip has no extra called {extra}."), extra=self.extra))
        return PayerSet(extra=self.extra, payer=self.payer)


class RequestRebooking(flow.Command[Trip, TripState], risk="external_regulated", confirmation="explicit_click", destination="airline"):
    quote: Quote

    def confirm_card(self, trip: TripState) -> flow.Card:
        return confirm_rebooking(trip, self.quote)

    def execute(self, trip: Trip) -> RebookingRequested:
        if trip.quote != self.quote.model_dump(mode="json"):
            raise flow.Rejected("trip.quote_changed", _("The price has changed."))
        trip.status = Trip.Status.REQUESTED
        return RebookingRequested(flight=self.quote.flight)

    def outgoing(self, trip: Trip) -> airline.Request:
        return airline.Request(trip=str(trip.pk), quote=self.quote, date=trip.date, extras=trip.extras.count())


class AskForRebooking(flow.Operation[Trip, TripState], words=_("ask for the rebooking")):
    """Move the trip to the quoted flight."""

    def compile(self, trip: TripState) -> list[RequestRebooking]:
        if not trip.name:
            raise flow.Rejected("trip.no_name", _("The airline wants a name for the trip first."))
        if trip.quote is None:
            raise flow.Rejected("trip.no_quote", _("The airline has not quoted yet."))
        return [RequestRebooking(quote=trip.quote)]


class WithdrawTrip(flow.Command[Trip, TripState], risk="destructive", words=_("withdraw the trip")):
    """Withdraw the trip."""

    def confirm_card(self, trip: TripState) -> flow.Card:
        return flow.Card(
            "withdraw",
            "confirm_command",
            flow.phrase(_("Withdraw {name}?"), name=trip.name or _("the trip")),
            body=_("A withdrawn trip cannot be taken up again."),
            options=[flow.confirm(_("Withdraw"), self, style="danger"), flow.decline(_("Keep it"), reason=200)],
        )

    def execute(self, trip: Trip) -> TripWithdrawn:
        trip.status = Trip.Status.WITHDRAWN
        return TripWithdrawn(name=trip.name or str(_("The trip")))


class RecordAirlineAnswer(flow.Command[Trip, TripState], risk="external_regulated", confirmation="none", origins=["external_callback"]):
    accepted: bool
    new_quote: Quote | None = None

    def execute(self, trip: Trip) -> TicketIssued | PriceChanged | RebookingRefused:
        if trip.status != Trip.Status.REQUESTED or not trip.quote:
            raise flow.Rejected("trip.nothing_asked", _("The airline was not asked anything."))
        if self.accepted:
            trip.status = Trip.Status.TICKETED
            return TicketIssued(**trip.quote)
        if self.new_quote is None:
            trip.status = Trip.Status.REFUSED
            return RebookingRefused()
        trip.status, trip.quote = Trip.Status.REQUOTED, self.new_quote.model_dump(mode="json")
        return PriceChanged(**trip.quote)


def confirm_rebooking(trip: TripState, quote: Quote) -> flow.Card:
    return flow.Card(
        "confirm_rebooking",
        "confirm_command",
        flow.phrase(_("Rebook {name} to {flight} for {price}?"), name=trip.name or _("the trip"), flight=quote.flight, price=quote.price),
        options=[flow.confirm(_("Rebook"), RequestRebooking(quote=quote)), flow.decline(_("Not now"), reason=200)],
    )


def ask_again() -> flow.Card:
    return flow.Card(
        "ask_again",
        "boolean",
        _("The airline said no. Ask again?"),
        options=[flow.apply(_("Yes"), AskForRebooking(), id="yes"), flow.dismiss(_("No"), id="no")],
    )


class Ended(BaseModel, frozen=True):
    """How a trip ended."""

    status: Trip.Status
    flight: str | None = None


NEEDS_NAME = flow.Obligation("name", _("What should the trip be called?"), by=RenameTrip)
NEEDS_DATE = flow.Obligation("date", _("When do you leave?"), by=SetDate)
IN_THE_PAST = flow.Notice("trip.overdue", "warning", _("The day of departure is over."))


@flow.register
class TripWorkflow(flow.Workflow[Trip, TripState]):
    name, version = "trip", 1
    operations = [OpenTrip, RenameTrip, SetDate, AddExtra, SetPayer, AskForRebooking, WithdrawTrip]
    commands = [RequestRebooking, RecordAirlineAnswer]
    events = [TripOpened, TripRenamed, DateSet, ExtraAdded, PayerSet, TripWithdrawn]
    events += [RebookingRequested, TicketIssued, PriceChanged, RebookingRefused]

    class Phase(flow.Phase):
        COLLECTING = flow.system(_("Collecting details"))
        AWAITING_CONFIRMATION = flow.user(_("Waiting for you"))
        REFUSED = flow.user(_("Refused by the airline"))
        DISPATCHING = flow.external(_("With the airline"))
        TICKETED = flow.terminal(_("Ticketed"))
        WITHDRAWN = flow.terminal(_("Withdrawn"))

    def visible_to(self, actor: flow.Actor) -> QuerySet[Trip]:
        return Trip.objects.of(actor.account)

    def label(self, trip: Trip) -> str:
        return str(trip)

    def snapshot(self, trip: Trip) -> TripState:
        return TripState(
            name=trip.name,
            date=trip.date,
            status=Trip.Status(trip.status),
            quote=trip.quote,
            extras=tuple(ExtraState(name=extra.name, payer=extra.payer) for extra in trip.extras.all()),
            overdue=trip.date is not None and trip.date < timezone.localdate(),
        )

    def project(self, trip: TripState | None) -> flow.View:
        if trip is None:
            return flow.View(self.Phase.COLLECTING)
        match trip.status:
            case Trip.Status.REQUOTED if trip.quote:
                return flow.View(self.Phase.AWAITING_CONFIRMATION, card=confirm_rebooking(trip, trip.quote))
            case Trip.Status.REFUSED:
                return flow.View(self.Phase.REFUSED, card=ask_again())
            case Trip.Status.REQUESTED:
                return flow.View(self.Phase.DISPATCHING, offers=[RenameTrip, SetPayer])
            case Trip.Status.TICKETED if trip.quote:
                return flow.View(self.Phase.TICKETED, outcome=Ended(status=trip.status, flight=trip.quote.flight))
            case Trip.Status.WITHDRAWN:
                return flow.View(self.Phase.WITHDRAWN, outcome=Ended(status=trip.status))
        needs = [need for need, given in ((NEEDS_NAME, trip.name), (NEEDS_DATE, trip.date)) if not given]
        return flow.View(self.Phase.COLLECTING, obligations=needs, notices=[IN_THE_PAST] if trip.overdue else [])

    def artifacts(self, trip: Trip) -> list[flow.Artifact]:
        if trip.status != Trip.Status.TICKETED:
            return []
        url = reverse("travel:itinerary", args=[trip.pk])
        return [flow.Artifact("itinerary", _("Itinerary"), "text/plain", url)]


@flow.callback("airline")
def airline_answered(body: airline.Answer) -> flow.Tell:
    return flow.Tell(TripWorkflow, body.trip, RecordAirlineAnswer(accepted=body.accepted, new_quote=body.new_quote))
