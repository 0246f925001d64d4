"""What a turn reads before it is decided: the records the conversation is about, as they stand, and the one the page names."""

from django.utils import timezone

from turnframe_django import registry
from turnframe_django.conf import settings
from turnframe_django.flow.reduction import Situation
from turnframe_django.runtime import cases
from turnframe_django.runtime.lease import Accepted


def load(accepted: Accepted) -> Situation:
    """Read the records the conversation is about, projected, and the one the page names. Raises ``Problem`` and ``ViewBroken``."""
    origin = accepted.turn_input.origin
    also = [(origin.name, origin.case_id)] if origin is not None else []
    records = cases.load(accepted.conversation_id, accepted.actor, accepted.turn_id, also)
    return Situation(
        turn_id=accepted.turn_id,
        account=accepted.actor.account,
        actor=accepted.actor,
        locale=accepted.locale,
        message=accepted.turn_input.text or "",
        records=tuple(records),
        workflows=tuple(registry.workflows().values()),
        max_commands=settings.MAX_COMMANDS,
        today=timezone.localdate(),
    )
