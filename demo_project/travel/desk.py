"""The one door from the demo's page and seeds to the runtime: who acts, what they send, and a refusal in words."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from django.utils.translation import gettext as _
from pydantic import JsonValue

from turnframe_django import runtime
from turnframe_django.context import Actor
from turnframe_django.exceptions import Problem

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractBaseUser


def actor_of(user: AbstractBaseUser) -> Actor:
    """Return who acts: in the demo everybody is an account of their own, as for the REST interface."""
    return runtime.actor_of(user)


def take(actor: Actor, conversation_id: UUID, body: dict[str, JsonValue]) -> runtime.TurnAnswer:
    """Take a turn from a body in the words of the protocol. Raises ``Problem``."""
    return runtime.handle_turn(actor, conversation_id, body)


def status_of(problem: Problem) -> int:
    """Return the HTTP status of a refusal."""
    return runtime.problem_kind(problem.code).status


def sentence_of(code: str, detail: str = "") -> str:
    """Return a refusal in words, in the reader's language."""
    return detail or _(runtime.problem_kind(code).title)
