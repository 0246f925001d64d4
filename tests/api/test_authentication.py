"""Who may ask: closed by default, whatever the site's own settings say; and what an unexpected error tells."""

import base64
import logging
from typing import Any
from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import InterfaceError, OperationalError
from rest_framework.authentication import BasicAuthentication, SessionAuthentication
from rest_framework.permissions import IsAuthenticated
from rest_framework.throttling import BaseThrottle

from tests.api.conftest import Api, problem_of, row_counts
from turnframe_django import runtime
from turnframe_django.api.base import TurnframeViewSet
from turnframe_django.api.conversations import ConversationViewSet
from turnframe_django.api.turns import TurnViewSet
from turnframe_django.context import Actor

pytestmark = pytest.mark.django_db


def basic(name: str, password: str) -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()}


def test_nobody_is_told_to_sign_in(anonymous: Api) -> None:
    response = anonymous.get("conversations/")
    problem_of(response, 401, "not_authenticated")
    assert response["WWW-Authenticate"]


def test_a_wrong_password_is_nobody(traveller: Api, anonymous: Api) -> None:
    problem_of(anonymous.get("conversations/", **basic("traveller", "wrong")), 401, "not_authenticated")
    assert anonymous.get("conversations/", **basic("traveller", "traveller")).status_code == 200


def test_a_user_who_was_switched_off_is_nobody(traveller: Api) -> None:
    User.objects.update(is_active=False)
    problem_of(traveller.get("conversations/"), 401, "not_authenticated")


def test_the_sites_first_authentication_names_the_challenge(anonymous: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ConversationViewSet, "authentication_classes", [BasicAuthentication])
    assert anonymous.get("conversations/")["WWW-Authenticate"] == 'Basic realm="api"'
    monkeypatch.setattr(ConversationViewSet, "authentication_classes", [SessionAuthentication])
    assert anonymous.get("conversations/")["WWW-Authenticate"] == 'Session realm="api"'


def test_a_site_that_lets_everybody_in_elsewhere_lets_nobody_in_here(anonymous: Api, settings: LazySettings) -> None:
    settings.REST_FRAMEWORK = {
        "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],
        "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.FormParser"],
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.BrowsableAPIRenderer"],
        "EXCEPTION_HANDLER": "rest_framework.views.exception_handler",
        "DEFAULT_VERSIONING_CLASS": "rest_framework.versioning.AcceptHeaderVersioning",
    }
    problem_of(anonymous.get("conversations/"), 401, "not_authenticated")
    assert TurnframeViewSet.permission_classes == (IsAuthenticated,)


@pytest.mark.parametrize(
    "headers", [{}, {"Origin": "https://evil.example"}, {"Referer": "https://evil.example/"}, {"X-CSRFToken": "x" * 32}]
)
def test_s6_a_post_from_elsewhere_with_a_session_is_refused(traveller: Api, headers: dict[str, str]) -> None:
    assert traveller.user is not None
    careful = Api(traveller.user, enforce_csrf_checks=True)
    before = row_counts()
    problem_of(careful.post("conversations/", {}, **headers), 403, "csrf_failed")
    assert careful.get("conversations/").status_code == 200
    assert row_counts() == before


def test_s6_json_sent_as_plain_text_is_refused(traveller: Api) -> None:
    assert traveller.user is not None
    careful = Api(traveller.user, enforce_csrf_checks=True)
    problem_of(careful.post("conversations/", b"{}", "text/plain"), 403, "csrf_failed")
    careful.client.cookies["csrftoken"] = "x" * 32
    problem_of(careful.post("conversations/", b"{}", "text/plain", **{"X-CSRFToken": "x" * 32}), 415, "unsupported_media_type")
    assert careful.post("conversations/", b"{}", **{"X-CSRFToken": "x" * 32}).status_code == 201


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
@pytest.mark.parametrize("path", ["conversations/", "conversations/{}/", "conversations/{}/turns/", "conversations/{}/frames/"])
def test_other_methods_are_not_allowed(traveller: Api, path: str, method: str) -> None:
    response = traveller.client.generic(method, f"/turnframe/{path.format(traveller.open())}", b"{}", content_type="application/json")
    problem_of(response, 405, "method_not_allowed")
    assert "GET" in response["Allow"]


def test_a_page_is_not_posted_to(traveller: Api) -> None:
    problem_of(traveller.post(f"conversations/{traveller.open()}/frames/", {}), 405, "method_not_allowed")


