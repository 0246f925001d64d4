"""Languages: one of the site's, asked for or spoken by the request."""

import pytest
from django.conf import LazySettings

from tests.api.conftest import Api, problem_of
from turnframe_django.models import Conversation, Turn
from turnframe_django.protocol.problems import PROBLEMS

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("header", [{}, {"Accept-Language": "de"}, {"Accept-Language": "en-GB"}])
def test_a_conversation_speaks_the_sites_language(traveller: Api, header: dict[str, str]) -> None:
    assert traveller.post("conversations/", {}, **header).json()["locale"] == "en"


def test_a_conversation_speaks_the_language_of_the_request(traveller: Api) -> None:
    assert traveller.post("conversations/", {}, **{"Accept-Language": "it-IT,it;q=0.9"}).json()["locale"] == "it"


def test_a_conversation_speaks_the_language_it_is_given(traveller: Api) -> None:
    conversation = traveller.post("conversations/", {"locale": "it"}, **{"Accept-Language": "en"}).json()
    assert conversation["locale"] == "it"
    assert Conversation.objects.get().locale == "it"


@pytest.mark.parametrize("locale", ["de", "IT", "it-IT", "", "x" * 36])
def test_a_language_the_site_does_not_have_is_refused(traveller: Api, locale: str) -> None:
    problem_of(traveller.post("conversations/", {"locale": locale}), 400, "invalid_input")
    problem_of(traveller.say(traveller.open(), "hello", locale=locale), 400, "invalid_input")


def test_a_turn_may_speak_another_language_than_its_conversation(traveller: Api) -> None:
    conversation = traveller.open()
    traveller.say(conversation, "hello", locale="it")
    traveller.say(conversation, "hello")
    assert list(Turn.objects.order_by("ordinal").values_list("locale", flat=True)) == ["it", "en"]


def test_a_site_whose_default_is_a_variant_still_has_a_language(traveller: Api, settings: LazySettings) -> None:
    settings.LANGUAGE_CODE = "en-us"
    assert traveller.post("conversations/", {}).json()["locale"] == "en"


def test_the_code_of_a_refusal_is_the_same_in_every_language(traveller: Api) -> None:
    problem = problem_of(traveller.get("conversations/abc/", **{"Accept-Language": "it"}), 404, "not_found")
    assert problem["title"]
    assert problem_of(traveller.get("conversations/abc/"), 404, "not_found")["title"] == PROBLEMS["not_found"].title
