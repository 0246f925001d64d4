"""The operations that are measured, each prepared alike for ours and for the baselines, and sent through Django's test client."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle
from typing import Any, TypeAlias

from django.apps import apps
from django.contrib.auth.models import User
from django.test import Client

from tests.benchmarks.host.models import Chat
from tests.desk.models import Parcel
from tests.desk.workflows import NameParcel
from turnframe_django.understanding.scripted import ScriptedInterpreter

NAMES = ("Box", "Crate")
TEXTS = tuple(f"call it {name}" for name in NAMES)
#: A page's turns, and how many conversations there are to list.
TURNS, CONVERSATIONS = 50, 60

#: What reads the texts: at once, so that only the handling is measured.
interpreter = ScriptedInterpreter({text: [NameParcel(name=name)] for text, name in zip(TEXTS, NAMES, strict=True)})

#: One request, ready to be sent; it returns the response.
Call: TypeAlias = Callable[[], Any]


@dataclass
class Site:
    """A signed-in user and the three ways to talk about a parcel."""

    client: Client
    user: User

    @classmethod
    def open(cls) -> Site:
        """Sign a new user in."""
        user = User.objects.create_user("bench", password="bench")
        client = Client()
        client.force_login(user)
        return cls(client, user)

    def post(self, path: str, body: Any) -> Any:
        """Send JSON."""
        return self.client.post(path, json.dumps(body), "application/json")

    def parcel(self, status: str = Parcel.Status.PACKING) -> Parcel:
        """A new parcel of the user's."""
        return Parcel.objects.create(account=str(self.user.pk), name="Old", status=status)

    def conversation(self, parcel: Parcel) -> str:
        """A new conversation about the parcel: of ours, which is what plain uses too."""
        opened = self.post("/turnframe/conversations/", {"cases": [{"name": "parcel", "case_id": str(parcel.pk)}]})
        return str(opened.json()["conversation_id"])

    def asked(self) -> tuple[str, dict[str, Any]]:
        """A new conversation in which a card stands, and the click that answers it."""
        conversation = self.conversation(self.parcel(Parcel.Status.OFFERED))
        shown = self.post(f"/turnframe/conversations/{conversation}/turns/", {"text": "hello"}).json()
        (card,) = (block["interaction"] for block in shown["assistant_turn"]["blocks"] if block["kind"] == "interaction")
        answer = {"interaction_id": card["interaction_id"], "option_id": "confirm", "expected_case_revision": card["case_ref"]["revision"]}
        return conversation, {"interaction_response": answer}

    def chat(self) -> str:
        """A new chat of the naive baseline."""
        return str(Chat.objects.create(owner=str(self.user.pk), parcel=self.parcel()).pk)


class Side:
    """Ours or a baseline: where its requests go. The preparation of a request is never measured."""

    def __init__(self, site: Site, name: str) -> None:
        self.site = site
        self.name = name
        self.texts = cycle(TEXTS)
        self.talk = self.start()
        self.answered = self.click()
        self.answered()
        self.long = self.start()
        for _ in range(TURNS):
            self.say(self.long)()

    def start(self) -> str:
        """A new conversation about a parcel with a name."""
        return self.site.chat() if self.name == "naive" else self.site.conversation(self.site.parcel())

    def turns(self, conversation: str) -> str:
        """Where the turns of a conversation are."""
        places = {"ours": "/turnframe/conversations/{}/turns/", "plain": "/plain/{}/turns/", "naive": "/naive/{}/messages/"}
        return places[self.name].format(conversation)

    def say(self, conversation: str) -> Call:
        """The next text: a name that the parcel has not."""
        path, body = self.turns(conversation), {"text": next(self.texts)}
        return lambda: self.site.post(path, body)

    def click(self) -> Call:
        """A click that confirms a new card."""
        if self.name == "naive":
            path = self.turns(self.site.chat())
            return lambda: self.site.post(path, {"action": "send", "value": "Box"})
        conversation, body = self.site.asked()
        path = self.turns(conversation)
        return lambda: self.site.post(path, body)

    def calls(self, operation: str, count: int) -> Iterator[Call]:
        """``count`` requests of an operation."""
        page, listed = self.turns(self.long), {"ours": "/turnframe/conversations/"}.get(self.name, f"/{self.name}/")
        for _ in range(count):
            match operation:
                case "text":
                    yield self.say(self.talk)
                case "click":
                    yield self.click()
                case "repeat":
                    yield self.answered
                case "page":
                    yield lambda: self.site.client.get(page)
                case "list":
                    yield lambda: self.site.client.get(listed)


OPERATIONS = ("text", "click", "repeat", "page", "list")
SIDES = ("ours", "plain", "naive")


def prepared(site: Site) -> dict[str, Side]:
    """Return the sides with everything in place, once plain was seen to write the rows that ours writes."""
    for _ in range(CONVERSATIONS):
        site.conversation(site.parcel())
        site.chat()
    sides = {name: Side(site, name) for name in SIDES}
    for operation in ("text", "click"):
        ours, plain = (_written(sides[name], operation) for name in ("ours", "plain"))
        if ours != plain:
            raise SystemExit(f"{operation}: ours writes {ours}, plain writes {plain}.")
    return sides


def _written(side: Side, operation: str) -> dict[str, int]:
    (call,) = side.calls(operation, 1)
    before = _counts()
    call()
    return {label: count - before[label] for label, count in _counts().items() if count != before[label]}


def _counts() -> dict[str, int]:
    return {model._meta.label: model._default_manager.count() for model in apps.get_app_config("turnframe").get_models()}
