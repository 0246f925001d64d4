"""What every view of the API is: closed, exact, outside any transaction, and deaf to DRF settings that would change the contract.

Authentication and throttling are the site's own DRF settings. Everything that shapes a request or an answer is fixed here.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from django.db import DataError, connections
from django.db.transaction import non_atomic_requests
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from turnframe_django import runtime
from turnframe_django.api import refusals
from turnframe_django.api.body import StrictJSONParser
from turnframe_django.api.exact import ExactRenderer
from turnframe_django.api.negotiation import OneType
from turnframe_django.context import Actor


class TurnframeViewSet(ViewSet):
    """The base of every view of the API; ``actor`` is who asks."""

    http_method_names = ("get", "head", "post")
    content_negotiation_class = OneType
    metadata_class = None
    parser_classes = (StrictJSONParser,)
    permission_classes = (IsAuthenticated,)
    renderer_classes = (ExactRenderer,)
    versioning_class = None

    @classmethod
    def as_view(cls, actions: Any = None, **initkwargs: Any) -> Any:
        """Return the view for ``actions``, outside ``ATOMIC_REQUESTS``: the runtime opens its own transactions and waits in none."""
        view: Any = super().as_view(actions, **initkwargs)
        for alias in connections:
            view = non_atomic_requests(using=alias)(view)
        return view

    def get_exception_handler(self) -> Callable[..., Response]:
        """Return our own handler, whatever the site uses elsewhere."""
        return refusals.handle

    def perform_authentication(self, request: Request) -> None:
        """Authenticate; credentials that no database can even look up are nobody's. Raises ``AuthenticationFailed``."""
        try:
            super().perform_authentication(request)
        except (DataError, ValueError):
            raise AuthenticationFailed from None

    @cached_property
    def actor(self) -> Actor:
        """Who asks, as ``ACTOR_RESOLVER`` says. Resolved once a request, and only after authentication."""
        return runtime.actor_of(self.request.user)
