"""What went wrong inside: one log line under a reference, and nothing of it to the caller but that reference.

The line names the kind of error and the places it went through, never its message: messages of databases, parsers and author code repeat
what users wrote. Only our own complaints about author code keep theirs, which hold names and codes.
"""

import logging
import traceback

from turnframe_django import ids
from turnframe_django.flow.plan import PlanInconsistent
from turnframe_django.runtime.cases import ViewBroken
from turnframe_django.runtime.compose import ClaimUnbacked
from turnframe_django.runtime.effects import AuthorError

_OURS = (AuthorError, ClaimUnbacked, PlanInconsistent, ViewBroken)


def report(error: Exception, logger: logging.Logger, code: str = "internal") -> str:
    """Log ``error`` and return the reference it was logged under."""
    reference = str(ids.new_id())
    what = type(error).__qualname__ + (f" ({error})" if isinstance(error, _OURS) else "")
    places = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)]
    logger.error("%s: %s under reference %s\n%s", code, what, reference, "\n".join(places), extra={"reference": reference})
    return reference
