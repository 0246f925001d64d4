"""Request bodies: bounded before they are read, strict before they are looked at.

DRF's own JSON parser has no limits, answers deep nesting with a 500, and lets duplicate members and U+0000 through.
"""

from collections.abc import Mapping
from typing import IO, Any, cast

from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from turnframe_django.codec import Json
from turnframe_django.exceptions import Problem
from turnframe_django.protocol import inputs
from turnframe_django.runtime.callers import limits

MEDIA_TYPE = "application/json"


class StrictJSONParser(BaseParser):
    """Parses a body with ``codec.decode``, after its length was bounded. Raises ``Problem``."""

    media_type = MEDIA_TYPE

    def parse(self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        """Return the value of the body."""
        request = (parser_context or {}).get("request")
        bounds = limits()
        stated = request.META.get("CONTENT_LENGTH", "") if request is not None else ""
        if str(stated).isdigit() and int(stated) > bounds.max_body_bytes:
            raise Problem("payload_too_large", max_bytes=bounds.max_body_bytes)
        return inputs.decoded(stream.read(bounds.max_body_bytes + 1), bounds)


def is_json(request: Request) -> bool:
    """Whether the body is declared as JSON in UTF-8. A form, plain text, another charset and a packed body are not.

    A packed body has no bound before it is unpacked.
    """
    if request.META.get("HTTP_CONTENT_ENCODING", "").strip().lower() not in {"", "identity"}:
        return False
    media_type, *parameters = (part.strip().lower() for part in (request.content_type or "").split(";"))
    if media_type != MEDIA_TYPE:
        return False
    charsets = [value.strip(' "') for name, _, value in (part.partition("=") for part in parameters) if name.strip() == "charset"]
    return all(charset in {"utf-8", "utf8"} for charset in charsets)


def body_of(request: Request) -> Json:
    """Return the decoded body of a POST. Raises ``Problem`` and ``UnsupportedMediaType``."""
    if not is_json(request):
        raise UnsupportedMediaType(request.content_type or "")
    if request.stream is not None:
        return cast(Json, request.data)
    # Without a stated length DRF reads nothing. A server that takes chunks has the whole body ready here.
    bounds = limits()
    return inputs.decoded(request._request.read(bounds.max_body_bytes + 1), bounds)
