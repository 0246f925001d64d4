"""One turn at a time: the lease, who waits for it, who takes it over, and the fence that keeps a late turn from writing."""

from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings

from tests.desk.models import Parcel
from tests.desk.workflows import AskToSend, NameParcel, ParcelWorkflow, WeighParcel
from tests.runtime.tables import everything, nothing_written
from turnframe_django.models import Conversation, DomainEvent, Interaction, Turn
from turnframe_django.runtime import commit as committing
from turnframe_django.testing import Scenario, ScenarioFactory, later

pytestmark = pytest.mark.django_db

#: Budget and grace.
LEASE = timedelta(seconds=90)


def parcel(**values: Any) -> Parcel:
    return Parcel(**{"account": "acme", "name": "Books", "revision": 3, **values})


def asked(scenario: ScenarioFactory) -> tuple[Scenario, dict[str, Any]]:
    s = scenario(ParcelWorkflow, parcel())
    s.user("send it", proposes=[AskToSend()])
    return s, s.expect_card("confirm_command")


def test_a_turn_holds_the_lease_for_its_budget_and_a_little_more(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    seen: list[Conversation] = []
    s.user("hello", meanwhile=lambda: seen.append(Conversation.objects.get()))
    (held,) = seen
    turn = Turn.objects.get()
    assert (held.lease_turn, held.lease_until, held.lease_token) == (turn.pk, turn.received_at + LEASE, 1)
    free = Conversation.objects.get()
    assert (free.lease_turn, free.lease_until, free.lease_token) == (None, None, 1)


def test_the_budget_is_a_setting(scenario: ScenarioFactory, settings: LazySettings) -> None:
    settings.TURNFRAME = {"TURN_BUDGET_SECONDS": 5}
    s = scenario(ParcelWorkflow, parcel())
    seen: list[Conversation] = []
    s.user("hello", meanwhile=lambda: seen.append(Conversation.objects.get()))
    assert seen[0].lease_until == Turn.objects.get().received_at + timedelta(seconds=35)


def test_another_text_while_a_turn_runs_is_told_to_come_back(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())

    def meanwhile() -> None:
        with nothing_written():
            s.user("and that", key="k2")
        problem = s.expect_problem("turn_in_progress")
        assert problem.members == {"turn_id": str(Turn.objects.get().pk), "retry_after": 5}

    s.user("this", key="k1", meanwhile=meanwhile)
    assert s.turn["client_turn_id"] == "k1"
    assert Turn.objects.count() == 1


def test_a_click_while_a_turn_runs_is_told_to_come_back(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)

    def meanwhile() -> None:
        with nothing_written():
            s.click(card, "confirm")
        assert s.expect_problem("turn_in_progress").members["turn_id"] == str(Turn.objects.get(phase="received").pk)

    s.user("this", meanwhile=meanwhile)
    s.click(card, "confirm")
    s.expect_receipt("parcel.sent")


def test_a_click_on_an_answered_card_is_answered_while_a_turn_runs(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)
    s.click(card, "decline")
    first = s.body

    def meanwhile() -> None:
        with nothing_written():
            s.click(card, "decline")
        assert s.body == first

    s.user("this", meanwhile=meanwhile)


def test_a_foreign_click_while_a_turn_runs_is_not_found(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)
    other = scenario(ParcelWorkflow)

    def meanwhile() -> None:
        other.click(card, "confirm")
        other.expect_problem("not_found")

    s.user("this", meanwhile=meanwhile)


def test_the_same_turn_while_it_runs_waits_and_then_is_told_to_come_back(scenario: ScenarioFactory, settings: LazySettings) -> None:
    settings.TURNFRAME = {"LOCK_WAIT_SECONDS": 0.15}
    s = scenario(ParcelWorkflow, parcel())

    def meanwhile() -> None:
        with nothing_written():
            s.user("this", key="k1")
        assert s.expect_problem("turn_in_progress").members == {"turn_id": str(Turn.objects.get().pk), "retry_after": 1}

    s.user("this", key="k1", meanwhile=meanwhile)
    assert Turn.objects.count() == 1


def test_a_click_on_a_card_that_is_being_answered_waits_and_then_is_told_so(scenario: ScenarioFactory, settings: LazySettings) -> None:
    settings.TURNFRAME = {"LOCK_WAIT_SECONDS": 0.15}
    s, card = asked(scenario)

    def meanwhile() -> None:
        assert Interaction.objects.get().status == "resolving"
        with nothing_written():
            s.click(card, "confirm")
        s.expect_problem("interaction_resolving")

    s.click(card, "confirm", text="thanks", meanwhile=meanwhile)
    s.expect_receipt("parcel.sent")
    s.click(card, "decline")
    s.expect_same_turn_bytes()


def test_a_failed_turn_gives_the_lease_back(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    s.user("call it broken", proposes=[NameParcel(name="broken")])
    s.expect_problem("internal")
    free = Conversation.objects.get()
    assert (free.lease_turn, free.lease_until) == (None, None)


def test_a_lease_stands_until_its_last_second(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())

    def meanwhile() -> None:
        with later(LEASE - timedelta(seconds=2)):
            s.user("and that")
        s.expect_problem("turn_in_progress")

    s.user("this", meanwhile=meanwhile)


def test_a_lease_that_ran_out_is_taken_over_and_the_late_turn_writes_nothing(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    after: list[Any] = []

    def meanwhile() -> None:
        with later(LEASE):
            s.user("call it Maps", key="k2", proposes=[NameParcel(name="Maps")])
        s.expect_receipt("parcel.named")
        after.append(everything())

    s.user("it weighs 4", key="k1", proposes=[WeighParcel(weight=4)], meanwhile=meanwhile)
    assert everything() == after[0]
    late = Turn.objects.get(client_turn_id="k1")
    assert s.expect_problem("temporarily_unavailable").members == {"turn_id": str(late.pk), "retry_after": 1}
    assert (late.phase, late.error_code, late.head) == ("failed", "temporarily_unavailable", "")
    assert s.fresh().weight is None
    assert list(DomainEvent.objects.values_list("type", flat=True)) == ["parcel.named"]
    with nothing_written():
        s.user("it weighs 4", key="k1", proposes=[WeighParcel(weight=4)])
    assert s.expect_problem("temporarily_unavailable").replayed


def test_a_turn_that_is_overtaken_at_the_last_moment_writes_nothing(scenario: ScenarioFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    s = scenario(ParcelWorkflow, parcel())
    commit, after = committing.commit, []

    def late(*arguments: Any) -> Any:
        monkeypatch.setattr(committing, "commit", commit)
        with later(LEASE):
            s.user("call it Maps", key="k2", proposes=[NameParcel(name="Maps")])
        s.expect_receipt("parcel.named")
        after.append(everything())
        return commit(*arguments)

    monkeypatch.setattr(committing, "commit", late)
    s.user("it weighs 4", key="k1", proposes=[WeighParcel(weight=4)])
    s.expect_problem("temporarily_unavailable")
    assert everything() == after[0]
    assert Turn.objects.get(client_turn_id="k1").phase == "failed"


def test_a_token_that_is_not_the_newest_writes_nothing(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    after: list[Any] = []

    def meanwhile() -> None:
        Conversation.objects.update(lease_token=9)
        after.append(everything())

    s.user("it weighs 4", proposes=[WeighParcel(weight=4)], meanwhile=meanwhile)
    s.expect_problem("temporarily_unavailable")
    assert everything() == after[0]


def test_a_late_turn_that_fails_writes_nothing_either(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    after: list[Any] = []

    def meanwhile() -> None:
        with later(LEASE):
            s.user("hello", key="k2")
        after.append(everything())
        raise RuntimeError("the model is down")

    s.user("it weighs 4", key="k1", meanwhile=meanwhile)
    s.expect_problem("assistant_unavailable")
    assert everything() == after[0]
    assert Turn.objects.get(client_turn_id="k1").error_code == "temporarily_unavailable"


def test_the_key_of_a_turn_that_died_says_so_once_its_lease_ran_out(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())

    def meanwhile() -> None:
        with later(LEASE):
            s.user("it weighs 4", key="k1")
            problem = s.expect_problem("temporarily_unavailable")
            assert (problem.replayed, problem.members) == (True, {"turn_id": str(Turn.objects.get().pk)})
            s.user("it weighs 5", key="k2", proposes=[WeighParcel(weight=5)])
        s.expect_receipt("parcel.weighed")

    s.user("it weighs 4", key="k1", proposes=[WeighParcel(weight=4)], meanwhile=meanwhile)
    s.expect_problem("temporarily_unavailable")
    assert s.fresh().weight == 5


def test_a_card_held_by_a_turn_that_died_is_given_back_to_who_clicks_it(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)

    def meanwhile() -> None:
        with later(LEASE):
            s.click(card, "decline")
        s.expect_notice("turnframe.notice.instruction_declined")

    s.click(card, "confirm", text="thanks", key="k1", meanwhile=meanwhile)
    s.expect_problem("temporarily_unavailable")
    row = Interaction.objects.get()
    assert (row.status, row.resolved_option_id) == ("declined", "decline")
    assert not DomainEvent.objects.exists()
    assert Turn.objects.get(client_turn_id="k1").phase == "failed"
    reasons = list(row.history.order_by("at", "id").values_list("to_status", "reason"))
    assert reasons[2] == ("active", "turn_failed")


def test_a_card_held_by_a_turn_that_died_is_free_for_the_next_text(scenario: ScenarioFactory) -> None:
    s, card = asked(scenario)

    def meanwhile() -> None:
        with later(LEASE):
            s.user("hello")
        assert Interaction.objects.get().status == "active"

    s.click(card, "confirm", text="thanks", meanwhile=meanwhile)
    s.expect_problem("temporarily_unavailable")
    s.click(card, "confirm")
    s.expect_receipt("parcel.sent")


def test_each_turn_has_a_token_of_its_own(scenario: ScenarioFactory) -> None:
    s = scenario(ParcelWorkflow, parcel())
    for words in ("a", "b", "c"):
        s.user(words)
    assert list(Turn.objects.order_by("ordinal").values_list("lease_token", flat=True)) == [1, 2, 3]
