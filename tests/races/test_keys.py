"""One message sent by several at once under one key: one turn, and its bytes for everybody."""

import asyncio

from django.conf import LazySettings

from tests.races.crowd import about, answers, codes, crowd, parcel, say
from tests.runtime.readers import SETTING, reading
from tests.threads import together
from turnframe_django.models import DomainEvent, Turn


async def slowly() -> None:
    await asyncio.sleep(0.15)


def test_r23_one_key_sent_by_many_at_once_is_one_turn_and_one_body() -> None:
    conversation = about(parcel())
    reading.during = slowly
    count = min(crowd(), 10)
    outcomes = answers(together(count, lambda number: say(conversation, "it weighs 4", key="k1")))
    assert len({outcome.body for outcome in outcomes}) == 1
    assert sorted(outcome.status for outcome in outcomes) == [200] * (count - 1) + [201]
    assert Turn.objects.count() == 1
    assert DomainEvent.objects.filter(type="parcel.weighed").count() == 1


def test_keys_of_their_own_sent_at_once_are_answered_one_at_a_time() -> None:
    conversation = about(parcel())
    reading.during = slowly
    told = codes(together(5, lambda number: say(conversation, "it weighs 4", key=f"k{number}")))
    assert set(told) <= {"201", "turn_in_progress"}
    assert told.count("201") == Turn.objects.filter(phase="delivered").count() >= 1
    assert not Turn.objects.exclude(phase="delivered").exists()


def test_one_key_with_several_bodies_at_once_is_one_turn_and_mistakes() -> None:
    conversation = about(parcel())
    reading.during = slowly
    told = codes(together(4, lambda number: say(conversation, f"it weighs {number + 1}", key="k1")))
    assert told == ["201", *["idempotency_mismatch"] * 3]


def test_a_failing_turn_repeats_its_problem_to_everybody_who_waited() -> None:
    conversation = about(parcel())
    reading.during = slowly
    outcomes = together(4, lambda number: say(conversation, "call it broken", key="k1"))
    assert codes(outcomes) == ["internal"] * 4
    assert len({getattr(outcome, "members", {})["reference"] for outcome in outcomes}) == 1
    assert Turn.objects.count() == 1


def test_who_waits_too_long_is_told_to_come_back(settings: LazySettings) -> None:
    settings.TURNFRAME = {**SETTING, "LOCK_WAIT_SECONDS": 0.05}
    conversation = about(parcel())

    async def slower() -> None:
        await asyncio.sleep(0.6)

    reading.during = slower
    told = codes(together(3, lambda number: say(conversation, "it weighs 4", key="k1")))
    assert told == ["201", "turn_in_progress", "turn_in_progress"]
