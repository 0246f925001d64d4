"""A card is answered once. Every later click, whatever it says, gets the bytes of the turn that answered it, and writes nothing."""

from typing import Any

import pytest

from tests.desk.models import Parcel
from tests.desk.workflows import AskToSend, NameParcel, ParcelWorkflow, SendParcel
from tests.runtime.crates import CrateWorkflow, OfferCrate
from tests.runtime.tables import nothing_written
from turnframe_django import runtime
from turnframe_django.models import DomainEvent, Interaction
from turnframe_django.protocol.turns import InteractionResponse, TurnInput
from turnframe_django.testing import Scenario, ScenarioFactory

pytestmark = pytest.mark.django_db


def asked(scenario: ScenarioFactory, **values: Any) -> tuple[Scenario, dict[str, Any]]:
    s = scenario(ParcelWorkflow, Parcel(account="acme", name="Books", revision=3, **values))
    s.user("send it", proposes=[AskToSend()])
    return s, s.expect_card("confirm_command")


def click(s: Scenario, card: dict[str, Any], option: str, **more: Any) -> runtime.TurnAnswer:
    response = InteractionResponse(interaction_id=card["interaction_id"], option_id=option, expected_case_revision=3, **more)
    return runtime.handle_turn(s.actor, s.conversation.pk, TurnInput(interaction_response=response))


@pytest.mark.parametrize("first", ["confirm", "decline"])
@pytest.mark.parametrize("later", ["confirm", "decline", "no such option"])
def test_any_later_click_whatever_its_option_gets_the_first_bytes(scenario: ScenarioFactory, first: str, later: str) -> None:
    s, card = asked(scenario)
    answered = click(s, card, first)
    assert (answered.status, answered.replayed, answered.resolved_option) == (201, False, first)
    with nothing_written():
        again = click(s, card, later)
    assert (again.status, again.replayed, again.resolved_option) == (200, True, first)
    assert again.body == answered.body
    assert again.turn_id == answered.turn_id


@pytest.mark.parametrize("key", [None, "k1", "k2"])
def test_any_later_click_whatever_its_key_gets_the_first_bytes(scenario: ScenarioFactory, key: str | None) -> None:
    s, card = asked(scenario)
    s.click(card, "confirm", key="k1")
    with nothing_written():
        s.click(card, "confirm", key=key)
    s.expect_same_turn_bytes()


def test_a_later_click_with_a_key_that_a_text_used_gets_the_first_bytes_too(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)
    s.user("hello", key="k1")
    s.click(card, "confirm")
    with nothing_written():
        s.click(card, "confirm", key="k1")
    s.expect_same_turn_bytes()


@pytest.mark.parametrize("freeform", ["now it has a text", "x" * 1000])
def test_a_later_click_is_not_judged_any_more(scenario: ScenarioFactory, freeform: str) -> None:
    s, card = asked(scenario)
    s.click(card, "confirm")
    moved = {**card, "case_ref": {**card["case_ref"], "revision": 99}}
    with nothing_written():
        s.click(moved, "confirm", freeform=freeform)
    s.expect_same_turn_bytes()


def test_a_later_click_gets_the_first_bytes_after_the_record_went_on(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)
    s.click(card, "confirm")
    s.user("call it Maps", proposes=[NameParcel(name="Maps")])
    with nothing_written():
        s.click(card, "confirm")
    s.expect_same_turn_bytes()
    s.expect_command_ran_once(SendParcel)


def test_a_dismissed_card_answers_later_clicks_as_well(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, Parcel(account="acme", name="Books", status=Parcel.Status.DOUBTED))
    s.user("hello")
    card = s.expect_card("boolean")
    s.click(card, "dismiss")
    with nothing_written():
        s.click(card, "yes", freeform="mine")
    s.expect_same_turn_bytes()
    assert not DomainEvent.objects.exists()


def test_a_failed_card_that_a_turn_answered_gives_the_bytes_of_that_turn(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario, note="no carrier")
    s.click(card, "confirm")
    s.expect_notice("parcel.no_carrier")
    assert Interaction.objects.get().status == "failed"
    Parcel.objects.update(note="")
    with nothing_written():
        again = click(s, card, "decline")
    assert again.body == s.body
    assert again.resolved_option == "confirm"


def test_an_old_card_clicked_again_leaves_the_new_card_alone(scenario: ScenarioFactory, crates: type[CrateWorkflow]) -> None:
    s = scenario(crates, Parcel(account="acme", name="Box"))
    s.user("offer it", proposes=[OfferCrate()])
    first = s.expect_card("confirm_command")
    s.click(first, "seal")
    second = s.expect_card("confirm_command")
    assert second["interaction_id"] != first["interaction_id"]
    with nothing_written():
        s.click(first, "both")
    s.expect_same_turn_bytes()
    assert s.expect_card("confirm_command")["interaction_id"] == second["interaction_id"]
    assert Interaction.objects.get(pk=second["interaction_id"]).status == "active"


def test_five_fast_posts_of_one_click_are_one_turn(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)
    bodies = {click(s, card, "confirm").body for _ in range(5)}
    assert len(bodies) == 1
    s.expect_command_ran_once(SendParcel)
    assert DomainEvent.objects.filter(type="parcel.sent").count() == 1
