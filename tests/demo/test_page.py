"""The page, used as a browser without JavaScript uses it: links, forms, redirects."""

import re
from collections.abc import Mapping
from html import unescape
from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse

from demo_project.travel.models import Trip
from turnframe_django.models import Conversation, DomainEvent, Interaction, Turn
from turnframe_django.runtime import deliver_outbox


def open_one(client: Client) -> str:
    answer = client.post(reverse("travel:start"))
    assert answer.status_code == 302
    return str(answer["Location"])


def say(client: Client, url: str, text: str, key: str = "") -> str:
    """Send a message and return the page it leads to."""
    answer = client.post(f"{url}say/", {"text": text, "client_turn_id": key})
    assert answer.status_code == 302, answer.content.decode()
    return see(client, url)


def see(client: Client, url: str) -> str:
    answer = client.get(url)
    assert answer.status_code == 200
    return answer.content.decode()


def forms(html: str) -> list[dict[str, str]]:
    """Return the fields of each card form that could be sent now."""
    found = re.findall(r'<form method="post" action="[^"]*/answer/".*?</form>', html, re.DOTALL)
    return [{name: unescape(value) for name, value in re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form)} for form in found]


def click(client: Client, url: str, option: str, **more: str) -> Mapping[str, str]:
    sent = next(form for form in forms(see(client, url)) if form["option_id"] == option)
    answer = client.post(f"{url}answer/", {**sent, **more})
    assert answer.status_code == 302, answer.content.decode()
    return sent


@pytest.fixture
def talk(traveller: Client) -> str:
    """A conversation with a trip to Lisbon."""
    url = open_one(traveller)
    say(traveller, url, "Start a trip to Lisbon")
    return url


def test_a_visitor_is_asked_to_sign_in(client: Client, db: None) -> None:
    assert client.get("/")["Location"] == "/login/?next=/"


def test_the_login_page_names_the_logins_on_a_developers_machine_only(client: Client, settings: object, db: None) -> None:
    assert "<code>traveller</code>" not in client.get("/login/").content.decode()
    settings.DEBUG = True  # type: ignore[attr-defined]
    assert "<code>traveller</code>" in client.get("/login/").content.decode()


def test_signing_in_and_out_works(client: Client, django_user_model: type, db: None) -> None:
    django_user_model.objects.create_user(username="traveller", password="traveller")  # type: ignore[attr-defined]
    assert client.post("/login/", {"username": "traveller", "password": "wrong"}).status_code == 200
    assert client.post("/login/", {"username": "traveller", "password": "traveller", "next": "/"})["Location"] == "/"
    assert client.get("/").status_code == 200
    assert client.post("/logout/").status_code == 302
    assert client.get("/").status_code == 302


def test_the_root_leads_to_the_newest_conversation(traveller: Client) -> None:
    assert "New conversation" in traveller.get("/").content.decode()
    url = open_one(traveller)
    assert traveller.get("/")["Location"] == url


def test_a_message_is_answered_with_a_receipt_and_the_trip_beside_it(traveller: Client, talk: str) -> None:
    html = see(traveller, talk)
    assert "Start a trip to Lisbon" in html
    assert "Trip started" in html
    assert "Rests on one committed event" in html
    assert "<h2>Lisbon</h2>" in html


def test_a_card_is_answered_by_a_plain_form(traveller: Client, talk: str) -> None:
    html = say(traveller, talk, "rebook it")
    assert "Rebook Lisbon to" in html
    click(traveller, talk, "confirm")
    html = see(traveller, talk)
    assert "Rebooking requested" in html
    assert forms(html) == []
    assert "Answered" in html
    assert 'class="tf-button tf-primary tf-chosen" disabled' in html
    assert "The airline has not answered yet." in html


def test_sending_a_card_form_twice_is_one_effect(traveller: Client, talk: str) -> None:
    say(traveller, talk, "rebook it")
    sent = click(traveller, talk, "confirm")
    turns = Turn.objects.count()
    again = traveller.post(f"{talk}answer/", sent)
    assert again.status_code == 302
    assert again["Location"].endswith(f"#turn-{Turn.objects.get(ordinal=3).pk}")
    assert Turn.objects.count() == turns
    assert DomainEvent.objects.filter(type="trip.rebooking_requested").count() == 1


def test_sending_a_message_twice_is_one_turn(traveller: Client, talk: str) -> None:
    for _ in range(2):
        say(traveller, talk, "add a bag", "the-same-form")
    assert DomainEvent.objects.filter(type="trip.extra_added").count() == 1


