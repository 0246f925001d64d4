"""S1, API1: foreign and missing are one answer. Every route of the app and every id in a path or a body, from the resolver itself.

A new route whose slots this file does not know fails here.
"""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.urls import URLPattern

from tests.api.conftest import ROOT, Answer, Api, problem_of, row_counts
from tests.desk.models import Parcel
from tests.statements import counting
from turnframe_django import urls

pytestmark = pytest.mark.django_db

ROUTES: list[URLPattern] = [pattern for pattern in urls.urlpatterns if isinstance(pattern, URLPattern)]
SLOTS = [(route, slot) for route in ROUTES for slot in route.pattern.converters]
#: Read once: a view adds HEAD to its actions when it is first called.
METHODS = {str(route.name): [method for method in route.callback.actions if method in {"get", "post"}] for route in ROUTES}  # type: ignore[attr-defined]
STRANGE = ["abc", "0", "None", "a" * 300, "%00", "{id}", "٣" * 36, "🏳️"]


def addresses(route: URLPattern, ids: dict[str, str]) -> str:
    """The address of ``route`` with its slots filled. An unknown slot is a KeyError: say here what may stand in it."""
    path = str(route.pattern)
    for slot in route.pattern.converters:
        path = path.replace(f"<str:{slot}>", ids[slot])
    assert "<" not in path
    return path


def methods(route: URLPattern) -> Iterator[str]:
    """The methods that ``route`` takes."""
    yield from METHODS[str(route.name)]


def ask(api: Api, method: str, path: str) -> Answer:
    return api.get(path) if method == "get" else api.post(path, {"text": "a"} if path.endswith("turns/") else {})


def likeness(response: Answer) -> tuple[int, bytes, dict[str, str]]:
    """Everything a caller sees of an answer."""
    return response.status_code, response.content, dict(response.headers)


def live(api: Api) -> dict[str, str]:
    """The ids of a user's own: a conversation, its turn and its card."""
    conversation, card = api.offered()
    turn = api.get(f"conversations/{conversation}/turns/").json()["results"][0]
    return {"conversation_id": conversation, "turn_id": turn["turn_id"], "interaction_id": card["interaction_id"]}


def test_the_routes_are_those_of_the_contract() -> None:
    assert {str(route.pattern): sorted(methods(route)) for route in ROUTES} == {
        "conversations/": ["get", "post"],
        "conversations/<str:conversation_id>/": ["get"],
        "conversations/<str:conversation_id>/turns/": ["get", "post"],
        "conversations/<str:conversation_id>/turns/<str:turn_id>/": ["get"],
        "conversations/<str:conversation_id>/interactions/": ["get"],
        "conversations/<str:conversation_id>/interactions/<str:interaction_id>/": ["get"],
        "conversations/<str:conversation_id>/frames/": ["get"],
    }


@pytest.mark.parametrize(("route", "slot"), SLOTS, ids=[f"{route.name}-{slot}" for route, slot in SLOTS])
def test_s1_a_foreign_id_in_a_path_is_a_missing_one(traveller: Api, rival: Api, route: URLPattern, slot: str) -> None:
    own, foreign = live(traveller), live(rival)
    before = row_counts()
    for method in methods(route):
        with counting() as looked_up:
            missing = ask(traveller, method, addresses(route, {**own, slot: str(uuid4())}))
        problem_of(missing, 404, "not_found")
        for wrong in [foreign[slot], foreign[slot].upper(), *STRANGE]:
            found = ask(traveller, method, addresses(route, {**own, slot: wrong}))
            assert likeness(found) == likeness(missing), wrong
        # What takes the same statements takes the same time.
        with counting() as looked_up_foreign:
            ask(traveller, method, addresses(route, {**own, slot: foreign[slot]}))
        assert looked_up_foreign.work == looked_up.work
        # Everything foreign at once, and one's own child under somebody else's conversation.
        assert likeness(ask(traveller, method, addresses(route, foreign))) == likeness(missing)
        if slot != "conversation_id":
            mixed = {**foreign, slot: own[slot]}
            assert likeness(ask(traveller, method, addresses(route, mixed))) == likeness(missing)
            other = {**own, "conversation_id": traveller.open()}
            assert likeness(ask(traveller, method, addresses(route, other))) == likeness(missing)
    # The conversation just opened is the one row more.
    after = row_counts()
    after["turnframe.Conversation"] -= 0 if slot == "conversation_id" else len(list(methods(route)))
    assert after == before


@pytest.mark.parametrize("route", ROUTES, ids=[route.name for route in ROUTES])
def test_ones_own_ids_are_found_in_either_case(traveller: Api, route: URLPattern) -> None:
    own = live(traveller)
    for spelled in (own, {slot: value.upper() for slot, value in own.items()}):
        for method in methods(route):
            assert ask(traveller, method, addresses(route, spelled)).status_code in {200, 201}


