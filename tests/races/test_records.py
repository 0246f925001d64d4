"""Several conversations about one record: its revision decides who was first, and its one place which card stands."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction

from tests.desk.models import Parcel
from tests.desk.workflows import ParcelWorkflow, TidyParcel
from tests.races.crowd import about, answers, asked, blocks, codes, notices, parcel, say
from tests.runtime.readers import SETTING, reading
from tests.threads import PATIENCE, together
from turnframe_django import runtime
from turnframe_django.models import Command, DomainEvent, Interaction

CONFLICT = "turnframe.notice.revision_conflict"


def all_have_read(count: int) -> Callable[[], Any]:
    """What lets every model answer only when all have been asked, so that everybody read the same revision."""
    barrier = threading.Barrier(count)

    async def wait() -> None:
        barrier.wait(PATIENCE)

    return wait


def positions() -> list[int]:
    return list(DomainEvent.objects.order_by("position").values_list("position", flat=True))


@pytest.mark.parametrize("count", [2, 6])
def test_r7_of_commands_against_one_revision_one_commits_and_the_others_conflict(count: int) -> None:
    record = parcel()
    conversations = [about(record) for _ in range(count)]
    reading.during = all_have_read(count)
    outcomes = answers(together(count, lambda number: say(conversations[number], f"it weighs {number + 1}")))
    committed = [outcome for outcome in outcomes if blocks(outcome, "receipt")]
    assert len(committed) == 1
    assert [notices(outcome) for outcome in outcomes if outcome not in committed] == [[CONFLICT]] * (count - 1)
    record.refresh_from_db()
    assert record.revision == 4
    assert blocks(committed[0], "receipt")[0]["receipt"]["body"] == f"It weighs {record.weight} kg."
    assert Command.objects.count() == 1
    assert positions() == [1, 2]


def test_commands_against_records_of_their_own_all_commit_and_are_numbered_without_gaps() -> None:
    records = [parcel(name=f"Box {number}") for number in range(6)]
    conversations = [about(record) for record in records]
    reading.during = all_have_read(6)
    outcomes = answers(together(6, lambda number: say(conversations[number], "it weighs 4")))
    assert all(blocks(outcome, "receipt") for outcome in outcomes)
    assert positions() == list(range(1, 13))


@pytest.mark.parametrize("count", [2, 6])
def test_r6_of_blocking_cards_created_at_once_for_one_record_one_stands(count: int) -> None:
    record = parcel()
    conversations = [about(record) for _ in range(count)]
    reading.during = all_have_read(count)
    done: list[int] = []
    seen: list[int] = []

    def act(number: int) -> Any:
        while number == count and len(done) < count:
            seen.append(Interaction.objects.filter(blocking=True, status__in=["active", "resolving"]).count())
            time.sleep(0.005)
        if number == count:
            return None
        try:
            return say(conversations[number], "send it")
        finally:
            done.append(number)

    outcomes = answers(together(count + 1, act)[:count])
    assert max(seen) <= 1
    assert len(outcomes) == count
    assert all(len(blocks(outcome, "interaction")) == 1 for outcome in outcomes)
    assert sorted(Interaction.objects.values_list("status", flat=True)) == ["active"] + ["invalidated"] * (count - 1)
    assert sorted(Command.objects.values_list("status", flat=True)) == ["awaiting_confirmation"] + ["dropped"] * (count - 1)


@pytest.mark.parametrize("round_", range(4))
def test_r5_a_click_and_a_turn_that_ends_its_card_are_never_both_right(round_: int) -> None:
    record = parcel()
    card, other = asked(record), about(record)
    outcomes = together(2, lambda number: card.click() if number else say(other, "it weighs 4"))
    told = codes(outcomes)
    record.refresh_from_db()
    sent = DomainEvent.objects.filter(type="parcel.sent").first()
    if sent is not None:
        assert sent.revision == 4, "the click ran against another revision than the one it showed"
        assert told == ["201", "201"]
    else:
        assert told in (["201", "interaction_not_active"], ["201", "revision_conflict"])
        assert (record.weight, record.revision) == (4, 4)
    assert list(DomainEvent.objects.order_by("position").values_list("revision", flat=True)) == sorted(
        DomainEvent.objects.values_list("revision", flat=True)
    )


def test_news_told_by_many_at_once_is_one_turn() -> None:
    record = parcel()
    about(record)
    outcomes = answers(together(6, lambda number: runtime.tell(ParcelWorkflow, str(record.pk), TidyParcel(), key="t1", source="worker")))
    assert len({outcome.body for outcome in outcomes}) == 1
    assert sorted(outcome.status for outcome in outcomes) == [200] * 5 + [201]
    assert DomainEvent.objects.count() == 1


def test_news_of_one_key_told_in_several_conversations_at_once_is_one_turn() -> None:
    record = parcel()
    conversations = [about(record) for _ in range(4)]
    outcomes = answers(
        together(
            4,
            lambda number: runtime.tell(
                ParcelWorkflow, str(record.pk), TidyParcel(), key="t1", source="worker", conversation_id=conversations[number].pk
            ),
        )
    )
    assert len({outcome.body for outcome in outcomes}) == 1
    assert DomainEvent.objects.count() == 1


def test_news_of_many_keys_told_at_once_moves_the_record_once_each() -> None:
    record = parcel()
    about(record)
    answers(together(6, lambda number: runtime.tell(ParcelWorkflow, str(record.pk), TidyParcel(), key=f"t{number}", source="worker")))
    record.refresh_from_db()
    assert record.revision == 9
    assert list(DomainEvent.objects.order_by("position").values_list("revision", flat=True)) == [4, 5, 6, 7, 8, 9]


@pytest.mark.skipif(connection.vendor == "sqlite", reason="there a writer waits for the file and not for a row")
@pytest.mark.parametrize("what", ["click", "words"])
def test_r10_a_record_that_somebody_keeps_locked_is_waited_for_no_longer_than_allowed(what: str, settings: Any) -> None:
    settings.TURNFRAME = {**SETTING, "LOCK_WAIT_SECONDS": 0.3}
    record = parcel()
    card = asked(record)
    done = threading.Event()

    def act(number: int) -> Any:
        if number == 0:
            with transaction.atomic():
                Parcel.objects.select_for_update().get(pk=record.pk)
                locked.set()
                done.wait(PATIENCE)
            return None
        locked.wait(PATIENCE)
        try:
            return card.click() if what == "click" else say(card.conversation, "it weighs 4")
        finally:
            done.set()

    locked = threading.Event()
    _holder, outcome = together(2, act)
    assert codes([outcome]) == ["turn_in_progress" if what == "click" else "temporarily_unavailable"]
    assert not DomainEvent.objects.exists()
    assert card.click().status == 201