def test_a_decline_may_say_why(traveller: Client, talk: str) -> None:
    say(traveller, talk, "withdraw the trip")
    click(traveller, talk, "decline", freeform_input="We still hope to go.")
    html = see(traveller, talk)
    assert "We still hope to go." in html
    assert "Declined" in html
    assert Interaction.objects.get().status == "declined"


def test_a_blank_reason_is_no_reason(traveller: Client, talk: str) -> None:
    say(traveller, talk, "withdraw the trip")
    click(traveller, talk, "decline", freeform_input="   ")
    assert Interaction.objects.get().status == "declined"


def test_words_with_an_option_that_takes_none_are_refused_in_words(traveller: Client, talk: str) -> None:
    html = say(traveller, talk, "rebook it")
    sent = next(form for form in forms(html) if form["option_id"] == "confirm")
    answer = traveller.post(f"{talk}answer/", {**sent, "freeform_input": "TF 999"})
    assert answer.status_code == 422
    assert 'data-code="freeform_not_allowed"' in answer.content.decode()
    assert Interaction.objects.get().status == "active"


def test_a_refused_answer_is_told_at_its_card_and_its_words_stay(traveller: Client, talk: str) -> None:
    html = say(traveller, talk, "withdraw the trip")
    sent = next(form for form in forms(html) if form["option_id"] == "decline")
    words = '<b>"so"</b> \\1 ' + "x" * 200
    answer = traveller.post(f"{talk}answer/", {**sent, "freeform_input": words})
    html = answer.content.decode()
    assert answer.status_code == 422
    assert html.count('role="alert"') == 1
    assert html.index('role="alert"') < html.index(f'id="card-{sent["interaction_id"]}"')
    assert re.search(r'role="alert".{0,400}id="card-', html, re.DOTALL)
    kept = re.findall(r'name="freeform_input" value="([^"]*)" aria-invalid="true"', html)
    assert [unescape(value) for value in kept] == [words]
    assert "aria-invalid" not in html[html.index("<textarea") :]


def test_a_refused_answer_to_a_card_on_an_older_page_is_told_neutrally(traveller: Client, talk: str) -> None:
    sent = next(form for form in forms(say(traveller, talk, "withdraw the trip")) if form["option_id"] == "decline")
    for number in range(21):
        say(traveller, talk, f"call it 'Plan {number:02}'")
    answer = traveller.post(f"{talk}answer/", {**sent, "freeform_input": "x" * 201})
    html = answer.content.decode()
    assert answer.status_code in {409, 422}
    assert f"card-{sent['interaction_id']}" not in html
    assert html.count('role="alert"') == 1
    assert "aria-invalid" not in html


def test_coming_back_to_where_a_form_was_sent_leads_to_the_conversation(
    traveller: Client, talk: str, rival: Client, client: Client
) -> None:
    for address in ("say/", "answer/"):
        answer = traveller.get(talk + address)
        assert (answer.status_code, answer["Location"]) == (302, talk)
        assert client.get(talk + address)["Location"].startswith("/login/")
        assert rival.get(rival.get(talk + address)["Location"]).status_code == 404
    assert traveller.get(reverse("travel:start"))["Location"] == "/"
    assert Turn.objects.count() == 1


def test_a_day_reads_the_same_on_the_page_and_in_the_receipt(traveller: Client, talk: str) -> None:
    html = say(traveller, talk, "set the date to 12 May 2027")
    assert "You leave on May 12, 2027." in html
    assert "<dd>May 12, 2027</dd>" in html


def test_a_card_of_an_older_state_is_refused_in_words(traveller: Client, talk: str) -> None:
    sent = next(form for form in forms(say(traveller, talk, "rebook it")) if form["option_id"] == "confirm")
    say(traveller, talk, "add a bag")
    answer = traveller.post(f"{talk}answer/", sent)
    assert answer.status_code == 409
    assert 'role="alert"' in answer.content.decode()
    assert not DomainEvent.objects.filter(type="trip.rebooking_requested").exists()


@pytest.mark.parametrize("revision", ["", "x", "-1", "9" * 30, "1.0", "²"])
def test_a_revision_that_is_none_is_refused(traveller: Client, talk: str, revision: str) -> None:
    sent = next(form for form in forms(say(traveller, talk, "rebook it")) if form["option_id"] == "confirm")
    assert traveller.post(f"{talk}answer/", {**sent, "expected_case_revision": revision}).status_code in {400, 409}
    assert Interaction.objects.get().status == "active"


def test_a_message_that_is_refused_stays_in_the_box(traveller: Client, talk: str) -> None:
    text = "name it <Lisbon> " + "x" * 50_000
    answer = traveller.post(f"{talk}say/", {"text": text})
    html = answer.content.decode()
    assert answer.status_code == 400
    assert 'data-code="text_too_long"' in html
    assert "name it &lt;Lisbon&gt;" in html


