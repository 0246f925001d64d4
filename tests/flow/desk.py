"""A travel desk for the tests of the decisions: one workflow with every kind of request, built without a database."""

import uuid
from datetime import date
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _
from pydantic import BaseModel

from tests.flow.example.travel.models import Trip
from turnframe_django import flow, ids
from turnframe_django.codec import Json
from turnframe_django.flow import arguments
from turnframe_django.flow.reduction import LoadedRecord, Plan, Situation, reduce
from turnframe_django.flow.targets import CaseRef
from turnframe_django.protocol.states import Confirmation, Risk

TURN = uuid.UUID("00000000-0000-7000-8000-000000000001")
ACTOR = flow.Actor("acme", "ann")


class DeskState(BaseModel, frozen=True):
    """What the projection may see."""

    name: str = "Rome"
    seats: int = 1
    quoted: bool = True
    over: bool = False
    offers: tuple[str, ...] | None = None


class Happened(flow.Event, code="desk.happened", title=_("Done"), body=_("{what}")):
    """Whatever was asked for."""

    what: str = ""


class Outcome(BaseModel):
    """How it ended."""

    kept: bool = True


class Act(flow.Command[Trip, DeskState], risk="reversible_low_risk"):
    """The base of the desk's commands."""

    def execute(self, trip: Trip) -> Happened:
        return Happened()


class OpenTrip(Act, risk="reversible_low_risk", opens=True, words="start a trip"):
    """Start a trip."""

    name: flow.Quoted[str] | None = None


class OpenGroupTrip(Act, risk="sensitive_data_change", opens=True):
    """Start a trip for a group."""


class Rename(Act, risk="reversible_low_risk", words="rename the trip"):
    """Give the trip a name."""

    name: flow.Quoted[str]

    def needed(self, trip: DeskState) -> bool:
        return self.name != trip.name


class SetSeats(Act, risk="reversible_low_risk"):
    """Set how many travel."""

    seats: int

    def needed(self, trip: DeskState) -> bool:
        return self.seats != trip.seats


class AddExtras(Act, risk="reversible_low_risk"):
    """Add extras."""

    extras: list[flow.Quoted[str]]


class Withdraw(Act, risk="destructive", words="withdraw the trip"):
    """Withdraw the trip."""

    def preview(self, trip: DeskState) -> Json:
        return {"name": trip.name}


class Appraise(Act, risk="read_only", confirmation="human_professional_review"):
    """Have the trip appraised."""


class Sign(Act, risk="external_regulated", confirmation="qualified_signature"):
    """Sign the contract."""


class SubmitRebooking(Act, risk="external_regulated", destination="airline", words="rebook the trip"):
    """Reached by an operation only."""

    flight: str


class RecordAnswer(Act, risk="external_regulated", confirmation="none", origins=["external_callback"]):
    """Reached by a callback only."""


class Rebook(flow.Operation[Trip, DeskState], words="rebook the trip"):
    """Move the trip to the quoted flight."""

    def compile(self, trip: DeskState) -> list[Act]:
        if not trip.quoted:
            raise flow.Rejected("desk.no_quote", _("The airline has not quoted yet."))
        return [SubmitRebooking(flight="AZ 612")]


class Tidy(flow.Operation[Trip, DeskState]):
    """Reset the name and the seats."""

    def compile(self, trip: DeskState) -> list[Act]:
        return [Rename(name="Rome"), SetSeats(seats=1)]


class Desk(flow.Workflow[Trip, DeskState]):
    """The desk."""

    name, version = "trip", 1
    operations = [OpenTrip, OpenGroupTrip, Rename, SetSeats, AddExtras, Withdraw, Appraise, Sign, Rebook, Tidy]
    commands = [SubmitRebooking, RecordAnswer]
    events = [Happened]

    class Phase(flow.Phase):
        """Where a trip stands."""

        COLLECTING = flow.system(_("Collecting details"))
        OVER = flow.terminal()

    def visible_to(self, actor: flow.Actor) -> QuerySet[Trip]:
        return Trip.objects.of(actor.account)

    def snapshot(self, trip: Trip) -> DeskState:
        return DeskState(name=trip.name)

    def project(self, trip: DeskState | None) -> flow.View:
        if trip is None:
            return flow.View(self.Phase.COLLECTING)
        if trip.over:
            return flow.View(self.Phase.OVER, outcome=Outcome())
        offers = None if trip.offers is None else [request for key in trip.offers if (request := self.proposable(key))]
        needs = [] if trip.name else [flow.Obligation("name", _("What should it be called?"), by=Rename)]
        return flow.View(self.Phase.COLLECTING, obligations=needs, offers=offers)


class OtherDesk(Desk):
    """Another workflow over the same records."""

    name, version = "other", 1


DESK = Desk()


def loaded(
    label: str = "Rome", state: DeskState | None = None, *, revision: int = 3, workflow: flow.Workflow[Any, Any] = DESK
) -> LoadedRecord:
    """Return a record in view, with the token this turn gives it."""
    state = state or DeskState(name=label)
    case = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{workflow.name}/{label}"))
    return LoadedRecord(
        token=ids.target_token("acme", TURN, workflow.name, case),
        ref=CaseRef("flow", workflow.name, case, revision),
        label=label,
        state=state,
        view=workflow.project(state),
        workflow=workflow,
    )


def situation(message: str, *records: LoadedRecord, **changes: Any) -> Situation:
    """Return the situation of a turn in English with these records."""
    values: dict[str, Any] = {
        "turn_id": TURN,
        "account": "acme",
        "actor": ACTOR,
        "locale": "en",
        "message": message,
        "records": records,
        "workflows": (DESK,),
        "today": date(2026, 5, 1),
    }
    return Situation(**{**values, **changes})


def act(request: Any, record: LoadedRecord | None = None, *, act_id: str = "a1", **quotes: str) -> flow.ProposedAct:
    """Return the act that proposes ``request``, quoted as it reads unless said otherwise."""
    return flow.ProposedAct(
        id=act_id,
        operation=request.declared.key,
        record=record.token if record else None,
        arguments=arguments.wire(request, quotes),
    )


def reduced(message: str, acts: list[flow.ProposedAct], *records: LoadedRecord, **changes: Any) -> Plan:
    """Reduce a proposal of these acts."""
    return reduce(flow.Proposal(acts=acts), situation(message, *records, **changes))


def origin_of(risk: Risk, confirmation: Confirmation) -> type[Act]:
    """Return a command that declares this risk and confirmation, and admits every origin."""

    class Declared(
        Act,
        risk=risk.value,
        confirmation=confirmation.value,
        origins=["direct_safe_user_act", "confirmed_interaction", "internal_policy", "external_callback"],
    ):
        """Declared for one test."""

    return Declared
