"""Every way a request can fail, as a problem document with a stable code (docs/protocol.md, "Problems").

An error nobody expected gives the caller a reference and nothing else. The log line under that reference names the kind of error and where
it arose, never its message: messages of databases and parsers repeat what users wrote.
"""

import logging
import math
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, UnreadablePostError
from django.utils.translation import gettext
from rest_framework import exceptions
from rest_framework.response import Response

from turnframe_django.api.exact import problem_answer
from turnframe_django.exceptions import Problem
from turnframe_django.protocol import problems
from turnframe_django.runtime.faults import report

logger = logging.getLogger("turnframe_django.api")

#: What DRF raises, and the code it means here; the first that fits.
_CODES: tuple[tuple[type[Exception], str], ...] = (
    (Http404, "not_found"),
    (exceptions.NotFound, "not_found"),
    (exceptions.NotAuthenticated, "not_authenticated"),
    (exceptions.AuthenticationFailed, "not_authenticated"),
    (PermissionDenied, "permission_denied"),
    (exceptions.PermissionDenied, "permission_denied"),
    (exceptions.MethodNotAllowed, "method_not_allowed"),
    (exceptions.NotAcceptable, "not_acceptable"),
    (exceptions.UnsupportedMediaType, "unsupported_media_type"),
    (exceptions.Throttled, "throttled"),
    (RequestDataTooBig, "payload_too_large"),
    (exceptions.ParseError, "invalid_input"),
    (exceptions.ValidationError, "invalid_input"),
    (UnreadablePostError, "invalid_input"),
    (BadRequest, "invalid_input"),
    (SuspiciousOperation, "invalid_input"),
)
#: How DRF's session authentication begins its refusal; it has no code of its own.
_CSRF = "CSRF Failed"
_SESSION_CHALLENGE = 'Session realm="api"'


def handle(error: Exception, context: Mapping[str, Any]) -> Response:
    """Answer ``error``: the exception handler of every view of the API."""
    problem = _problem(error)
    headers: dict[str, str] = {}
    if isinstance(error, (exceptions.NotAuthenticated, exceptions.AuthenticationFailed)):
        headers["WWW-Authenticate"] = getattr(error, "auth_header", None) or _SESSION_CHALLENGE
    if problem.replayed:
        headers["Idempotency-Replayed"] = "true"
    if (seconds := problems.retry_after(problem)) is not None:
        headers["Retry-After"] = str(seconds)
    return problem_answer(problems.problem_document(problem, gettext), problems.kind_of(problem.code).status, headers)


def _problem(error: Exception) -> Problem:
    if isinstance(error, Problem):
        return error
    if isinstance(error, exceptions.PermissionDenied) and str(error.detail).startswith(_CSRF):
        return Problem("csrf_failed")
    for kind, code in _CODES:
        if isinstance(error, kind):
            wait = getattr(error, "wait", None)
            return Problem(code, retry_after=math.ceil(wait)) if wait is not None else Problem(code)
    code = "temporarily_unavailable" if isinstance(error, (OperationalError, InterfaceError)) else "internal"
    return Problem(code, reference=report(error, logger, code))
