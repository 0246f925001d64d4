"""Every code of the contract: provoked over HTTP, or named here as one that nothing raises yet.

A code that is neither fails the first test, so none is added without being seen.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.utils import timezone

from tests.api.conftest import Answer, Api, cards_of, problem_of
from tests.desk.models import Parcel
from tests.factories import make
from turnframe_django import codec, ids, runtime
from turnframe_django.api.conversations import ConversationViewSet
from turnframe_django.models import Conversation, Interaction, InteractionOption, Turn
from turnframe_django.protocol.problems import PROBLEMS

pytestmark = pytest.mark.django_db

#: Codes of parts that are not here: chats, sockets' sessions, callbacks over HTTP, cancelling, proofs of identity.
NOT_RAISED_YET = {
    "already_complete",
    "cancelled",
    "definition_retired",
    "history_limit",
    "reauthentication_required",
    "session_conflict",
    "session_expired",
    "signature_invalid",
    "too_late",
}
#: Members beside the five that every document has.
MEMBERS: dict[str, set[str]] = {
    "invalid_input": {"errors"},
    "invalid_text": {"errors"},
    "text_too_long": {"max_len"},
    "payload_too_large": {"max_bytes"},
    "freeform_too_long": {"max_len"},
    "revision_conflict": {"bound", "current"},
    "interaction_not_active": {"interaction_status"},
    "turn_in_progress": {"turn_id"},
    "cursor_expired": {"oldest"},
    "assistant_unavailable": {"retryable"},
    "internal": {"reference"},
    "temporarily_unavailable": {"reference"},
}
RETRIED = {"turn_in_progress", "interaction_resolving", "throttled", "assistant_unavailable", "temporarily_unavailable"}

Provoke = Callable[[Api, pytest.MonkeyPatch, LazySettings], Answer]
PROVOKED: dict[str, Provoke] = {}


def provokes(code: str) -> Callable[[Provoke], Provoke]:
    def keep(function: Provoke) -> Provoke:
        PROVOKED[code] = function
        return function

    return keep


def stale_card(api: Api, **given: Any) -> tuple[str, dict[str, Any]]:
    """A conversation with a card on a parcel that is made as a test needs it."""
    conversation = api.open()
    parcel = Parcel.objects.create(account=api.account, name="Box")
    turn: Turn = make(Turn, conversation=Conversation.objects.get(pk=conversation), ordinal=99, client_turn_id=str(ids.new_id()))
    payload = codec.encode({"title": "Send?"})
    card: Interaction = make(
        Interaction,
        **{
            "turn": turn,
            "account": api.account,
            "case_name": "parcel",
            "case_id": str(parcel.pk),
            "bound_revision": 0,
            "payload": payload,
            "payload_hash": codec.digest(payload),
            "expires_at": None,
            **given,
        },
    )
    make(InteractionOption, interaction=card, option_id="confirm", action='{"op":"confirm_commands","commands":[]}')
    return conversation, {"interaction_id": str(card.pk), "case_ref": {"revision": 0}}


def failing(monkeypatch: pytest.MonkeyPatch, name: str, error: Exception) -> None:
    def fail(*_arguments: Any, **_options: Any) -> None:
        raise error

    monkeypatch.setattr(runtime, name, fail)


@provokes("invalid_input")
def _(api: Api, monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Answer:
    return api.post("conversations/", {"owner": "me"})


@provokes("empty_turn")
def _(api: Api, monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Answer:
    return api.say(api.open(), " ")


@provokes("text_too_long")
def _(api: Api, monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Answer:
    settings.TURNFRAME = {**settings.TURNFRAME, "MAX_TEXT_LENGTH": 3}
    return api.say(api.open(), "four")


@provokes("invalid_text")
def _(api: Api, monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Answer:
    return api.say(api.open(), "\x00")


@provokes("not_authenticated")
def _(api: Api, monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Answer:
    return Api(None).get("conversations/")


@provokes("permission_denied")
def _(api: Api, monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Answer:
    failing(monkeypatch, "open_conversation", PermissionDenied())
    return api.post("conversations/", {})


@provokes("csrf_failed")
def _(api: Api, monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Answer:
    assert api.user is not None
    return Api(api.user, enforce_csrf_checks=True).post("conversations/", {})


@provokes("not_found")
def _(api: Api, monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Answer:
    return api.get("conversations/abc/")


@provokes("method_not_allowed")
def _(api: Api, monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Answer:
    return api.client.delete("/turnframe/conversations/")


@provokes("not_acceptable")
def _(api: Api, monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Answer:
    return api.get("conversations/", Accept="text/html")


@provokes("turn_in_progress")
def _(api: Api, monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Answer:
    conversation = api.open()
    until = timezone.now() + timedelta(minutes=1)
    Conversation.objects.filter(pk=conversation).update(lease_turn=ids.new_id(), lease_until=until, lease_token=1)
    assert api.get(f"conversations/{conversation}/").json()["turn_in_progress"] is True
    return api.say(conversation, "hello")


@provokes("revision_conflict")
def _(api: Api, monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Answer:
    conversation, card = api.offered()
    Parcel.objects.update(revision=7)
    return api.click(conversation, card)


@provokes("interaction_not_active")
def _(api: Api, monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Answer:
    return api.click(*stale_card(api, status="invalidated"))


@provokes("interaction_resolving")
def _(api: Api, monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Answer:
    settings.TURNFRAME = {**settings.TURNFRAME, "LOCK_WAIT_SECONDS": 0}
    return api.click(*stale_card(api, status="resolving"))


@provokes("payload_corrupt")
def _(api: Api, monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Answer:
    return api.click(*stale_card(api, payload_hash=codec.digest("what the user was shown")))


@provokes("interaction_expired")
def _(api: Api, monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Answer:
    return api.click(*stale_card(api, expires_at=timezone.now() - timedelta(seconds=1)))


@provokes("cursor_expired")
def _(api: Api, monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Answer:
    return api.get(f"conversations/{api.open()}/frames/?after=9")


@provokes("payload_too_large")
def _(api: Api, monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Answer:
    settings.TURNFRAME = {**settings.TURNFRAME, "MAX_BODY_BYTES": 10}
    return api.post("conversations/", {"title": "longer than that"})


@provokes("unsupported_media_type")
def _(api: Api, monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Answer:
    return api.post("conversations/", b"{}", "text/plain")


@provokes("throttled")
def _(api: Api, monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Answer:
    from tests.api.test_authentication import OncePerHour

    monkeypatch.setattr(ConversationViewSet, "throttle_classes", [OncePerHour])
    return api.get("conversations/")


@provokes("unknown_option")
def _(api: Api, monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Answer:
    return api.click(*api.offered(), "other")


@provokes("freeform_not_allowed")
def _(api: Api, monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Answer:
    return api.click(*api.offered(), response={"freeform_input": ""})


@provokes("freeform_required")
def _(api: Api, monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Answer:
    conversation, card = stale_card(api)
    make(InteractionOption, interaction_id=card["interaction_id"], option_id="why", freeform_mode="required", freeform_max_length=5)
    return api.click(conversation, card, "why", response={"freeform_input": " "})


@provokes("freeform_too_long")
def _(api: Api, monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Answer:
    conversation = api.open()
    for text in ("start a parcel", "call it Box"):
        api.say(conversation, text)
    card = cards_of(api.say(conversation, "send it").json())[0]
    return api.click(conversation, card, "decline", response={"freeform_input": "é" * 21})


@provokes("idempotency_mismatch")
def _(api: Api, monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Answer:
    conversation = api.open()
    api.say(conversation, "hello", client_turn_id="k")
    return api.say(conversation, "other", client_turn_id="k")


@provokes("internal")
def _(api: Api, monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Answer:
    failing(monkeypatch, "open_conversation", RuntimeError())
    return api.post("conversations/", {})


@provokes("assistant_unavailable")
def _(api: Api, monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Answer:
    settings.TURNFRAME = {}
    return api.say(api.open(), "hello")


@provokes("temporarily_unavailable")
def _(api: Api, monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Answer:
    failing(monkeypatch, "open_conversation", OperationalError())
    return api.post("conversations/", {})


def test_every_code_is_provoked_or_not_raised_yet() -> None:
    assert set(PROVOKED) | NOT_RAISED_YET == set(PROBLEMS)
    assert not set(PROVOKED) & NOT_RAISED_YET


@pytest.mark.parametrize("code", PROVOKED)
def test_a_refusal_has_its_status_its_code_and_its_members(
    traveller: Api, monkeypatch: pytest.MonkeyPatch, settings: LazySettings, code: str
) -> None:
    response = PROVOKED[code](traveller, monkeypatch, settings)
    problem = problem_of(response, PROBLEMS[code].status, code)
    assert set(problem) - {"code", "detail", "status", "title", "type"} == MEMBERS.get(code, set())
    assert ("Retry-After" in response) is (code in RETRIED)
    assert response["Cache-Control"] == "private, no-store"


def test_a_text_without_an_interpreter_is_refused_before_anything_is_stored_and_clicks_work(traveller: Api, settings: LazySettings) -> None:
    conversation, card = traveller.offered()
    settings.TURNFRAME = {}
    turns = Turn.objects.count()
    problem = problem_of(traveller.say(conversation, "hello"), 503, "assistant_unavailable")
    assert problem["retryable"] is False
    assert Turn.objects.count() == turns
    assert traveller.click(conversation, card).status_code == 201


def test_a_stale_click_names_both_revisions_and_changes_nothing(traveller: Api) -> None:
    conversation, card = traveller.offered()
    Parcel.objects.update(revision=7)
    turns = Turn.objects.count()
    problem = problem_of(traveller.click(conversation, card), 409, "revision_conflict")
    assert (problem["bound"], problem["current"]) == (0, 7)
    assert Turn.objects.count() == turns
    assert Interaction.objects.get().status == "active"