def test_an_empty_message_is_refused(traveller: Client, talk: str) -> None:
    assert traveller.post(f"{talk}say/", {"text": "  \n "}).status_code == 400
    assert traveller.post(f"{talk}say/", {}).status_code == 400


def test_without_an_interpreter_the_page_says_so(traveller: Client, talk: str, settings: object) -> None:
    settings.TURNFRAME = {}  # type: ignore[attr-defined]
    answer = traveller.post(f"{talk}say/", {"text": "add a bag"})
    assert answer.status_code == 503
    assert 'data-code="assistant_unavailable"' in answer.content.decode()


def test_what_a_user_writes_is_text_everywhere(traveller: Client, talk: str) -> None:
    html = say(traveller, talk, "call it '<script>alert(1)</script>'")
    assert Trip.objects.get().name == "<script>alert(1)</script>"
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


def test_a_form_without_the_token_is_refused(traveller: Client, talk: str) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = traveller.cookies
    assert strict.post(f"{talk}say/", {"text": "add a bag"}).status_code == 403
    assert strict.post(f"{talk}answer/", {}).status_code == 403


def test_another_accounts_conversation_does_not_exist(traveller: Client, talk: str, rival: Client) -> None:
    say(traveller, talk, "rebook it")
    sent = forms(see(traveller, talk))[0]
    assert rival.get(talk).status_code == 404
    assert rival.post(f"{talk}say/", {"text": "add a bag"}).status_code == 404
    assert rival.post(f"{talk}answer/", sent).status_code == 404
    own = open_one(rival)
    assert rival.post(f"{own}answer/", sent).status_code == 404
    assert "Lisbon" not in see(rival, own)


def test_older_turns_are_a_page_away(traveller: Client, talk: str) -> None:
    for number in range(25):
        say(traveller, talk, f"call it 'Plan {number:02}'")
    latest = see(traveller, talk)
    assert "Earlier in this conversation" in latest
    assert "Start a trip to Lisbon" not in latest
    older = re.search(r'href="\?before=(\d+)', latest)
    assert older is not None
    first = see(traveller, f"{talk}?before={older[1]}")
    assert "Start a trip to Lisbon" in first
    assert "Back to the latest" in first
    assert "Plan 24&#x27;" not in first
    for nonsense in ("x", "-1", "9" * 40, ""):
        assert traveller.get(f"{talk}?before={nonsense}").status_code == 200


def test_a_page_takes_the_same_number_of_statements_however_long_the_conversation_is(
    traveller: Client, talk: str, django_assert_max_num_queries: object
) -> None:
    say(traveller, talk, "add a bag. rebook it")
    for number in range(22):
        say(traveller, talk, f"call it 'Plan {number:02}'")
    with django_assert_max_num_queries(16):  # type: ignore[operator]
        see(traveller, talk)


def test_the_airlines_answer_is_shown_as_news(traveller: Client, talk: str) -> None:
    say(traveller, talk, "rebook it")
    click(traveller, talk, "confirm")
    deliver_outbox()
    html = see(traveller, talk)
    assert "From the airline" in html
    assert "Ticket issued" in html
    assert "The airline has not answered yet." not in html


def test_the_itinerary_is_its_own_accounts_alone(traveller: Client, talk: str, rival: Client, client: Client) -> None:
    trip = Trip.objects.get()
    url = reverse("travel:itinerary", args=[trip.pk])
    assert traveller.get(url).status_code == 404  # not ticketed yet
    say(traveller, talk, "rebook it")
    click(traveller, talk, "confirm")
    deliver_outbox()
    assert f'href="{url}"' in see(traveller, talk)
    answer = traveller.get(url)
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/plain; charset=utf-8")
    assert answer["Content-Disposition"] == 'attachment; filename="itinerary-lisbon.txt"'
    assert answer.content.decode().startswith("Lisbon\nFlight: ")
    assert rival.get(url).status_code == 404
    assert traveller.get(reverse("travel:itinerary", args=[UUID(int=0)])).status_code == 404
    assert client.get(url).status_code == 302


def test_the_list_at_the_side_is_known_by_the_trips(traveller: Client, talk: str) -> None:
    open_one(traveller)
    html = see(traveller, talk)
    assert '<span class="title">Lisbon</span>' in html
    assert '<span class="title">New conversation</span>' in html
    assert Conversation.objects.count() == 2


def test_the_page_speaks_italian(traveller: Client, talk: str) -> None:
    html = traveller.get(talk, headers={"Accept-Language": "it"}).content.decode()
    assert '<html lang="it">' in html
    assert "Nuova conversazione" in html
