"""The port to whatever reads a message: called without a connection, bounded in time, and checked at the boundary."""

import asyncio
import inspect
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol, cast, runtime_checkable

from pydantic import ValidationError

from turnframe_django import codec
from turnframe_django.conf import load, settings
from turnframe_django.flow.proposal import Brief, Proposal


@runtime_checkable
class Interpreter(Protocol):
    """What ``TURNFRAME["INTERPRETER"]`` names."""

    async def interpret(self, brief: Brief, /) -> Proposal:
        """Read ``brief.message`` and propose what it asks for, each value quoting the message."""
        ...


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of one call: a proposal that has the right form, or none, with the verdict and how long it took in milliseconds."""

    proposal: Proposal | None
    verdict: str
    provider: str
    prompt_digest: str
    latency_ms: int
    at: datetime


def configured() -> Interpreter | None:
    """Return the interpreter of the settings, or None when there is none."""
    path = settings.INTERPRETER
    if path is None:
        return None
    found = load(path)
    return cast(Interpreter, found() if inspect.isclass(found) else found)


async def read(interpreter: Interpreter, brief: Brief, seconds: float) -> Reading:
    """Ask the interpreter, for at most ``seconds``, and check the form of its answer.

    A slow, failing or malformed answer is a ``Reading`` without a proposal: nothing of it is used.
    """
    started, at = time.monotonic(), datetime.now(UTC)
    proposal: Proposal | None = None
    try:
        answer: object = await asyncio.wait_for(interpreter.interpret(brief), seconds)
        proposal = _checked(answer)
        verdict = "accepted"
    except TimeoutError:
        verdict = "timeout"
    except (ValidationError, codec.CodecError, TypeError):
        verdict = "malformed"
    except Exception:
        verdict = "failed"
    return Reading(
        proposal=proposal,
        verdict=verdict,
        provider=f"{type(interpreter).__module__}.{type(interpreter).__qualname__}"[:120],
        prompt_digest=codec.digest(codec.encode(brief.model_dump(mode="json"))),
        latency_ms=round((time.monotonic() - started) * 1000),
        at=at,
    )


def _checked(answer: object) -> Proposal:
    # Whatever class it came as, it is read again as data: text that no database keeps and unknown members are refused here.
    data = answer.model_dump(mode="json") if isinstance(answer, Proposal) else answer
    codec.encode(cast(codec.Json, data))
    return Proposal.model_validate(data)
