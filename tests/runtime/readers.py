"""An interpreter that the settings may name: it knows a few messages by heart, and a test may look in while it reads."""

import re
from collections.abc import Awaitable, Callable

from tests.desk import workflows as desk
from turnframe_django.flow import Brief, Proposal
from turnframe_django.testing import ScriptedInterpreter

SETTING = {"INTERPRETER": "tests.runtime.readers.reading"}


async def nothing() -> None:
    """Do nothing while a message is read."""


class Reading(ScriptedInterpreter):
    """Reads "it weighs N" and "send it"; ``during`` is awaited on the loop that reads."""

    def __init__(self) -> None:
        super().__init__()
        self.during: Callable[[], Awaitable[None]] = nothing

    async def interpret(self, brief: Brief, /) -> Proposal:
        """Read the message."""
        await self.during()
        weighed = re.fullmatch(r"it weighs (\d+)", brief.message)
        if weighed:
            self.answers[brief.message] = [desk.WeighParcel(weight=int(weighed[1]))]
        return await super().interpret(brief)


reading = Reading()
reading.answers["send it"] = [desk.AskToSend()]
reading.answers["call it broken"] = [desk.NameParcel(name="broken")]
reading.answers["nonsense"] = {"acts": "none"}
