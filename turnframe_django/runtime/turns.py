"""The turn as one generator, and the two drivers that run it.

A turn yields what it needs done: a database stage, a call to a model, a wait. ``handle_turn`` does it in the caller's thread, and
``ahandle_turn`` hops each stage to a bounded executor. A stage is one unit of work on one connection; between stages nothing is held, so a
slow model keeps neither a connection nor a transaction (docs/concepts.md, "The turn").
"""

import asyncio
import logging
import time
import uuid
from collections.abc import Callable, Coroutine, Generator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, TypeAlias, TypeVar

from asgiref.sync import async_to_sync
from django.db import DatabaseError, InterfaceError, OperationalError
from django.utils import translation

from turnframe_django import codec, flow
from turnframe_django.conf import load as load_setting
from turnframe_django.conf import settings
from turnframe_django.context import Actor
from turnframe_django.exceptions import Problem
from turnframe_django.flow.reduction import Plan, Situation, brief, reduce
from turnframe_django.models import ModelCall
from turnframe_django.protocol.turns import TurnInput
from turnframe_django.runtime import accept, commit, lease, load
from turnframe_django.runtime.callers import read_input
from turnframe_django.runtime.click import click
from turnframe_django.runtime.faults import report
from turnframe_django.runtime.intake import StillRunning, TurnAnswer
from turnframe_django.runtime.transactions import LockWaitOver, let_go, retried
from turnframe_django.understanding.interpreter import Interpreter, Reading, configured, read

logger = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Stage:
    """One unit of database work, to be run on one thread and then to let go of its connection."""

    run: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Understand:
    """A call to the interpreter; no connection may be held while it runs."""

    interpreter: Interpreter
    brief: flow.Brief


@dataclass(frozen=True, slots=True)
class Wait:
    """A pause of ``seconds`` outside every stage."""

    seconds: float


Step: TypeAlias = Stage | Understand | Wait


def handle_turn(actor: Actor, conversation_id: uuid.UUID, turn_input: TurnInput | Mapping[str, codec.Json]) -> TurnAnswer:
    """Take a turn in the calling thread and return its answer. ``turn_input`` is a request body of docs/protocol.md, "Turn input".

    A click without words is one transaction and starts no event loop. Raises ``Problem``.
    """
    steps = _turn(actor, conversation_id, read_input(turn_input))
    result: Any = None
    error: Exception | None = None
    while True:
        try:
            step = steps.throw(error) if error is not None else steps.send(result)
        except StopIteration as end:
            answer: TurnAnswer = end.value
            return answer
        result, error = None, None
        try:
            match step:
                case Stage(run):
                    result = run()
                case Understand(interpreter, told):
                    let_go()
                    result = async_to_sync(_undisturbed)(read(interpreter, told, settings.TURN_BUDGET_SECONDS))
                case Wait(seconds):
                    let_go()
                    time.sleep(seconds)
        except Exception as raised:
            error = raised


async def ahandle_turn(actor: Actor, conversation_id: uuid.UUID, turn_input: TurnInput | Mapping[str, codec.Json]) -> TurnAnswer:
    """Take a turn from asynchronous code: stages run on the bounded executor, model calls on the calling loop. Raises ``Problem``.

    A caller that is cancelled leaves at once; the turn it began goes on.
    """
    taken = asyncio.ensure_future(_adrive(_turn(actor, conversation_id, read_input(turn_input))))
    _under_way.add(taken)
    taken.add_done_callback(_under_way.discard)
    return await asyncio.shield(taken)


#: Turns that nobody may be waiting for any more; the loop itself keeps only weak references.
_under_way: set["asyncio.Future[TurnAnswer]"] = set()


async def _adrive(steps: Generator[Step, Any, TurnAnswer]) -> TurnAnswer:
    loop = asyncio.get_running_loop()
    result: Any = None
    error: Exception | None = None
    while True:
        try:
            step = steps.throw(error) if error is not None else steps.send(result)
        except StopIteration as end:
            answer: TurnAnswer = end.value
            return answer
        result, error = None, None
        try:
            match step:
                case Stage(run):
                    result = await loop.run_in_executor(stage_executor(), partial(_run_and_let_go, run))
                case Understand(interpreter, told):
                    result = await read(interpreter, told, settings.TURN_BUDGET_SECONDS)
                case Wait(seconds):
                    await asyncio.sleep(seconds)
        except Exception as raised:
            error = raised


async def _undisturbed(work: Coroutine[Any, Any, T]) -> T:
    """Await ``work`` to its end, also when the request that began it is cancelled: a client that leaves does not stop a turn."""
    task = asyncio.ensure_future(work)
    while True:
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise


