"""An author's module with postponed annotations: names come from further down, or only for the type checker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel

from tests.flow.example.travel.models import Trip
from turnframe_django import flow

if TYPE_CHECKING:
    from django.db.models import QuerySet


class SeatState(BaseModel, frozen=True):
    """What the projection may see."""

    seat: Seat | None = None


class TakeSeat(flow.Command[Trip, SeatState], risk="reversible_low_risk"):
    """Take a seat."""

    seat: Seat
    why: flow.Quoted[str] | None = None

    def execute(self, trip: Trip) -> SeatTaken:
        return SeatTaken(seat=self.seat)


class AskForSeat(flow.Operation[Trip, SeatState]):
    """Ask for any seat."""

    def compile(self, trip: SeatState) -> list[TakeSeat]:
        return [TakeSeat(seat=Seat(row=1))]


class SeatTaken(flow.Event, code="postponed.seat_taken"):
    """A seat was taken."""

    seat: Seat


class Seat(BaseModel, frozen=True):
    """Defined last."""

    row: int


class SeatWorkflow(flow.Workflow[Trip, SeatState]):
    """Registered by a test."""

    name, version = "seat", 1
    operations = [TakeSeat, AskForSeat]
    events = [SeatTaken]

    class Phase(flow.Phase):
        """Where it stands."""

        OPEN = flow.system()

    def visible_to(self, actor: flow.Actor) -> QuerySet[Trip]:
        return Trip.objects.of(actor.account)

    def snapshot(self, trip: Trip) -> SeatState:
        return SeatState()

    def project(self, trip: SeatState | None) -> flow.View:
        return flow.View(self.Phase.OPEN)