@pytest.mark.parametrize("accept", ["text/html", "application/xml", "application/json;q=0", "image/*, text/*;q=0.5"])
def test_a_caller_that_takes_no_json_is_told_so_in_json(traveller: Api, accept: str) -> None:
    problem_of(traveller.get("conversations/", Accept=accept), 406, "not_acceptable")


@pytest.mark.parametrize(
    "accept", ["*/*", "application/json", "text/html, */*;q=0.1", "application/*;q=0.5", "application/json; charset=utf-8"]
)
def test_a_caller_that_takes_json_gets_it(traveller: Api, accept: str) -> None:
    response = traveller.get("conversations/", Accept=accept)
    assert response.status_code == 200
    assert response["Content-Type"] == "application/json"
    assert response["Cache-Control"] == "private, no-store"


class OncePerHour(BaseThrottle):
    def allow_request(self, request: Any, view: Any) -> bool:
        return False

    def wait(self) -> float:
        return 12.3


def test_the_sites_throttles_hold(traveller: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ConversationViewSet, "throttle_classes", [OncePerHour])
    response = traveller.get("conversations/")
    problem_of(response, 429, "throttled")
    assert response["Retry-After"] == "13"


# --- who that is -----------------------------------------------------------------------------------------------------------------------


def shared(user: Any) -> Actor:
    """Everybody is in one account."""
    return Actor(account="acme", user=str(user.pk))


def closed(user: Any) -> Actor:
    """Nobody has an account."""
    raise PermissionDenied


def test_an_actor_is_whom_the_site_says(traveller: Api, rival: Api, settings: LazySettings) -> None:
    settings.TURNFRAME = {**settings.TURNFRAME, "ACTOR_RESOLVER": f"{__name__}.shared"}
    conversation = traveller.open()
    assert traveller.get(f"conversations/{conversation}/").status_code == 200
    problem_of(rival.get(f"conversations/{conversation}/"), 404, "not_found")


def test_a_user_without_an_account_may_do_nothing(traveller: Api, settings: LazySettings) -> None:
    settings.TURNFRAME = {**settings.TURNFRAME, "ACTOR_RESOLVER": f"{__name__}.closed"}
    problem_of(traveller.get("conversations/"), 403, "permission_denied")
    problem_of(traveller.post("conversations/", {}), 403, "permission_denied")


# --- errors nobody expected ------------------------------------------------------------------------------------------------------------

SECRET = "the user's own words"


def breaking(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(*_arguments: Any, **_options: Any) -> None:
        raise error

    monkeypatch.setattr(runtime, "handle_turn", fail)


def test_s15_an_unexpected_error_gives_a_reference_and_nothing_else(
    traveller: Api, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    conversation = traveller.open()
    breaking(monkeypatch, RuntimeError(SECRET))
    with caplog.at_level(logging.DEBUG):
        problem = problem_of(traveller.say(conversation, SECRET), 500, "internal")
    assert set(problem) == {"code", "detail", "reference", "status", "title", "type"}
    line = next(record for record in caplog.records if record.name == "turnframe_django.api")
    assert problem["reference"] in line.getMessage()
    assert "RuntimeError" in line.getMessage()
    assert "test_authentication.py" in line.getMessage()
    assert all(SECRET not in record.getMessage() and record.exc_info is None for record in caplog.records if "turnframe" in record.name)


@pytest.mark.parametrize("error", [OperationalError(SECRET), InterfaceError(SECRET)])
def test_a_database_that_is_away_is_a_reason_to_ask_again(
    traveller: Api, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    conversation = traveller.open()
    breaking(monkeypatch, error)
    response = traveller.say(conversation, "a")
    problem = problem_of(response, 503, "temporarily_unavailable")
    assert response["Retry-After"] == "5"
    assert SECRET not in str(problem)
    assert SECRET not in caplog.text


def test_views_are_outside_the_sites_transactions() -> None:
    for view in (ConversationViewSet.as_view({"get": "list"}), TurnViewSet.as_view({"post": "create"})):
        assert "default" in view._non_atomic_requests


def test_a_reference_is_new_each_time(traveller: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    conversation = traveller.open()
    breaking(monkeypatch, RuntimeError())
    references = {traveller.say(conversation, "a").json()["reference"] for _ in range(3)}
    assert len(references) == 3
    assert str(uuid4()) not in references
