"""What ``seed_demo`` puts in front of a visitor: three logins, and conversations that were really held.

Nothing is inserted by hand. Each step is a turn taken by the runtime under a key of its own, so seeding again takes only the steps that are
missing, and none when all are there.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from django.contrib.auth import get_user_model
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _

from demo_project.travel import airline, desk
from turnframe_django import flow
from turnframe_django.context import Actor
from turnframe_django.models import Conversation, Interaction, Turn
from turnframe_django.runtime import deliver_outbox, open_conversation


@dataclass(frozen=True, slots=True)
class Login:
    """A user of the demo; the password is the name."""

    name: str
    about: flow.Text
    is_operator: bool = False


LOGINS = (
    Login("traveller", _("plans trips")),
    Login("rival", _("another account, which sees none of them")),
    Login("admin", _("the admin, at /admin/"), is_operator=True),
)

#: A message, a click on the open card (option, words), or the airline's turn to answer.
Step: TypeAlias = "Say | Click | Answer"


@dataclass(frozen=True, slots=True)
class Say:
    text: str


@dataclass(frozen=True, slots=True)
class Click:
    option: str
    words: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    pass


def stories() -> Mapping[str, Sequence[tuple[str, Sequence[Step]]]]:
    """Return each user's conversations: a title and its steps."""
    workday, sunday = _ahead(weekday=2), _ahead(weekday=6)
    return {
        "traveller": (
            (
                "Oslo on a Sunday",
                (Say("Start a trip to Oslo"), Say(f"We leave on {sunday}"), Say("Rebook it"), Click("confirm"), Answer()),
            ),
            (
                "Second thoughts about Porto",
                (
                    Say("I'd like to plan a trip"),
                    Say("Call it Porto"),
                    Say("Withdraw the trip"),
                    Click("decline", "We still hope to go."),
                    Say("Ann pays for the lounge"),
                    Say("What is the weather like there?"),
                ),
            ),
            (
                "A ticket to Lisbon",
                (
                    Say("Start a trip to Lisbon"),
                    Say(f"Set the date to {workday}"),
                    Say("Ask for the rebooking"),
                    Click("confirm"),
                    Answer(),
                ),
            ),
            (
                "Rome at a new price",
                (
                    Say("Start a trip to Rome"),
                    Say(f"Set the date to {workday}, add a bag and a window seat"),
                    Say("Ann pays for the bag"),
                    Say("Rebook it please"),
                    Click("confirm"),
                    Answer(),
                ),
            ),
        ),
        "rival": (("A secret trip", (Say("Start a trip to Monaco"),)),),
    }


def seed(told: Callable[[str], object] = lambda line: None) -> int:
    """Create what is missing, tell each conversation that gained a turn, and return how many turns were taken."""
    users = {login.name: _user(login) for login in LOGINS}
    taken = 0
    for name, conversations in stories().items():
        actor = desk.actor_of(users[name])
        for title, steps in conversations:
            count = sum(1 for _step in _play(actor, title, steps))
            if count:
                told(f"{name}: {title} ({count} turns)")
            taken += count
    return taken


def _user(login: Login) -> Any:
    users = get_user_model()
    found = users.objects.filter(username=login.name).first()
    if found is None:
        create = users.objects.create_superuser if login.is_operator else users.objects.create_user
        found = create(username=login.name, password=login.name)
    return found


def _play(actor: Actor, title: str, steps: Sequence[Step]) -> Iterator[Step]:
    """Take the steps that the conversation called ``title`` does not have yet, and yield each."""
    conversation = Conversation.objects.for_actor(actor).filter(title=title).first() or open_conversation(actor, locale="en", title=title)
    done = set(Turn.objects.filter(conversation=conversation).values_list("client_turn_id", flat=True))
    for number, step in enumerate(steps, 1):
        key = f"seed-{number}"
        if isinstance(step, Answer):
            with airline.at_once():
                deliver_outbox()
        elif key not in done:
            desk.take(actor, conversation.pk, {"client_turn_id": key, **_body(step, conversation)})
            yield step


def _body(step: Say | Click, conversation: Conversation) -> dict[str, Any]:
    if isinstance(step, Say):
        return {"text": step.text}
    card = Interaction.objects.filter(conversation=conversation).open().latest("created_at")
    response: dict[str, Any] = {"interaction_id": str(card.pk), "option_id": step.option, "expected_case_revision": card.bound_revision}
    if step.words:
        response["freeform_input"] = step.words
    return {"interaction_response": response}


def _ahead(*, weekday: int) -> str:
    """Return a day of the week about two months from now, in English words."""
    day = timezone.localdate() + datetime.timedelta(days=60)
    day += datetime.timedelta(days=(weekday - day.weekday()) % 7)
    with translation.override("en"):
        return date_format(day, "j F Y")
