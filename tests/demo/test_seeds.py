"""What a visitor finds: conversations that were really held, once."""

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client
from django.utils import translation

from demo_project.travel.models import Trip
from demo_project.travel.seeds import stories
from turnframe_django.models import Block, Conversation, Interaction, Turn

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def seeded() -> None:
    call_command("seed_demo", verbosity=0)


def test_a_second_seeding_adds_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    before = [model.objects.count() for model in (Conversation, Turn, Block, Interaction, Trip)]
    call_command("seed_demo")
    assert [model.objects.count() for model in (Conversation, Turn, Block, Interaction, Trip)] == before
    assert "nothing to add" in capsys.readouterr().out


def test_a_visitor_finds_one_of_everything() -> None:
    assert {"receipt", "interaction", "notice", "artifact", "transition"} <= set(Block.objects.values_list("kind", flat=True))
    assert {"active", "declined", "resolved"} <= set(Interaction.objects.values_list("status", flat=True))
    assert Block.objects.filter(kind="notice", body__contains="trip.unknown_extra").exists()
    assert set(Trip.objects.values_list("status", flat=True)) == {"draft", "requoted", "refused", "ticketed"}
    assert not Turn.objects.exclude(phase="delivered").exists()


def test_it_seeds_the_same_whatever_language_the_operator_speaks() -> None:
    with translation.override("it"):
        assert stories() == stories_in_english()


def stories_in_english() -> object:
    with translation.override("en"):
        return stories()


def test_the_logins_are_as_announced() -> None:
    for name in ("traveller", "rival", "admin"):
        assert Client().login(username=name, password=name)
    assert get_user_model().objects.get(username="admin").is_superuser
    assert not get_user_model().objects.get(username="traveller").is_staff


def test_the_rival_sees_none_of_the_travellers_trips() -> None:
    client = Client()
    client.login(username="rival", password="rival")
    html = client.get("/", follow=True).content.decode()
    assert "Monaco" in html
    assert "Lisbon" not in html


@pytest.mark.parametrize("title", ["A ticket to Lisbon", "Rome at a new price", "Second thoughts about Porto", "Oslo on a Sunday"])
def test_every_seeded_conversation_can_be_read(title: str) -> None:
    client = Client()
    client.login(username="traveller", password="traveller")
    html = client.get(f"/conversations/{Conversation.objects.get(title=title).pk}/").content.decode()
    assert "cannot be shown here" not in html
