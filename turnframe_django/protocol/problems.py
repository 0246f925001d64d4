"""Refusals on the wire: each code with its HTTP status and title, and the problem document of RFC 9457.

The codes are the contract (docs/protocol.md, "Problems"); titles and details may be reworded and are translated by the face that sends
them.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from turnframe_django.codec import Json
from turnframe_django.exceptions import Problem

MEDIA_TYPE: Final = "application/problem+json"
_TYPE_PREFIX = "urn:turnframe:problem:"


class ProblemKind(NamedTuple):
    """One row of the table: the HTTP status and the title in English."""

    status: int
    title: str


def gettext_noop(text: str) -> str:
    """Mark ``text`` for the catalogues and return it as it is."""
    return text


PROBLEMS: Final[Mapping[str, ProblemKind]] = MappingProxyType(
    {
        "invalid_input": ProblemKind(400, gettext_noop("The request is not valid.")),
        "empty_turn": ProblemKind(400, gettext_noop("There is neither a text nor an answer to a card.")),
        "text_too_long": ProblemKind(400, gettext_noop("The text is too long.")),
        "invalid_text": ProblemKind(400, gettext_noop("The text holds characters that cannot be kept.")),
        "not_authenticated": ProblemKind(401, gettext_noop("You are not signed in.")),
        "signature_invalid": ProblemKind(401, gettext_noop("The signature is missing, wrong or too old.")),
        "permission_denied": ProblemKind(403, gettext_noop("You may not do this.")),
        "csrf_failed": ProblemKind(403, gettext_noop("The request did not come from this site.")),
        "reauthentication_required": ProblemKind(403, gettext_noop("Please sign in again to confirm this.")),
        "not_found": ProblemKind(404, gettext_noop("There is nothing here.")),
        "method_not_allowed": ProblemKind(405, gettext_noop("This method is not allowed here.")),
        "not_acceptable": ProblemKind(406, gettext_noop("There is no answer of the type you accept.")),
        "turn_in_progress": ProblemKind(409, gettext_noop("Another message is still being answered.")),
        "revision_conflict": ProblemKind(409, gettext_noop("The record has changed since you were shown it.")),
        "interaction_not_active": ProblemKind(409, gettext_noop("This card can no longer be answered.")),
        "interaction_resolving": ProblemKind(409, gettext_noop("This card is being answered right now.")),
        "session_conflict": ProblemKind(409, gettext_noop("The conversation has moved on since you wrote this.")),
        "already_complete": ProblemKind(409, gettext_noop("This is already complete.")),
        "too_late": ProblemKind(409, gettext_noop("It is too late to stop this.")),
        "payload_corrupt": ProblemKind(409, gettext_noop("The stored card is damaged and cannot be answered.")),
        "interaction_expired": ProblemKind(410, gettext_noop("The time to answer this card is over.")),
        "session_expired": ProblemKind(410, gettext_noop("This conversation is over.")),
        "cursor_expired": ProblemKind(410, gettext_noop("What you ask for is older than what is kept.")),
        "definition_retired": ProblemKind(410, gettext_noop("This kind of conversation is no longer offered.")),
        "payload_too_large": ProblemKind(413, gettext_noop("The request is too large.")),
        "unsupported_media_type": ProblemKind(415, gettext_noop("Send JSON in UTF-8.")),
        "unknown_option": ProblemKind(422, gettext_noop("This card has no such option.")),
        "freeform_not_allowed": ProblemKind(422, gettext_noop("This option takes no text.")),
        "freeform_required": ProblemKind(422, gettext_noop("This option needs a text.")),
        "freeform_too_long": ProblemKind(422, gettext_noop("The text beside this option is too long.")),
        "idempotency_mismatch": ProblemKind(422, gettext_noop("This key was used for another request.")),
        "history_limit": ProblemKind(422, gettext_noop("This conversation is too long to go on.")),
        "throttled": ProblemKind(429, gettext_noop("Too many requests; please wait.")),
        "cancelled": ProblemKind(409, gettext_noop("This turn was cancelled.")),
        "internal": ProblemKind(500, gettext_noop("Something went wrong on our side.")),
        "assistant_unavailable": ProblemKind(503, gettext_noop("The assistant cannot read messages right now.")),
        "temporarily_unavailable": ProblemKind(503, gettext_noop("This is not possible right now; please try again.")),
    }
)


#: Seconds after which a caller may ask again, where a problem does not say so itself.
_RETRY_AFTER: Final[Mapping[str, int]] = MappingProxyType(
    {"turn_in_progress": 1, "interaction_resolving": 1, "assistant_unavailable": 30, "temporarily_unavailable": 5, "throttled": 60}
)


#: Where a problem's own member has the name of one of the document's: the status of a card is not that of the answer.
_MEMBER_NAMES: Final[Mapping[str, str]] = MappingProxyType({"status": "interaction_status"})


def kind_of(code: str) -> ProblemKind:
    """Return the row of ``code``; a code that is not in the table is ours to be ashamed of and reads as ``internal``."""
    return PROBLEMS.get(code, PROBLEMS["internal"])


def retry_after(problem: Problem) -> int | None:
    """Return after how many seconds it makes sense to ask again, or None where asking again changes nothing."""
    stated = problem.members.get("retry_after")
    if isinstance(stated, int) and not isinstance(stated, bool):
        return max(1, stated)
    return _RETRY_AFTER.get(problem.code)


def problem_document(problem: Problem, translate: Callable[[str], str] = str) -> dict[str, Json]:
    """Return the problem document: ``type``, ``title``, ``status``, ``detail``, ``code`` and the problem's own members.

    ``retry_after`` is left out: each face has its own place for it (``retry_after``). ``translate`` turns the English title into the
    language of the answer. Without a detail of its own, the title is the detail.
    """
    code = problem.code if problem.code in PROBLEMS else "internal"
    kind = PROBLEMS[code]
    title = translate(kind.title)
    members = {_MEMBER_NAMES.get(name, name): value for name, value in problem.members.items() if name != "retry_after"}
    return {
        **members,
        "code": code,
        "detail": problem.detail or title,
        "status": kind.status,
        "title": title,
        "type": _TYPE_PREFIX + code,
    }
