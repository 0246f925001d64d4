"""What a turn holds while it waits: no connection during a model call, and a click no event loop and one transaction."""

import asyncio
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.conf import LazySettings
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from tests.desk.models import Parcel
from tests.desk.workflows import AskToSend, ParcelWorkflow
from tests.runtime.readers import SETTING, nothing, reading
from turnframe_django import runtime
from turnframe_django.exceptions import Problem
from turnframe_django.protocol.turns import InteractionResponse, TurnInput
from turnframe_django.runtime import turns
from turnframe_django.testing import Scenario

pytestmark = pytest.mark.django_db(transaction=True)


class Held:
    """How many connections are open, over all threads."""

    count = 0


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Iterator[Held]:
    """Count connections, from none; and let the settings' interpreter read."""
    settings.TURNFRAME = SETTING
    connection.close()
    held = Held()
    wrapper: Any = type(connections[DEFAULT_DB_ALIAS])
    opening, closing = wrapper.get_new_connection, wrapper._close

    def opened(self: Any, parameters: Any) -> Any:
        held.count += 1
        return opening(self, parameters)

    def closed(self: Any) -> Any:
        if self.connection is not None:
            held.count -= 1
        return closing(self)

    monkeypatch.setattr(wrapper, "get_new_connection", opened)
    monkeypatch.setattr(wrapper, "_close", closed)
    yield held
    reading.during = nothing


@pytest.fixture
def commits(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every commit of a transaction, in order."""
    made: list[str] = []
    wrapper: Any = BaseDatabaseWrapper
    commit = wrapper._commit

    def counted(self: Any) -> Any:
        made.append("commit")
        return commit(self)

    monkeypatch.setattr(wrapper, "_commit", counted)
    return made


def conversation() -> Scenario:
    return Scenario(ParcelWorkflow, Parcel(account="acme", name="Books", revision=3))


def asked() -> tuple[Scenario, TurnInput]:
    """A conversation with an open card, and the click that confirms it."""
    s = conversation()
    s.user("send it", proposes=[AskToSend()])
    response = InteractionResponse(
        interaction_id=s.expect_card("confirm_command")["interaction_id"], option_id="confirm", expected_case_revision=3
    )
    return s, TurnInput(interaction_response=response)


@pytest.mark.parametrize("driver", [runtime.handle_turn, async_to_sync(runtime.ahandle_turn)], ids=["sync", "async"])
def test_r11_no_connection_is_held_while_a_model_reads(held: Held, driver: Any) -> None:
    s = conversation()
    seen: list[int] = []

    async def look() -> None:
        seen.append(held.count)

    reading.during = look
    connection.close()
    answer = driver(s.actor, s.conversation.pk, TurnInput(text="it weighs 4"))
    assert answer.status == 201
    assert seen == [0]
    assert s.fresh().weight == 4


@pytest.mark.parametrize("driver", [runtime.handle_turn, async_to_sync(runtime.ahandle_turn)], ids=["sync", "async"])
def test_r11_nor_while_a_turn_waits_for_its_twin(held: Held, settings: LazySettings, monkeypatch: pytest.MonkeyPatch, driver: Any) -> None:
    settings.TURNFRAME = {**SETTING, "LOCK_WAIT_SECONDS": 0.25}
    s = conversation()
    again = TurnInput(text="it weighs 4", client_turn_id="k1")
    seen: list[int] = []
    sleep, pause = time.sleep, asyncio.sleep

    def slept(seconds: float) -> None:
        seen.append(held.count)
        sleep(seconds)

    async def paused(seconds: float) -> None:
        seen.append(held.count)
        await pause(seconds)

    monkeypatch.setattr(time, "sleep", slept)
    monkeypatch.setattr(asyncio, "sleep", paused)
    problems: list[str] = []

    def twin() -> None:
        try:
            driver(s.actor, s.conversation.pk, again)
        except Problem as problem:
            problems.append(problem.code)
        connection.close()

    async def meanwhile() -> None:
        thread = threading.Thread(target=twin)
        thread.start()
        while thread.is_alive():
            await pause(0.01)

    reading.during = meanwhile
    runtime.handle_turn(s.actor, s.conversation.pk, again)
    assert problems == ["turn_in_progress"]
    assert seen
    assert set(seen) == {0}


@pytest.fixture
def no_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing start a loop or a thread."""

    def refused(*_arguments: Any, **_more: Any) -> Any:
        raise AssertionError("a loop or a thread was started")

    monkeypatch.setattr(turns, "async_to_sync", refused)
    monkeypatch.setattr(asyncio, "new_event_loop", refused)
    monkeypatch.setattr(threading.Thread, "start", refused)


def test_a_click_starts_no_event_loop_and_no_thread(request: pytest.FixtureRequest) -> None:
    s, click = asked()
    request.getfixturevalue("no_loop")
    answer = runtime.handle_turn(s.actor, s.conversation.pk, click)
    assert answer.status == 201
    assert runtime.handle_turn(s.actor, s.conversation.pk, click).body == answer.body


def test_words_do_so_the_look_out_works(request: pytest.FixtureRequest) -> None:
    s = conversation()
    request.getfixturevalue("no_loop")
    s.user("hello")
    s.expect_problem("internal")


def test_a_click_is_one_transaction_and_its_repeat_is_none(commits: list[str]) -> None:
    s, click = asked()
    commits.clear()
    runtime.handle_turn(s.actor, s.conversation.pk, click)
    assert commits == ["commit"]
    runtime.handle_turn(s.actor, s.conversation.pk, click)
    assert commits == ["commit"]


def test_a_text_turn_is_three_transactions(commits: list[str]) -> None:
    s = conversation()
    commits.clear()
    s.user("hello")
    assert len(commits) == 3


def test_news_is_one_transaction(commits: list[str]) -> None:
    s = conversation()
    commits.clear()
    s.callback("carrier", {"parcel": str(s.fresh().pk), "status": "sent"})
    assert commits == ["commit"]
