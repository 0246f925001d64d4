"""The trip: what each request does, where it leads, and what is refused."""

import datetime
from decimal import Decimal
from typing import Any

import pytest

from demo_project.travel import airline
from demo_project.travel.airline import Quote
from demo_project.travel.models import Trip
from demo_project.travel.workflows import (
    AddExtra,
    AskForRebooking,
    Ended,
    ExtraState,
    OpenTrip,
    RecordAirlineAnswer,
    RenameTrip,
    RequestRebooking,
    SetDate,
    SetPayer,
    TripState,
    TripWorkflow,
    WithdrawTrip,
    airline_answered,
)
from turnframe_django import flow
from turnframe_django.flow.view import check
from turnframe_django.runtime import deliver_outbox
from turnframe_django.testing import Scenario, act

QUOTE = {"flight": "TF 120", "price": "120.00"}
WORKDAY, SUNDAY = datetime.date(2027, 5, 12), datetime.date(2027, 5, 16)
workflow = TripWorkflow()


def state(**given: Any) -> TripState:
    known: dict[str, Any] = {"name": "Lisbon", "date": WORKDAY, "status": "draft", "quote": QUOTE, "extras": (), "overdue": False}
    return TripState(**{**known, **given})


def trip(**given: Any) -> Trip:
    return Trip(**{"account": "acme", "name": "Lisbon", "quote": QUOTE, **given})


# --- where a trip stands ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", "Lisbon"])
@pytest.mark.parametrize(("status", "quote"), [*((status, QUOTE) for status in Trip.Status.values), ("draft", None), ("withdrawn", None)])
def test_every_view_keeps_the_rules(status: str, name: str, quote: Any) -> None:
    assert check(workflow.project(state(status=status, name=name, quote=quote)), workflow.known) == []


def test_before_there_is_a_trip_it_can_only_be_started() -> None:
    assert workflow.starts() == (OpenTrip,)


def test_a_new_trip_needs_a_name_first_and_then_a_date() -> None:
    assert [needed.code for needed in workflow.project(state(name="", date=None)).obligations] == ["name", "date"]
    assert [needed.code for needed in workflow.project(state(date=None)).obligations] == ["date"]
    assert workflow.project(state()).obligations == []


def test_what_can_be_asked_while_the_airline_thinks_is_little() -> None:
    assert workflow.on_offer(workflow.project(state(status="requested"))) == (RenameTrip, SetPayer)


def test_a_new_price_waits_for_the_user() -> None:
    view = workflow.project(state(status="requoted"))
    assert view.phase is workflow.Phase.AWAITING_CONFIRMATION
    assert view.card is not None
    assert view.card.kind == "confirm_command"


def test_a_refusal_asks_whether_to_ask_again() -> None:
    view = workflow.project(state(status="refused"))
    assert view.card is not None
    assert (view.card.kind, [option.id for option in view.card.options]) == ("boolean", ["yes", "no"])


@pytest.mark.parametrize("status", ["ticketed", "withdrawn"])
def test_an_ended_trip_has_an_outcome_and_offers_nothing(status: str) -> None:
    view = workflow.project(state(status=status))
    assert isinstance(view.outcome, Ended)
    assert workflow.on_offer(view) == ()


def test_a_departure_that_is_over_is_noticed() -> None:
    assert [notice.code for notice in workflow.project(state(overdue=True)).notices] == ["trip.overdue"]


# --- what each request does ------------------------------------------------------------------------------------------------------------


def test_opening_takes_a_quote_from_the_airline() -> None:
    opened = trip(name="", quote=None)
    event = OpenTrip(name="Rome").execute(opened)
    assert (opened.name, opened.quote) == ("Rome", airline.quote("Rome").model_dump(mode="json"))
    assert event.flight == airline.quote("Rome").flight


def test_what_would_change_nothing_is_not_needed() -> None:
    with_bag = state(extras=(ExtraState(name="Bag", payer="Ann"),))
    assert not RenameTrip(name="Lisbon").needed(state())
    assert not SetDate(date=WORKDAY).needed(state())
    assert not SetPayer(extra="bag", payer="Ann").needed(with_bag)
    with pytest.raises(flow.Rejected, match="known_extra"):
        AddExtra(name="bag").needed(with_bag)
    assert SetPayer(extra="bag", payer="Bob").needed(with_bag)