def stage_executor() -> Executor:
    """Return the executor of asynchronous turns' stages: the one ``STAGE_EXECUTOR`` names, else a pool of ``STAGE_THREADS``."""
    if settings.STAGE_EXECUTOR is not None:
        chosen: Executor = load_setting(settings.STAGE_EXECUTOR)()
        return chosen
    return _pool(settings.STAGE_THREADS)


@cache
def _pool(threads: int) -> Executor:
    return ThreadPoolExecutor(threads, thread_name_prefix="turnframe-stage")


def _run_and_let_go(run: Callable[[], Any]) -> Any:
    try:
        return run()
    finally:
        let_go()


def _turn(actor: Actor, conversation_id: uuid.UUID, turn_input: TurnInput) -> Generator[Step, Any, TurnAnswer]:
    deadline = time.monotonic() + settings.LOCK_WAIT_SECONDS
    begin: Callable[[], Any]
    interpreter: Interpreter | None = None
    if turn_input.text is None:
        begin = partial(click, actor, conversation_id, turn_input)
    else:
        interpreter = configured()
        if interpreter is None:
            raise Problem("assistant_unavailable", retryable=False)
        begin = partial(_accept, actor, conversation_id, turn_input)
    begun: lease.Accepted | TurnAnswer | None = None
    while begun is None:
        try:
            begun = yield Stage(begin)
        except StillRunning as running:
            if time.monotonic() >= deadline:
                raise running.problem from None
            yield Wait(0.1)
        except Problem:
            raise
        except Exception as error:
            raise _problem_of(error) from error
    if isinstance(begun, TurnAnswer):
        return begun
    assert interpreter is not None
    return (yield from _understood_turn(begun, interpreter))


def _understood_turn(accepted: lease.Accepted, interpreter: Interpreter) -> Generator[Step, Any, TurnAnswer]:
    """Read, decide and commit an accepted turn; whatever goes wrong before the commit is stored as its failure."""
    try:
        situation: Situation = yield Stage(lambda: load.load(accepted))
        reading: Reading = yield Understand(interpreter, brief(situation))
        accepted.calls.append(_model_call(accepted, reading))
        if reading.proposal is None:
            raise Problem("assistant_unavailable", retryable=True)
        proposal = reading.proposal
        with translation.override(accepted.locale):
            plan: Plan = reduce(proposal, situation)
        yield Stage(lambda: retried(lambda: lease.progress(accepted)))
        answer: TurnAnswer = yield Stage(lambda: retried(lambda: commit.commit(accepted, situation, proposal, plan)))
        return answer
    except lease.LeaseLost:
        raise Problem("temporarily_unavailable", turn_id=str(accepted.turn_id), retry_after=1) from None
    except Exception as error:
        problem = _problem_of(error, accepted.turn_id)
        try:
            yield Stage(lambda: retried(lambda: lease.fail(accepted, problem.code, str(problem.members.get("reference", "")))))
        except (LockWaitOver, DatabaseError) as unstored:
            # The lease runs out by itself, and whoever comes next ends the turn.
            logger.warning("a failure could not be stored: %s", type(unstored).__name__, extra={"turn_id": str(accepted.turn_id)})
        raise problem from error


def _accept(actor: Actor, conversation_id: uuid.UUID, turn_input: TurnInput) -> lease.Accepted | TurnAnswer:
    attempt = partial(accept.accept, actor, conversation_id, turn_input)
    try:
        try:
            return retried(attempt)
        except StillRunning:
            # Whoever was at it may have died with it.
            if not retried(partial(lease.end_abandoned, actor, conversation_id)):
                raise
            return retried(attempt)
    except LockWaitOver:
        raise Problem("turn_in_progress", retry_after=1) from None


def _problem_of(error: Exception, turn_id: uuid.UUID | None = None) -> Problem:
    """Return the problem a failed turn answers with; what went wrong inside is logged under its reference."""
    named: dict[str, codec.Json] = {} if turn_id is None else {"turn_id": str(turn_id)}
    if isinstance(error, Problem):
        error.members.update(named)
        return error
    if isinstance(error, LockWaitOver | OperationalError | InterfaceError):
        problem = Problem("temporarily_unavailable", retry_after=1)
    else:
        problem = Problem("internal", reference=report(error, logger))
    problem.members.update(named)
    return problem


def _model_call(accepted: lease.Accepted, reading: Reading) -> ModelCall:
    return ModelCall(
        turn_id=accepted.turn_id,
        purpose="interpret",
        provider=reading.provider,
        model="",
        prompt_digest=reading.prompt_digest,
        verdict=reading.verdict,
        latency_ms=reading.latency_ms,
        at=reading.at,
    )
