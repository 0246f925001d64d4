"""Answers that are text already: what the runtime stored goes out as it is.

A value is encoded by ``codec`` before DRF sees it, so nothing between here and the socket can write it differently, and an error of
encoding is an error of the view and not of the renderer.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from rest_framework.renderers import BaseRenderer
from rest_framework.response import Response

from turnframe_django import codec
from turnframe_django.codec import Json
from turnframe_django.protocol import problems


class Exact(str):
    """JSON text that is sent byte for byte."""

    __slots__ = ()


class ExactRenderer(BaseRenderer):
    """Writes ``Exact`` text and refuses everything else: a value that was not encoded here has no business in an answer."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None) -> bytes:
        """Return the bytes of ``data``."""
        if not isinstance(data, Exact):
            raise TypeError(f"An answer of the API is Exact text, not {type(data).__name__}.")
        return data.encode()


def answer(text: str, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return ``text``, which is JSON, as an answer that no cache keeps."""
    return Response(Exact(text), status=status, headers={"Cache-Control": "private, no-store", **(headers or {})})


def encoded(value: Json, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return ``value`` in its canonical text."""
    return answer(codec.encode(value), status, headers)


def problem_answer(document: Mapping[str, Json], status: int, headers: Mapping[str, str]) -> Response:
    """Return a problem document (RFC 9457)."""
    response = encoded(dict(document), status, headers)
    response.content_type = problems.MEDIA_TYPE
    return response


def page(results: Iterable[str], following: Json, states: Mapping[str, Json] | None = None) -> str:
    """Return the text of a page: the texts of its rows, the value for ``cursor`` or ``after`` (null at the end), and states of cards."""
    shown = f'"interaction_states":{codec.encode(dict(states))},' if states is not None else ""
    return f'{{{shown}"next":{codec.encode(following)},"results":[{",".join(results)}]}}'
