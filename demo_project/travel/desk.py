"""The one door from the demo's page and seeds to the runtime: who acts, what they send, and a refusal in words."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from django.utils.translation import gettext as _
from pydantic import JsonValue

from turnframe_django.context import Actor
from turnframe_django.exceptions import Problem
from turnframe_django.protocol.inputs import InputLimits
from turnframe_django.protocol.problems import kind_of
from turnframe_django.protocol.turns import parse_turn_input
from turnframe_django.runtime import TurnAnswer, handle_turn
from turnframe_django.tenancy import account_is_user

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractBaseUser


def actor_of(user: AbstractBaseUser) -> Actor:
    """Return who acts: in the demo everybody is an account of their own, as for the REST interface."""
    return account_is_user(user)


def take(actor: Actor, conversation_id: UUID, body: dict[str, JsonValue]) -> TurnAnswer:
    """Take a turn from a body in the words of the protocol. Raises ``Problem``."""
    return handle_turn(actor, conversation_id, parse_turn_input(body, None, InputLimits()))


def status_of(problem: Problem) -> int:
    """Return the HTTP status of a refusal."""
    return kind_of(problem.code).status


def sentence_of(code: str, detail: str = "") -> str:
    """Return a refusal in words, in the reader's language."""
    return detail or _(kind_of(code).title)
