"""What the database rolls back for its own reasons is done again whole, three times at most, and no model is asked twice."""

from collections.abc import Callable
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import OperationalError

from tests.desk.models import Parcel
from tests.desk.workflows import AskToSend, ParcelWorkflow, SendParcel, TidyParcel, WeighParcel
from tests.runtime.tables import everything, nothing_written
from turnframe_django.models import Command, DomainEvent, Turn
from turnframe_django.runtime import rows
from turnframe_django.testing import Scenario

pytestmark = pytest.mark.django_db(transaction=True)

SERIALIZATION, DEADLOCK, LOCK = "40001", "40P01", "55P03"


class FromServer(Exception):
    """What the driver raised."""

    def __init__(self, sqlstate: str) -> None:
        super().__init__(sqlstate)
        self.sqlstate = sqlstate


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Let the first ``times`` inserts into ``table`` fail with ``state``; returns what was tried."""

    def arm(table: str, state: str, times: int) -> list[str]:
        tried: list[str] = []
        insert = rows.insert

        def sometimes(model: Any, given: Any) -> None:
            if model.__name__ == table and given:
                tried.append(table)
                if len(tried) <= times:
                    raise OperationalError("rolled back") from FromServer(state)
            insert(model, given)

        monkeypatch.setattr(rows, "insert", sometimes)
        return tried

    return arm


def asked() -> tuple[Scenario, dict[str, Any]]:
    s = Scenario(ParcelWorkflow, Parcel(account="acme", name="Books", revision=3))
    s.user("send it", proposes=[AskToSend()])
    return s, s.expect_card("confirm_command")


@pytest.mark.parametrize("state", [SERIALIZATION, DEADLOCK])
@pytest.mark.parametrize("table", ["DomainEvent", "StreamFrame", "Block"])
def test_r8_a_click_that_was_rolled_back_is_done_again(failing: Callable[..., list[str]], state: str, table: str) -> None:
    s, card = asked()
    tried = failing(table, state, 2)
    s.click(card, "confirm")
    s.expect_receipt("parcel.sent")
    assert len(tried) == 3
    s.expect_command_ran_once(SendParcel)
    assert DomainEvent.objects.count() == 1
    assert list(Turn.objects.order_by("ordinal").values_list("ordinal", flat=True)) == [1, 2]


@pytest.mark.parametrize("state", [SERIALIZATION, DEADLOCK])
def test_r8_a_text_turns_commit_that_was_rolled_back_is_done_again_without_the_model(failing: Callable[..., list[str]], state: str) -> None:
    s, _card = asked()
    tried, calls = failing("DomainEvent", state, 2), []
    s.user("it weighs 4", proposes=[WeighParcel(weight=4)], meanwhile=lambda: calls.append("asked"))
    s.expect_receipt("parcel.weighed")
    assert (len(tried), len(calls)) == (3, 1)
    assert s.fresh().revision == 4
    assert Command.objects.filter(name="parcel.weigh_parcel").count() == 1


@pytest.mark.parametrize("table", ["Turn", "ModelCall"])
def test_r8_any_other_stage_is_done_again_as_well(failing: Callable[..., list[str]], table: str) -> None:
    s, _card = asked()
    failing(table, DEADLOCK, 2)
    s.user("it weighs 4", proposes=[WeighParcel(weight=4)])
    s.expect_receipt("parcel.weighed")


def test_r8_news_that_was_rolled_back_is_told_again(failing: Callable[..., list[str]]) -> None:
    s, _card = asked()
    failing("DomainEvent", DEADLOCK, 2)
    s.tell(TidyParcel(), key="t1")
    assert DomainEvent.objects.count() == 1


def test_r8_after_three_times_a_click_is_told_to_come_back_and_stored_nothing(failing: Callable[..., list[str]]) -> None:
    s, card = asked()
    tried = failing("StreamFrame", SERIALIZATION, 3)
    with nothing_written():
        s.click(card, "confirm", key="k1")
    assert s.expect_problem("temporarily_unavailable").members["retry_after"] == 1
    assert len(tried) == 3
    s.click(card, "confirm", key="k1")
    s.expect_receipt("parcel.sent")


def test_r8_after_three_times_a_text_turn_fails_and_its_key_says_so(failing: Callable[..., list[str]]) -> None:
    s, _card = asked()
    failing("DomainEvent", SERIALIZATION, 3)
    s.user("it weighs 4", proposes=[WeighParcel(weight=4)], key="k1")
    s.expect_problem("temporarily_unavailable")
    assert s.fresh().weight is None
    with nothing_written():
        s.user("it weighs 4", key="k1")
    assert s.expect_problem("temporarily_unavailable").replayed
    s.user("it weighs 4", proposes=[WeighParcel(weight=4)], key="k2")
    s.expect_receipt("parcel.weighed")


def test_a_lock_that_was_not_to_be_had_is_not_tried_again(failing: Callable[..., list[str]]) -> None:
    s, card = asked()
    tried = failing("StreamFrame", LOCK, 1)
    with nothing_written():
        s.click(card, "confirm")
    assert s.expect_problem("turn_in_progress").members["retry_after"] == 1
    assert len(tried) == 1
    s.click(card, "confirm")
    s.expect_receipt("parcel.sent")


def test_a_card_that_meets_a_deadlock_is_not_taken_for_one_that_cannot_be_stored(failing: Callable[..., list[str]]) -> None:
    s, _card = asked()
    failing("Interaction", DEADLOCK, 1)
    s.user("send it again", proposes=[AskToSend()])
    s.expect_card("confirm_command")
    assert s.notices == ["turnframe.notice.interaction_replaced"]


def test_a_failure_that_cannot_be_stored_is_told_all_the_same(failing: Callable[..., list[str]], settings: LazySettings) -> None:
    s, _card = asked()
    before = everything()
    failing("StreamFrame", "57P01", 99)
    s.user("hello", key="k1")
    s.expect_problem("temporarily_unavailable")
    assert everything() == before
