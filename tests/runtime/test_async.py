"""The asynchronous driver: the same turns, the model on the caller's loop, stages on a bounded pool of threads."""

import asyncio
import threading
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.conf import LazySettings

from tests.desk.models import Parcel
from tests.desk.workflows import ParcelWorkflow
from tests.runtime.readers import SETTING, nothing, reading
from turnframe_django import codec, runtime
from turnframe_django.context import Actor
from turnframe_django.exceptions import Problem
from turnframe_django.models import Command, Conversation, DomainEvent, Turn
from turnframe_django.protocol.turns import InteractionResponse, TurnInput
from turnframe_django.testing import Scenario

pytestmark = pytest.mark.django_db(transaction=True)

ANN = Actor("acme", "ann")
take = async_to_sync(runtime.ahandle_turn)


@pytest.fixture(autouse=True)
def interpreter(settings: LazySettings) -> Any:
    settings.TURNFRAME = SETTING
    yield
    reading.during = nothing


def conversation(**values: Any) -> Conversation:
    return Scenario(ParcelWorkflow, Parcel(**{"account": "acme", "name": "Books", "revision": 3, **values})).conversation


def told(answer: runtime.TurnAnswer) -> list[Any]:
    """What a turn said, without ids and times."""
    turn: Any = codec.decode(answer.body)
    return [
        (block["kind"], block.get("text"), block.get("receipt", {}).get("body"), block.get("interaction", {}).get("title"))
        for block in turn["assistant_turn"]["blocks"]
    ]


def click(answer: runtime.TurnAnswer) -> TurnInput:
    """The click that confirms the card of a turn."""
    turn: Any = codec.decode(answer.body)
    (card,) = (block["interaction"] for block in turn["assistant_turn"]["blocks"] if block["kind"] == "interaction")
    return TurnInput(
        interaction_response=InteractionResponse(
            interaction_id=card["interaction_id"], option_id="confirm", expected_case_revision=card["case_ref"]["revision"]
        )
    )


def test_both_drivers_say_and_do_the_same() -> None:
    said = []
    for driver in (runtime.handle_turn, take):
        at = conversation().pk
        answers = [driver(ANN, at, TurnInput(text=words)) for words in ("it weighs 4", "send it", "hello")]
        answers.append(driver(ANN, at, click(answers[1])))
        assert [answer.status for answer in answers] == [201, 201, 201, 201]
        again = driver(ANN, at, click(answers[1]))
        assert (again.status, again.replayed, again.resolved_option, again.body) == (200, True, "confirm", answers[3].body)
        said.append([told(answer) for answer in answers])
    assert said[0] == said[1]


@pytest.mark.parametrize(
    ("words", "code"), [("call it broken", "internal"), ("nonsense", "assistant_unavailable")], ids=["broken", "malformed"]
)
def test_a_turn_that_fails_raises_its_problem(words: str, code: str) -> None:
    at = conversation().pk
    with pytest.raises(Problem) as raised:
        take(ANN, at, TurnInput(text=words, client_turn_id="k1"))
    turn = Turn.objects.get()
    assert (raised.value.code, raised.value.members["turn_id"], turn.error_code) == (code, str(turn.pk), code)
    with pytest.raises(Problem) as again:
        take(ANN, at, TurnInput(text=words, client_turn_id="k1"))
    assert again.value.replayed


def test_a_refused_click_raises_its_problem() -> None:
    at = conversation().pk
    response = InteractionResponse(interaction_id=str(at), option_id="confirm", expected_case_revision=0)
    with pytest.raises(Problem) as raised:
        take(ANN, at, TurnInput(interaction_response=response))
    assert raised.value.code == "not_found"


def test_the_model_runs_on_the_callers_loop_and_the_stages_do_not() -> None:
    at = conversation().pk
    loops: list[Any] = []
    threads: set[str] = set()

    async def look() -> None:
        loops.append(asyncio.get_running_loop())

    reading.during = look

    async def run() -> None:
        inside = asyncio.get_running_loop()
        before = {thread.name for thread in threading.enumerate()}
        await runtime.ahandle_turn(ANN, at, TurnInput(text="hello"))
        threads.update({thread.name for thread in threading.enumerate()} - before)
        assert loops == [inside]

    async_to_sync(run)()
    assert all("turnframe-stage" in name for name in threads)


def test_waiting_turns_do_not_hold_each_other_up() -> None:
    conversations = [conversation().pk for _ in range(8)]

    at_once: list[int] = [0]
    under_way = 0

    async def slow() -> None:
        nonlocal under_way
        under_way += 1
        at_once.append(under_way)
        await asyncio.sleep(0.4)
        under_way -= 1

    reading.during = slow

    async def run() -> list[runtime.TurnAnswer]:
        return await asyncio.gather(*(runtime.ahandle_turn(ANN, at, TurnInput(text="it weighs 4")) for at in conversations))

    answers = async_to_sync(run)()
    assert [answer.status for answer in answers] == [201] * 8
    assert max(at_once) > 1
    assert list(Parcel.objects.values_list("weight", flat=True)) == [4] * 8


def test_a_caller_that_is_cancelled_leaves_and_its_turn_goes_on() -> None:
    at = conversation().pk

    async def slow() -> None:
        await asyncio.sleep(0.2)

    reading.during = slow

    async def run() -> None:
        task = asyncio.ensure_future(runtime.ahandle_turn(ANN, at, TurnInput(text="it weighs 4", client_turn_id="k")))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        answer = await runtime.ahandle_turn(ANN, at, TurnInput(text="it weighs 4", client_turn_id="k"))
        assert (answer.status, answer.replayed) == (200, True)

    async_to_sync(run)()


def test_the_same_key_twice_at_once_is_one_turn() -> None:
    at = conversation().pk

    async def slow() -> None:
        await asyncio.sleep(0.2)

    reading.during = slow

    async def run() -> list[runtime.TurnAnswer]:
        return await asyncio.gather(*(runtime.ahandle_turn(ANN, at, TurnInput(text="it weighs 4", client_turn_id="k1")) for _ in range(3)))

    answers = async_to_sync(run)()
    assert len({answer.body for answer in answers}) == 1
    assert sorted(answer.status for answer in answers) == [200, 200, 201]
    assert Turn.objects.count() == 1


def test_clicks_at_once_are_one_execution() -> None:
    at = conversation().pk
    card = click(runtime.handle_turn(ANN, at, TurnInput(text="send it")))

    async def run() -> list[runtime.TurnAnswer]:
        return await asyncio.gather(*(runtime.ahandle_turn(ANN, at, card) for _ in range(8)))

    answers = async_to_sync(run)()
    assert len({answer.body for answer in answers}) == 1
    assert sorted(answer.status for answer in answers) == [200] * 7 + [201]
    assert Command.objects.get(name="parcel.send_parcel").status == "committed"
    assert DomainEvent.objects.filter(type="parcel.sent").count() == 1


pool = ThreadPoolExecutor(1, thread_name_prefix="own-pool")
used: list[str] = []


def own_executor() -> Executor:
    """The executor that a site named."""
    used.append("asked for")
    return pool


def test_a_site_may_bring_the_executor_of_the_stages(settings: LazySettings) -> None:
    settings.TURNFRAME = {**SETTING, "STAGE_EXECUTOR": f"{__name__}.own_executor"}
    used.clear()
    take(ANN, conversation().pk, TurnInput(text="hello"))
    assert used