def test_another_day_reopens_a_refused_trip() -> None:
    refused = trip(status=Trip.Status.REFUSED)
    SetDate(date=WORKDAY).execute(refused)
    assert refused.status == Trip.Status.DRAFT


def test_asking_pins_the_quote() -> None:
    assert AskForRebooking().compile(state()) == [RequestRebooking(quote=Quote(flight="TF 120", price=Decimal("120.00")))]


@pytest.mark.parametrize(("given", "code"), [({"name": ""}, "trip.no_name"), ({"quote": None}, "trip.no_quote")])
def test_asking_too_early_is_refused(given: dict[str, Any], code: str) -> None:
    with pytest.raises(flow.Rejected) as refused:
        AskForRebooking().compile(state(**given))
    assert refused.value.code == code


def test_a_pinned_quote_that_is_no_longer_the_airlines_is_refused() -> None:
    pinned = RequestRebooking(quote=Quote(flight="TF 120", price=Decimal("120.00")))
    with pytest.raises(flow.Rejected) as refused:
        pinned.execute(trip(quote={"flight": "TF 120", "price": "145.00"}))
    assert refused.value.code == "trip.quote_changed"


def test_withdrawing_is_a_dangerous_click() -> None:
    card = WithdrawTrip().confirm_card(state())
    assert [option.style for option in card.options] == ["danger", "secondary"]
    assert WithdrawTrip.declared.policy.confirmation in {None, "explicit_click"}


def test_the_airline_is_heard_once_only() -> None:
    ticketed = trip(status=Trip.Status.TICKETED)
    with pytest.raises(flow.Rejected) as refused:
        RecordAirlineAnswer(accepted=False).execute(ticketed)
    assert refused.value.code == "trip.nothing_asked"
    assert ticketed.status == Trip.Status.TICKETED


def test_the_callback_tells_the_trip() -> None:
    told = airline_answered(airline.Answer(trip="t", accepted=True))
    assert (told.workflow, told.case_id, told.command) == (TripWorkflow, "t", RecordAirlineAnswer(accepted=True))


# --- the airline -----------------------------------------------------------------------------------------------------------------------


def asked(price: str = "120.00", extras: int = 0, date: datetime.date | None = WORKDAY) -> airline.Answer:
    return airline.decide(airline.Request(trip="t", quote=Quote(flight="TF 120", price=Decimal(price)), date=date, extras=extras))


def test_the_airline_accepts_a_price_that_covers_fare_and_extras() -> None:
    assert asked().accepted
    assert asked(price="170.00", extras=2).accepted
    assert asked(date=None).accepted


def test_the_airline_wants_more_for_extras() -> None:
    assert asked(extras=2).new_quote == Quote(flight="TF 120", price=Decimal("170.00"))


def test_the_airline_does_not_fly_on_sundays() -> None:
    assert asked(date=SUNDAY) == airline.Answer(trip="t", accepted=False)


def test_the_same_destination_gets_the_same_quote() -> None:
    assert airline.quote("Lisbon") == airline.quote("LISBON")
    assert len({airline.quote(name).flight for name in ("Rome", "Oslo", "Lisbon", "Porto", "Paris", "Bern", "")}) > 1


# --- through the runtime ---------------------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_rebooking_waits_for_the_click_and_the_airline_answers_in_a_turn_of_its_own() -> None:
    s = Scenario(TripWorkflow, trip())
    s.user("rebook it please", proposes=[AskForRebooking()])
    card = s.expect_card("confirm_command")
    s.expect_no_receipt()
    s.click(card, "confirm")
    s.expect_receipt("trip.rebooking_requested")
    s.click(card, "confirm")
    s.expect_same_turn_bytes()
    s.expect_command_ran_once(RequestRebooking)
    assert deliver_outbox() == 1
    assert s.fresh().status == Trip.Status.TICKETED
    assert [entry.status for entry in s.outbox] == ["completed"]


