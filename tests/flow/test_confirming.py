"""The card that asks for consent, and what a waiting act means now."""

from decimal import Decimal
from typing import Any

import pytest
from django.utils import translation

from tests.flow.adopter import trips
from tests.flow.desk import DESK, Act, AddExtras, DeskState, OpenGroupTrip, Rebook, Rename, SetSeats, SubmitRebooking, Tidy, Withdraw
from tests.flow.example.travel.models import Trip
from turnframe_django import flow
from turnframe_django.flow.cards import build
from turnframe_django.flow.confirming import confirmation_card, recompile
from turnframe_django.flow.targets import CaseRef

REF = CaseRef("flow", "trip", "1", 3)
QUOTE = trips.Quote(flight="AZ 612", price=Decimal("120.00"))
STATE = trips.TripState(name="Rome", status=Trip.Status.DRAFT, quote=QUOTE)


def test_the_author_s_card_is_used_where_it_confirms_these_very_commands() -> None:
    card = confirmation_card(trips.AskForRebooking(), [trips.RequestRebooking(quote=QUOTE)], STATE)
    assert card.key == "confirm_rebooking"
    assert card.commands == (trips.RequestRebooking(quote=QUOTE),)
    assert build(card, REF, state=STATE).payload["title"] == "Rebook to AZ 612 for 120.00?"


def test_a_card_of_the_author_s_for_something_else_is_not_used() -> None:
    class Sly(Act, risk="destructive"):
        """Do one thing."""

        def confirm_card(self, trip: DeskState) -> flow.Card:
            return flow.Card("sly", "confirm_command", "Rename it?", options=[flow.confirm("Yes", Rename(name="x")), flow.decline("No")])

    card = confirmation_card(Sly(), [Sly()], DeskState())
    assert (card.key, card.commands) == ("confirm:sly", (Sly(),))


def test_a_card_with_a_second_way_of_doing_something_is_not_used() -> None:
    class Wide(Act, risk="destructive"):
        """Do one thing."""

        def confirm_card(self, trip: DeskState) -> flow.Card:
            options = [flow.confirm("Yes", self), flow.apply("Other", Rename(name="x")), flow.decline("No")]
            return flow.Card("wide", "confirm_command", "?", options=options)

    assert confirmation_card(Wide(), [Wide()], DeskState()).key == "confirm:wide"


def test_code_s_own_card_says_what_will_happen_with_which_values() -> None:
    class Pay(Act, risk="irreversible", words="pay the bill"):
        """Pay."""

        amount: Decimal
        pay_to: str

    commands = [Pay(amount=Decimal("1234.50"), pay_to="Ann\u202e"), Withdraw()]
    with translation.override("it"):
        payload: Any = build(confirmation_card(Rebook(), commands, DeskState()), REF, state=DeskState()).payload
    assert "rebook the trip" in payload["title"]
    assert payload["body"] == "pay the bill (amount: 1234,50; pay to: Ann\\u{202E})\nwithdraw the trip"
    assert [option["style"] for option in payload["options"]] == ["danger", "secondary"]
    assert payload["options"][1]["freeform"] == {"mode": "optional", "max_len": 500}


def test_code_s_own_card_names_its_record_first() -> None:
    body = build(confirmation_card(Withdraw(), [Withdraw()], DeskState(), label="Rome"), REF, state=DeskState()).payload["body"]
    assert body == "Rome\nwithdraw the trip"


def test_code_s_own_card_can_always_be_built() -> None:
    for request in (Withdraw(), OpenGroupTrip(), SubmitRebooking(flight="x"), AddExtras(extras=["a"])):
        card = confirmation_card(request, [request], None if request.declared.opens else DeskState())
        assert build(card, REF, state=DeskState(), known=DESK.known).key == f"confirm:{request.declared.key}"


def test_a_waiting_act_is_compiled_anew_against_the_record_as_it_is() -> None:
    assert recompile(Tidy(), DeskState(name="Lisbon", seats=2)) == (Rename(name="Rome"), SetSeats(seats=1))
    assert recompile(Tidy(), DeskState()) == ()
    assert recompile(Rename(name="Rome"), DeskState()) == ()
    with pytest.raises(flow.Rejected, match=r"desk\.no_quote"):
        recompile(Rebook(), DeskState(quoted=False))


def test_an_opening_command_is_never_asked_whether_it_is_needed() -> None:
    assert recompile(OpenGroupTrip(), None) == (OpenGroupTrip(),)


def test_what_is_no_command_is_an_author_s_error() -> None:
    class Wrong(flow.Operation[Trip, DeskState]):
        """Compiles to an operation."""

        def compile(self, trip: DeskState) -> Any:
            return [Tidy()]

    with pytest.raises(TypeError, match="compiled to Tidy"):
        recompile(Wrong(), DeskState())
