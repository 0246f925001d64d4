"""Records that a conversation opens: at once, or after a click on a card about a record that does not exist yet."""

from datetime import timedelta

import pytest

from tests.desk.models import Parcel
from tests.desk.workflows import OpenParcel, ParcelWorkflow, WeighParcel
from tests.runtime.crates import CrateWorkflow, OpenCrate
from tests.runtime.tables import nothing_written
from turnframe_django import ids
from turnframe_django.context import Actor
from turnframe_django.models import Command, ConversationCase, DomainEvent, Interaction
from turnframe_django.testing import Scenario, ScenarioFactory, later

pytestmark = pytest.mark.django_db


def asked(scenario: ScenarioFactory, crates: type[CrateWorkflow], *names: str) -> Scenario:
    s = scenario(crates)
    names = names or ("Glass",)
    s.user(f"start a crate called {' and '.join(names)}", proposes=[OpenCrate(name=name) for name in names])
    return s


def test_a_low_risk_opening_makes_the_record_at_once(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow)
    s.user("start a parcel called Books", proposes=[OpenParcel(name="Books")])
    s.expect_receipt("parcel.opened")
    record = Parcel.objects.get()
    assert (record.name, record.account, record.revision) == ("Books", "acme", 1)
    assert DomainEvent.objects.get().revision == 1
    joined = ConversationCase.objects.get()
    assert (joined.conversation_id, joined.name, joined.case_id) == (s.conversation.pk, "parcel", str(record.pk))
    s.user("it weighs 4", proposes=[WeighParcel(weight=4)])
    s.expect_receipt("parcel.weighed")


def test_two_openings_in_one_message_are_two_records(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow)
    s.user("start parcels called Books and Maps", proposes=[OpenParcel(name="Books"), OpenParcel(name="Maps")])
    assert s.receipts == ["parcel.opened", "parcel.opened"]
    assert sorted(Parcel.objects.values_list("name", flat=True)) == ["Books", "Maps"]


def test_an_opening_that_needs_a_click_makes_no_record_before_it(scenario: ScenarioFactory, crates: type[CrateWorkflow]) -> None:
    s = asked(scenario, crates)
    card = s.expect_card("confirm_command")
    assert card["case_ref"]["revision"] == 0
    assert card["body"] == "start a crate (name: Glass)"
    s.expect_no_receipt()
    assert not Parcel.objects.exists()
    assert not ConversationCase.objects.exists()
    waiting = Command.objects.get()
    assert (waiting.status, waiting.expected_revision, waiting.case_id) == ("awaiting_confirmation", 0, card["case_ref"]["case_id"])


def test_the_click_makes_the_record_that_its_card_named(scenario: ScenarioFactory, crates: type[CrateWorkflow]) -> None:
    s = asked(scenario, crates)
    raised = s.turn["turn_id"]
    card = s.expect_card("confirm_command")
    s.click(card, "confirm")
    s.expect_receipt("crate.opened")
    record = Parcel.objects.get()
    assert (str(record.pk), record.name, record.account, record.revision) == (card["case_ref"]["case_id"], "Glass", "acme", 1)
    assert record.pk == ids.new_case_id(Interaction.objects.get().turn_id, "crate", "u1.a1")
    assert ConversationCase.objects.get().case_id == str(record.pk)
    assert s.turn["turn_id"] != raised
    with nothing_written():
        s.click(card, "confirm")
    s.expect_same_turn_bytes()
    s.expect_command_ran_once(OpenCrate)


def test_the_declined_opening_makes_nothing(scenario: ScenarioFactory, crates: type[CrateWorkflow]) -> None:
    s = asked(scenario, crates)
    card = s.expect_card("confirm_command")
    s.click(card, "decline")
    s.expect_notice("turnframe.notice.instruction_declined")
    assert "start a crate" in s.blocks[0]["text"]
    assert not Parcel.objects.exists()
    assert not DomainEvent.objects.exists()
    s.click(card, "confirm")
    s.expect_same_turn_bytes()
    assert not Parcel.objects.exists()


def test_two_openings_that_need_clicks_are_two_cards(scenario: ScenarioFactory, crates: type[CrateWorkflow]) -> None:
    s = asked(scenario, crates, "Glass", "Wine")
    cards = [block["interaction"] for block in s.of_kind("interaction")]
    assert len({card["case_ref"]["case_id"] for card in cards}) == 2
    assert [card["body"] for card in cards] == ["start a crate (name: Glass)", "start a crate (name: Wine)"]
    for card, name in zip(reversed(cards), ("Wine", "Glass"), strict=True):
        s.click(card, "confirm")
        assert Parcel.objects.get(pk=card["case_ref"]["case_id"]).name == name


def test_a_click_beside_words_opens_as_well(scenario: ScenarioFactory, crates: type[CrateWorkflow]) -> None:
    s = asked(scenario, crates)
    s.click(s.expect_card("confirm_command"), "confirm", text="thanks")
    s.expect_receipt("crate.opened")
    assert Parcel.objects.get().revision == 1


def test_an_opening_card_expires_like_any_other(scenario: ScenarioFactory, crates: type[CrateWorkflow]) -> None:
    s = asked(scenario, crates)
    with later(timedelta(days=1)), nothing_written():
        s.click(s.expect_card("confirm_command"), "confirm")
    s.expect_problem("interaction_expired")


def test_an_opening_card_is_its_owners_alone(scenario: ScenarioFactory, crates: type[CrateWorkflow]) -> None:
    s = asked(scenario, crates)
    s.actor = Actor("rivals", "bob")
    with nothing_written():
        s.click(s.expect_card("confirm_command"), "confirm")
    s.expect_problem("not_found")


def test_a_record_that_got_the_key_meanwhile_is_not_overwritten(scenario: ScenarioFactory, crates: type[CrateWorkflow]) -> None:
    s = asked(scenario, crates)
    card = s.expect_card("confirm_command")
    Parcel.objects.create(pk=card["case_ref"]["case_id"], account="rivals", name="Theirs", revision=0)
    with nothing_written():
        s.click(card, "confirm")
    s.expect_problem("not_found")
    Parcel.objects.update(account="acme")
    with nothing_written():
        s.click(card, "confirm")
    assert s.problem is not None