@pytest.mark.django_db
def test_a_new_price_is_told_and_asked_about() -> None:
    s = Scenario(TripWorkflow, trip())
    s.user("add a bag", proposes=[AddExtra(name="bag")])
    s.user("rebook it", proposes=[AskForRebooking()])
    s.click(s.expect_card("confirm_command"), "confirm")
    s.callback("airline", {"trip": str(s.fresh().pk), "accepted": False, "new_quote": {"flight": "TF 120", "price": "145.00"}})
    s.expect_receipt("trip.price_changed")
    s.click(s.expect_card("confirm_command"), "confirm")
    s.expect_receipt("trip.rebooking_requested")
    s.callback("airline", {"trip": str(s.fresh().pk), "accepted": True})
    s.expect_receipt("trip.ticket_issued")
    assert [block["artifact"]["artifact_id"] for block in s.of_kind("artifact")] == ["itinerary"]


@pytest.mark.django_db
def test_after_a_refusal_yes_leads_to_a_card_and_no_puts_the_question_aside() -> None:
    for option, status in (("yes", "confirm_command"), ("no", None)):
        s = Scenario(TripWorkflow, trip(status=Trip.Status.REQUESTED))
        s.callback("airline", {"trip": str(s.fresh().pk), "accepted": False})
        s.click(s.expect_card("boolean"), option)
        assert s.problem is None
        assert (s.card["kind"] if s.card else None) == status
        s.expect_no_receipt()


@pytest.mark.django_db
def test_an_extra_and_its_payer_may_come_in_one_message() -> None:
    s = Scenario(TripWorkflow, trip())
    s.user("add a bag paid by Ann", proposes=[AddExtra(name="bag"), act(SetPayer(extra="bag", payer="Ann"))])
    assert s.receipts == ["trip.extra_added", "trip.payer_set"]
    assert list(s.fresh().extras.values_list("name", "payer")) == [("bag", "Ann")]
    assert s.fresh().revision == 1


@pytest.mark.django_db
def test_an_extra_that_is_there_is_not_added_again_and_its_payer_is_still_set() -> None:
    s = Scenario(TripWorkflow, trip())
    s.user("add a bag", proposes=[AddExtra(name="bag")])
    s.user("add a Bag paid by Ann", proposes=[AddExtra(name="Bag"), act(SetPayer(extra="Bag", payer="Ann"))])
    assert s.receipts == ["trip.payer_set"]
    assert "trip.known_extra" in s.notices
    assert list(s.fresh().extras.values_list("name", "payer")) == [("bag", "Ann")]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("locale", "asked", "told"),
    [
        ("en", "Rebook Lisbon to TF 120 for 120.00?", "It will be sent to the airline: flight TF 120."),
        ("it", "Cambiare Lisbon: passare a TF 120 per 120,00?", "Sarà inviato alla compagnia: volo TF 120."),
    ],
)
def test_the_card_names_its_trip_and_the_receipt_says_what_is_still_to_come(locale: str, asked: str, told: str) -> None:
    s = Scenario(TripWorkflow, trip(), locale=locale)
    s.user("rebook it", proposes=[AskForRebooking()])
    card = s.expect_card("confirm_command")
    assert card["title"] == asked
    s.click(card, "confirm")
    assert s.expect_receipt("trip.rebooking_requested")["body"] == told


@pytest.mark.django_db
def test_nobody_pays_for_what_is_not_there() -> None:
    s = Scenario(TripWorkflow, trip())
    s.user("Ann pays for the lounge", proposes=[SetPayer(extra="lounge", payer="Ann")])
    s.expect_no_receipt()
    assert "trip.unknown_extra" in s.notices


@pytest.mark.django_db
def test_a_withdrawn_trip_stays_withdrawn() -> None:
    s = Scenario(TripWorkflow, trip())
    s.user("withdraw it", proposes=[WithdrawTrip()])
    s.click(s.expect_card("confirm_command"), "confirm")
    s.expect_receipt("trip.withdrawn")
    s.user("rename it Porto", proposes=[RenameTrip(name="Porto")])
    s.expect_no_receipt()
    assert s.fresh().name == "Lisbon"


@pytest.mark.django_db
def test_in_italian_the_receipt_is_italian() -> None:
    s = Scenario(TripWorkflow, trip(), locale="it")
    s.user("chiamalo Porto", proposes=[RenameTrip(name="Porto")])
    assert s.expect_receipt("trip.renamed")["title"] == "Viaggio rinominato"
