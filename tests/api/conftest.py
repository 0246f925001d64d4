"""A site with two users, and clients that speak for them."""

import json
from typing import Any, TypeAlias
from uuid import UUID

import pytest
from django.apps import apps
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client

from tests.desk.models import Parcel

ROOT = "/turnframe/"
#: What Django's test client returns: a response that also reads its own JSON.
Answer: TypeAlias = Any


class Api:
    """A signed-in user's client. Paths are below the include."""

    def __init__(self, user: User | None, **options: Any) -> None:
        self.user = user
        self.client = Client(**options)
        if user is not None:
            self.client.force_login(user)

    @property
    def account(self) -> str:
        """The user's account."""
        assert self.user is not None
        return str(self.user.pk)

    def get(self, path: str, **headers: str) -> Answer:
        """GET below the include."""
        return self.client.get(ROOT + path, headers=headers)

    def post(self, path: str, body: Any, content_type: str = "application/json", **headers: str) -> Answer:
        """POST a value, or bytes as they are."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        # Named apart from the data: Django's client sends no type with an empty body.
        return self.client.generic("POST", ROOT + path, data, headers=headers, CONTENT_TYPE=content_type)

    def open(self, **body: Any) -> str:
        """Open a conversation and return its id."""
        response = self.post("conversations/", body)
        assert response.status_code == 201, response.content
        return str(response.json()["conversation_id"])

    def say(self, conversation: str, text: str, **more: Any) -> Answer:
        """Send a text."""
        return self.post(f"conversations/{conversation}/turns/", {"text": text, **more})

    def click(self, conversation: str, card: dict[str, Any], option_id: str = "confirm", **more: Any) -> Answer:
        """Answer a card as it was shown; ``more`` goes beside the response."""
        response = {
            "interaction_id": card["interaction_id"],
            "option_id": option_id,
            "expected_case_revision": card["case_ref"]["revision"],
            **more.pop("response", {}),
        }
        return self.post(f"conversations/{conversation}/turns/", {"interaction_response": response, **more})

    def offered(self, name: str = "Box") -> tuple[str, dict[str, Any]]:
        """Open a conversation about a parcel on offer and return it with the card that asks about it."""
        parcel = Parcel.objects.create(account=self.account, name=name, status=Parcel.Status.OFFERED)
        conversation = self.open(cases=[{"name": "parcel", "case_id": str(parcel.pk)}])
        turn = self.say(conversation, "hello").json()
        return conversation, cards_of(turn)[0]


def cards_of(turn: dict[str, Any]) -> list[dict[str, Any]]:
    """The cards a turn shows."""
    return [block["interaction"] for block in turn["assistant_turn"]["blocks"] if block["kind"] == "interaction"]


def kinds_of(turn: dict[str, Any]) -> list[str]:
    """The kinds of a turn's blocks."""
    return [block["kind"] for block in turn["assistant_turn"]["blocks"]]


def row_counts() -> dict[str, int]:
    """How many rows every table of the app and of the desk holds."""
    models: list[Any] = [*apps.get_app_config("turnframe").get_models(), Parcel]
    return {model._meta.label: model._default_manager.count() for model in models}


def problem_of(response: Answer, status: int, code: str) -> dict[str, Any]:
    """The problem document of a refusal, held to its form."""
    assert response.status_code == status, (response.status_code, response.content[:500])
    assert response["Content-Type"] == "application/problem+json"
    document: dict[str, Any] = json.loads(response.content)
    assert document["code"] == code, document
    assert document["status"] == status
    assert document["type"] == f"urn:turnframe:problem:{code}"
    assert document["title"]
    assert document["detail"]
    return document


@pytest.fixture(autouse=True)
def site(settings: LazySettings) -> None:
    """The app alone, with an interpreter."""
    settings.ROOT_URLCONF = "tests.api.site"
    settings.TURNFRAME = {"INTERPRETER": "tests.api.interpreter.scripted"}


@pytest.fixture
def traveller(db: None) -> Api:
    """The user of these tests."""
    return Api(User.objects.create_user("traveller", password="traveller"))


@pytest.fixture
def rival(db: None) -> Api:
    """A user of another account."""
    return Api(User.objects.create_user("rival", password="rival"))


@pytest.fixture
def anonymous(db: None) -> Api:
    """Nobody."""
    return Api(None)


def is_uuid(text: object) -> bool:
    """Whether ``text`` is a UUID in its usual form."""
    return isinstance(text, str) and str(UUID(text)) == text