@pytest.mark.parametrize("route", ROUTES, ids=[route.name for route in ROUTES])
def test_s3_nobody_reaches_nothing(traveller: Api, anonymous: Api, route: URLPattern) -> None:
    own = live(traveller)
    before = row_counts()
    for ids in (own, dict.fromkeys(own, str(uuid4()))):
        for method in methods(route):
            problem_of(ask(anonymous, method, addresses(route, ids)), 401, "not_authenticated")
    assert row_counts() == before


@pytest.mark.parametrize(("route", "slot"), SLOTS, ids=[f"{route.name}-{slot}" for route, slot in SLOTS])
def test_s1_staff_are_users_like_others_here(traveller: Api, route: URLPattern, slot: str) -> None:
    staff = Api(User.objects.create_superuser("admin"))
    own, foreign = live(staff), live(traveller)
    for method in methods(route):
        problem_of(ask(staff, method, addresses(route, {**own, slot: foreign[slot]})), 404, "not_found")


def bodies(own: dict[str, str], foreign: dict[str, str], parcel: str) -> dict[str, tuple[str, Any, Any]]:
    """Per id in a body: the path, the body with the foreign id, and the same with one that never was."""
    turns = "conversations/{conversation_id}/turns/"
    response = {"option_id": "confirm", "expected_case_revision": 0}

    def card(key: str, **more: Any) -> dict[str, Any]:
        return {"interaction_response": {**response, "interaction_id": key}, **more}

    return {
        "interaction_id": (turns, card(foreign["interaction_id"]), card(str(uuid4()))),
        "interaction_id beside words": (turns, card(foreign["interaction_id"], text="hello"), card(str(uuid4()), text="hello")),
        "interaction_id malformed": (turns, card("abc"), card(str(uuid4()))),
        "origin": (
            turns,
            {"text": "a", "origin": {"name": "parcel", "case_id": parcel}},
            {"text": "a", "origin": {"name": "parcel", "case_id": str(uuid4())}},
        ),
        "origin beside a click": (
            turns,
            card(own["interaction_id"], origin={"name": "parcel", "case_id": parcel}),
            card(own["interaction_id"], origin={"name": "parcel", "case_id": str(uuid4())}),
        ),
        "origin malformed": (
            turns,
            {"text": "a", "origin": {"name": "parcel", "case_id": "abc"}},
            {"text": "a", "origin": {"name": "nobody", "case_id": "1"}},
        ),
        "case": (
            "conversations/",
            {"cases": [{"name": "parcel", "case_id": parcel}]},
            {"cases": [{"name": "parcel", "case_id": str(uuid4())}]},
        ),
        "case malformed": (
            "conversations/",
            {"cases": [{"name": "parcel", "case_id": "abc"}]},
            {"cases": [{"name": "nobody", "case_id": "1"}]},
        ),
        "chat": ("conversations/", {"chat": "finder"}, {"chat": "nobody"}),
    }


@pytest.mark.parametrize("name", bodies({"interaction_id": ""}, {"interaction_id": ""}, ""))
def test_s1_a_foreign_id_in_a_body_is_a_missing_one(traveller: Api, rival: Api, name: str) -> None:
    own, foreign = live(traveller), live(rival)
    path, with_foreign, with_missing = bodies(own, foreign, str(Parcel.objects.get(account=rival.account).pk))[name]
    before = row_counts()
    missing = traveller.post(path.format(**own), with_missing)
    problem_of(missing, 404, "not_found")
    assert likeness(traveller.post(path.format(**own), with_foreign)) == likeness(missing)
    assert row_counts() == before


def test_a_record_that_the_workflow_hides_is_a_missing_one(traveller: Api) -> None:
    hidden = Parcel.objects.create(account=traveller.account, name="Box", hidden_from=traveller.account)
    before = row_counts()
    problem_of(traveller.post("conversations/", {"cases": [{"name": "parcel", "case_id": str(hidden.pk)}]}), 404, "not_found")
    assert row_counts() == before


def test_a_key_of_another_user_is_another_key(traveller: Api, rival: Api) -> None:
    answers = []
    for api in (traveller, rival):
        conversation = api.open()
        first = api.say(conversation, "hello", client_turn_id="k")
        again = api.say(conversation, "hello", client_turn_id="k")
        assert (first.status_code, again.status_code) == (201, 200)
        assert again.content == first.content
        answers.append(first.content)
    assert answers[0] != answers[1]


def test_a_cursor_of_another_user_shows_ones_own(traveller: Api, rival: Api) -> None:
    mine = [traveller.open() for _ in range(2)]
    for _ in range(51):
        rival.open()
    cursor = rival.get("conversations/").json()["next"]
    shown = {one["conversation_id"] for one in traveller.get(f"conversations/?cursor={cursor}").json()["results"]}
    assert shown <= set(mine)


def test_an_address_nobody_made_is_the_sites_own_business(traveller: Api) -> None:
    assert traveller.client.get(f"{ROOT}conversations/{uuid4()}/secrets/").status_code == 404
