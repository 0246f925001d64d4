"""One type goes in and one comes out, whatever the site's DRF settings offer elsewhere."""

from collections.abc import Sequence
from typing import TypeVar

from rest_framework.exceptions import NotAcceptable
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from turnframe_django.api.body import is_json

P = TypeVar("P", bound=BaseParser)
R = TypeVar("R", bound=BaseRenderer)

_ACCEPTED = frozenset({"*/*", "application/*", "application/json"})


class OneType(BaseContentNegotiation):
    """Takes JSON in UTF-8 and answers JSON. There is no ``?format=``."""

    def select_parser(self, request: Request, parsers: Sequence[P]) -> P | None:  # type: ignore[override]
        """Return the one parser when the request is JSON, else None (415)."""
        return parsers[0] if is_json(request) else None

    def select_renderer(  # type: ignore[override]
        self, request: Request, renderers: Sequence[R], format_suffix: str | None = None
    ) -> tuple[R, str]:
        """Return the one renderer. Raises ``NotAcceptable`` when the caller takes no JSON."""
        for part in request.META.get("HTTP_ACCEPT", "*/*").split(","):
            media_type, *parameters = (piece.strip().lower() for piece in part.split(";"))
            if media_type in _ACCEPTED and not any(_is_refusal(parameter) for parameter in parameters):
                return renderers[0], renderers[0].media_type or ""
        raise NotAcceptable(available_renderers=list(renderers))


def _is_refusal(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    return name.strip() == "q" and value.strip().strip("0.") == "" and value.strip() != ""
