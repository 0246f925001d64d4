"""A refused response changes nothing: judged in one order, and every row stays as it was."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import combinations
from typing import Any
from uuid import uuid4

import pytest
from django.db.models import F
from django.utils import timezone

from tests.desk.models import Parcel
from tests.desk.workflows import AskToSend, ParcelWorkflow
from tests.runtime.tables import nothing_written, unguarded
from turnframe_django import registry
from turnframe_django.context import Actor
from turnframe_django.models import Command, Interaction, InteractionOption
from turnframe_django.runtime import cards
from turnframe_django.testing import Scenario, ScenarioFactory, later

pytestmark = pytest.mark.django_db

Card = dict[str, Any]


@dataclass
class Response:
    """What is sent, and by whom; a fault changes some of it, or what is stored."""

    scenario: Scenario
    card: Card
    option: str = "confirm"
    freeform: str | None = None
    text: str | None = None
    faults: list[Callable[[], AbstractContextManager[None]]] = field(default_factory=list)

    def send(self) -> None:
        self.scenario.click(self.card, self.option, freeform=self.freeform, text=self.text)


@contextmanager
def foreign(response: Response) -> Iterator[None]:
    response.scenario.actor = Actor("rivals", "bob")
    yield


@contextmanager
def closed(response: Response) -> Iterator[None]:
    Interaction.objects.update(status="invalidated")
    yield


@contextmanager
def due(response: Response) -> Iterator[None]:
    with later(timedelta(minutes=15)):
        yield


@contextmanager
def moved(response: Response) -> Iterator[None]:
    Parcel.objects.update(revision=F("revision") + 1)
    yield


@contextmanager
def tampered(response: Response) -> Iterator[None]:
    with unguarded(Interaction):
        Interaction.objects.update(payload='{"title":"Send it for free?"}')
    yield


@contextmanager
def unknown_option(response: Response) -> Iterator[None]:
    response.option = "send_it_twice"
    yield


@contextmanager
def forbidden_text(response: Response) -> Iterator[None]:
    response.freeform = "to Ada instead"
    yield


#: Every fault with its code, in the order in which they are judged.
FAULTS: dict[str, Callable[[Response], AbstractContextManager[None]]] = {
    "not_found": foreign,
    "interaction_not_active": closed,
    "interaction_expired": due,
    "revision_conflict": moved,
    "payload_corrupt": tampered,
    "unknown_option": unknown_option,
    "freeform_not_allowed": forbidden_text,
}
beside_words = pytest.mark.parametrize("text", [None, "and call it Maps"], ids=["click", "click with words"])


def asked(scenario: ScenarioFactory) -> Response:
    s = scenario(ParcelWorkflow, Parcel(account="acme", name="Books", revision=3))
    s.user("send it", proposes=[AskToSend()])
    return Response(s, s.expect_card("confirm_command"))


@beside_words
@pytest.mark.parametrize("codes", [(code,) for code in FAULTS] + list(combinations(FAULTS, 2)), ids=" and ".join)
def test_the_first_fault_in_the_order_is_the_one_that_is_told(scenario: ScenarioFactory, codes: tuple[str, ...], text: str | None) -> None:
    response = asked(scenario)
    response.text = text
    with ExitStack() as faults:
        for code in codes:
            faults.enter_context(FAULTS[code](response))
        with nothing_written():
            response.send()
    response.scenario.expect_problem(codes[0])


def test_all_faults_at_once_read_as_foreign(scenario: ScenarioFactory) -> None:
    response = asked(scenario)
    with ExitStack() as faults:
        for fault in FAULTS.values():
            faults.enter_context(fault(response))
        with nothing_written():
            response.send()
    response.scenario.expect_problem("not_found")


@pytest.mark.parametrize("option", ["decline", "confirm"])
def test_a_foreign_response_to_an_answered_card_is_not_found(scenario: ScenarioFactory, option: str) -> None:
    response = asked(scenario)
    response.send()
    response.scenario.actor = Actor("rivals", "bob")
    response.option = option
    with nothing_written():
        response.send()
    response.scenario.expect_problem("not_found")


def test_another_user_of_the_account_is_foreign_too(scenario: ScenarioFactory) -> None:
    response = asked(scenario)
    response.scenario.actor = Actor("acme", "colleague")
    with nothing_written():
        response.send()
    response.scenario.expect_problem("not_found")


def test_a_card_is_answered_in_its_own_conversation_only(scenario: ScenarioFactory) -> None:
    response = asked(scenario)
    other = scenario(ParcelWorkflow)
    with nothing_written():
        other.click(response.card, "confirm")
    other.expect_problem("not_found")


def test_a_made_up_card_is_not_found(scenario: ScenarioFactory) -> None:
    response = asked(scenario)
    response.card = {**response.card, "interaction_id": str(uuid4())}
    with nothing_written():
        response.send()
    response.scenario.expect_problem("not_found")


@beside_words
def test_a_record_that_the_user_may_no_longer_see_is_not_found(scenario: ScenarioFactory, text: str | None) -> None:
    response = asked(scenario)
    response.text = text
    Parcel.objects.update(hidden_from="ann")
    with nothing_written():
        response.send()
    response.scenario.expect_problem("not_found")


@beside_words
def test_a_card_whose_record_is_gone_is_not_found(scenario: ScenarioFactory, text: str | None) -> None:
    response = asked(scenario)
    response.text = text
    Parcel.objects.all().delete()
    with nothing_written():
        response.send()
    response.scenario.expect_problem("not_found")


@beside_words
def test_a_card_of_a_record_no_turn_had_touched_does_not_bring_it_back(scenario: ScenarioFactory, text: str | None) -> None:
    s = scenario(ParcelWorkflow, Parcel(account="acme", name="Books"))
    s.user("send it", proposes=[AskToSend()])
    card = s.expect_card("confirm_command")
    assert card["case_ref"]["revision"] == 0
    Parcel.objects.all().delete()
    with nothing_written():
        s.click(card, "confirm", text=text)
    s.expect_problem("not_found")


@beside_words
def test_a_card_of_a_workflow_that_is_gone_is_retired(scenario: ScenarioFactory, text: str | None) -> None:
    response = asked(scenario)
    response.text = text
    with registry.temporary(empty=True), nothing_written():
        response.send()
    response.scenario.expect_problem("definition_retired")


def test_a_card_is_expired_in_the_moment_its_time_is_over(scenario: ScenarioFactory) -> None:
    response = asked(scenario)
    row = Interaction.objects.get()
    assert row.expires_at is not None
    assert row.expires_at - row.created_at == timedelta(minutes=15)
    with later(timedelta(minutes=14, seconds=50)):
        response.send()
    response.scenario.expect_receipt("parcel.sent")


@pytest.mark.parametrize(("seconds", "due"), [(-1, False), (0, True), (1, True)])
def test_the_moment_itself_is_too_late(seconds: int, due: bool) -> None:
    now = datetime(2026, 12, 1, tzinfo=UTC)
    assert cards.is_due(Interaction(expires_at=now), now + timedelta(seconds=seconds)) is due


@pytest.mark.parametrize("shown", [0, 2, 4, 2**53 - 1])
def test_a_response_to_another_revision_than_the_card_is_refused(scenario: ScenarioFactory, shown: int) -> None:
    response = asked(scenario)
    response.card = {**response.card, "case_ref": {**response.card["case_ref"], "revision": shown}}
    with nothing_written():
        response.send()
    problem = response.scenario.expect_problem("revision_conflict")
    assert problem.members == {"bound": 3, "current": 3}


def test_a_conflict_names_both_revisions(scenario: ScenarioFactory) -> None:
    response = asked(scenario)
    Parcel.objects.update(revision=13)
    response.send()
    assert response.scenario.expect_problem("revision_conflict").members == {"bound": 3, "current": 13}


def test_a_closed_card_names_its_status(scenario: ScenarioFactory) -> None:
    response = asked(scenario)
    Interaction.objects.update(status="invalidated")
    response.send()
    assert response.scenario.expect_problem("interaction_not_active").members == {"status": "invalidated"}


def test_a_failed_card_that_no_turn_answered_is_refused(scenario: ScenarioFactory) -> None:
    response = asked(scenario)
    Interaction.objects.update(status="failed")
    with nothing_written():
        response.send()
    assert response.scenario.expect_problem("interaction_not_active").members == {"status": "failed"}


def test_an_expired_card_is_refused_as_expired(scenario: ScenarioFactory) -> None:
    response = asked(scenario)
    Interaction.objects.update(status="expired")
    with nothing_written():
        response.send()
    response.scenario.expect_problem("interaction_expired")


@pytest.mark.parametrize("text", ["x" * 21, "é" * 21])
def test_a_free_text_is_measured_in_characters_and_the_limit_is_told(scenario: ScenarioFactory, text: str) -> None:
    response = asked(scenario)
    response.option, response.freeform = "decline", text
    with nothing_written():
        response.send()
    assert response.scenario.expect_problem("freeform_too_long").members == {"max_len": 20}


@pytest.mark.parametrize("text", ["x" * 20, "é" * 20, "😀" * 20])
def test_a_free_text_may_be_as_long_as_its_limit(scenario: ScenarioFactory, text: str) -> None:
    response = asked(scenario)
    response.option, response.freeform = "decline", text
    response.send()
    response.scenario.expect_notice("turnframe.notice.instruction_declined")


@pytest.mark.parametrize("text", [None, "", " \n"])
def test_a_free_text_that_is_required_must_say_something(scenario: ScenarioFactory, text: str | None) -> None:
    s = scenario(ParcelWorkflow, Parcel(account="acme", name="Books", status=Parcel.Status.DOUBTED))
    s.user("hello")
    with unguarded(InteractionOption):
        InteractionOption.objects.filter(option_id="yes").update(freeform_mode="required")
    with nothing_written():
        s.click(s.expect_card("boolean"), "yes", freeform=text)
    s.expect_problem("freeform_required")


@pytest.mark.parametrize("text", ["", " "])
def test_an_option_without_free_text_takes_not_even_a_blank_one(scenario: ScenarioFactory, text: str) -> None:
    response = asked(scenario)
    response.freeform = text
    with nothing_written():
        response.send()
    response.scenario.expect_problem("freeform_not_allowed")


@pytest.mark.parametrize("option", ["", "Send", "confirm ", "CONFIRM", "confirm_commands"])
def test_an_option_is_named_by_its_id_and_nothing_like_it(scenario: ScenarioFactory, option: str) -> None:
    response = asked(scenario)
    response.option = option
    with nothing_written():
        response.send()
    response.scenario.expect_problem("unknown_option")


def test_a_refused_click_leaves_the_card_to_be_answered(scenario: ScenarioFactory) -> None:
    response = asked(scenario)
    response.freeform = "to Ada instead"
    response.send()
    response.scenario.expect_problem("freeform_not_allowed")
    response.freeform = None
    response.send()
    response.scenario.expect_receipt("parcel.sent")


def test_the_key_of_a_refused_click_is_free(scenario: ScenarioFactory) -> None:
    response = asked(scenario)
    s = response.scenario
    s.click(response.card, "nonsense", key="k1")
    s.expect_problem("unknown_option")
    s.click(response.card, "confirm", key="k1")
    s.expect_receipt("parcel.sent")
    assert s.turn["client_turn_id"] == "k1"


@beside_words
@pytest.mark.parametrize("what", ["card", "option", "command"])
def test_a_card_that_was_redacted_cannot_be_answered(scenario: ScenarioFactory, what: str, text: str | None) -> None:
    response = asked(scenario)
    response.text = text
    stamp: dict[str, Any] = {"redacted_at": timezone.now(), "redaction_authority": "the user"}
    if what == "card":
        Interaction.objects.update(payload="", **stamp)
    elif what == "option":
        InteractionOption.objects.update(label="", action="", **stamp)
    else:
        Command.objects.update(arguments="", **stamp)
    response.send()
    if what == "command":
        response.scenario.expect_notice("turnframe.operation.invalid_arguments")
        response.scenario.expect_no_receipt()
    else:
        response.scenario.expect_problem("payload_corrupt")
        assert Interaction.objects.get().status == "active"
