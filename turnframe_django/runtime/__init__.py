"""The verbs: the only writers. Faces call these and read querysets."""

from turnframe_django.protocol.problems import kind_of as problem_kind
from turnframe_django.runtime.callers import actor_of
from turnframe_django.runtime.conversations import describe_cases, open_conversation
from turnframe_django.runtime.intake import TurnAnswer
from turnframe_django.runtime.outbox import deliver_outbox
from turnframe_django.runtime.telling import NotAdmitted, receive_callback, tell
from turnframe_django.runtime.turns import ahandle_turn, handle_turn

__all__ = [
    "NotAdmitted",
    "TurnAnswer",
    "actor_of",
    "ahandle_turn",
    "deliver_outbox",
    "describe_cases",
    "handle_turn",
    "open_conversation",
    "problem_kind",
    "receive_callback",
    "tell",
]
