"""Bad input: a clear problem with its code, no row written, never a 500. A corpus stands in every slot of every address."""

import io
import json
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.handlers.asgi import ASGIRequest
from django.test import Client, RequestFactory

from tests.api.conftest import Answer, Api, problem_of, row_counts
from turnframe_django.api.conversations import ConversationViewSet

pytestmark = pytest.mark.django_db

BODIES: dict[str, tuple[bytes, int, str]] = {
    "nothing": (b"", 400, "invalid_input"),
    "an empty object": (b"{}", 400, "empty_turn"),
    "blank text": (b'{"text":" \\n"}', 400, "empty_turn"),
    "an array": (b"[]", 400, "invalid_input"),
    "a string": (b'"text"', 400, "invalid_input"),
    "null": (b"null", 400, "invalid_input"),
    "half an object": (b'{"text":"a"', 400, "invalid_input"),
    "trailing garbage": (b'{"text":"a"}]', 400, "invalid_input"),
    "a byte order mark": (b'\xef\xbb\xbf{"text":"a"}', 400, "invalid_input"),
    "utf-16": ('{"text":"a"}'.encode("utf-16"), 400, "invalid_input"),
    "invalid utf-8": (b'{"text":"\xff"}', 400, "invalid_input"),
    "an unknown member": (b'{"text":"a","action":"x"}', 400, "invalid_input"),
    "a wrong type": (b'{"text":1}', 400, "invalid_input"),
    "NaN": (b'{"text":"a","seen_ordinal":NaN}', 400, "invalid_input"),
    "infinity": (b'{"text":"a","seen_ordinal":-Infinity}', 400, "invalid_input"),
    "an overflow": (b'{"text":"a","seen_ordinal":1e999}', 400, "invalid_input"),
    "400 digits": (b'{"text":"a","seen_ordinal":' + b"9" * 400 + b"}", 400, "invalid_input"),
    "5,000 digits": (b'{"text":"a","seen_ordinal":' + b"9" * 5000 + b"}", 400, "invalid_input"),
    "a duplicate key": (b'{"text":"a","text":"b"}', 400, "invalid_input"),
    "U+0000": (b'{"text":"a\\u0000"}', 400, "invalid_text"),
    "U+0000 inside": (b'{"text":"a","origin":{"name":"\\u0000","case_id":"1"}}', 400, "invalid_text"),
    "a lone surrogate": (b'{"text":"\\ud83d"}', 400, "invalid_text"),
    "a lone surrogate in a name": (b'{"\\ud83d":1}', 400, "invalid_text"),
    "33 levels": (b'{"text":' + b"[" * 40 + b"]" * 40 + b"}", 400, "invalid_input"),
    "10,000 levels": (b"[" * 10_000 + b"]" * 10_000, 400, "invalid_input"),
    "10,000 levels of objects": (b'{"a":' * 10_000, 400, "invalid_input"),
    "10,000 members": (json.dumps({f"k{n}": n for n in range(10_000)}).encode(), 400, "invalid_input"),
    "100,000 items": (json.dumps({"text": list(range(100_000))}).encode(), 400, "invalid_input"),
    "50,001 characters": (json.dumps({"text": "a" * 50_001}).encode(), 400, "text_too_long"),
    "1 MiB and a byte": (b'{"text":"' + b"a" * (1024 * 1024), 413, "payload_too_large"),
    "10 MB": (b'{"text":"' + b"a" * 10_000_000 + b'"}', 413, "payload_too_large"),
    "a key that is no ASCII": ('{"text":"a","client_turn_id":"é"}'.encode(), 400, "invalid_input"),
    "a key of 256 characters": (json.dumps({"text": "a", "client_turn_id": "k" * 256}).encode(), 400, "invalid_input"),
    "a key of the server's": (b'{"text":"a","client_turn_id":"callback:airline:1"}', 400, "invalid_input"),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_bad_turn_is_a_problem_and_writes_nothing(traveller: Api, name: str) -> None:
    body, status, code = BODIES[name]
    conversation = traveller.open()
    before = row_counts()
    problem_of(traveller.post(f"conversations/{conversation}/turns/", body), status, code)
    assert row_counts() == before


@pytest.mark.parametrize("name", [name for name in BODIES if "key" not in name and BODIES[name][1:] != (400, "empty_turn")])
def test_a_bad_conversation_is_a_problem_and_writes_nothing(traveller: Api, name: str) -> None:
    body, status, code = BODIES[name]
    before = row_counts()
    problem_of(traveller.post("conversations/", body), status, "invalid_input" if code == "text_too_long" else code)
    assert row_counts() == before


@pytest.mark.parametrize("path", ["conversations/", "conversations/{}/turns/"])
@pytest.mark.parametrize(
    "content_type",
    [
        "",
        "text/plain",
        "text/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/*",
        "*/*",
        "application/jsonp",
        "application/json; charset=utf-16",
        "application/json; charset=latin-1",
        "application/problem+json",
        "application/xml",
    ],
)
def test_i3_only_json_in_utf_8_is_taken(traveller: Api, path: str, content_type: str) -> None:
    conversation = traveller.open()
    before = row_counts()
    problem_of(traveller.post(path.format(conversation), b'{"text":"a"}', content_type), 415, "unsupported_media_type")
    assert row_counts() == before


@pytest.mark.parametrize("content_type", ["application/json", "application/json; charset=utf-8", 'Application/JSON; charset="UTF-8"'])
def test_json_in_utf_8_is_taken(traveller: Api, content_type: str) -> None:
    assert traveller.post("conversations/", b"{}", content_type).status_code == 201


def test_i2_a_packed_body_is_not_unpacked(traveller: Api) -> None:
    response = traveller.post("conversations/", b"\x1f\x8b", **{"Content-Encoding": "gzip"})
    problem_of(response, 415, "unsupported_media_type")


def streamed(user: User, body: bytes, length: str | None = None) -> Answer:
    """POST a body as a server hands it on that takes chunks: whole, and without a stated length."""
    scope: dict[str, Any] = {
        "type": "http",
        "method": "POST",
        "path": "/turnframe/conversations/",
        "query_string": b"",
        "headers": [(b"content-type", b"application/json"), *([(b"content-length", length.encode())] if length is not None else [])],
    }
    request = ASGIRequest(scope, io.BytesIO(body))
    request.user = user
    request._dont_enforce_csrf_checks = True  # type: ignore[attr-defined]
    response: Answer = ConversationViewSet.as_view({"post": "create"})(request)
    response.render()
    return response


def test_i2_a_body_without_a_stated_length_is_read(traveller: Api) -> None:
    assert traveller.user is not None
    response = streamed(traveller.user, b'{"title":"Rome"}')
    assert response.status_code == 201, response.content
    assert json.loads(response.content)["title"] == "Rome"


@pytest.mark.parametrize("length", [None, "nonsense", "5"])
def test_i2_a_body_is_bounded_whatever_length_is_stated(traveller: Api, length: str | None) -> None:
    assert traveller.user is not None
    problem_of(streamed(traveller.user, b" " * (2 * 1024 * 1024), length), 413, "payload_too_large")


def test_a_long_body_is_refused_without_being_read(traveller: Api) -> None:
    class Unread(io.BytesIO):
        def read(self, *_arguments: Any) -> bytes:
            raise AssertionError("it was read")

    request = RequestFactory().post("/turnframe/conversations/", b"x", content_type="application/json")
    request.META["CONTENT_LENGTH"] = "10000000"
    request._stream = Unread()
    request.user = traveller.user  # type: ignore[assignment]
    request._dont_enforce_csrf_checks = True  # type: ignore[attr-defined]
    response = ConversationViewSet.as_view({"post": "create"})(request)
    response.render()
    problem_of(response, 413, "payload_too_large")


# --- a corpus in every slot ------------------------------------------------------------------------------------------------------------

CORPUS: dict[str, str] = {
    "empty": "",
    "blank": " ",
    "nul": "\x00",
    "lone surrogate": "\ud83d",
    "newline": "a\r\nSet-Cookie: x=1",
    "control": "\x01\x1b[31m",
    "bidi": "\u202eabc\u2066",
    "noncharacter": "\ufffe\uffff",
    "emoji": "🏳️‍🌈👨‍👩‍👧",
    "combining": "e" + "\u0301" * 200,
    "long": "a" * 60_000,
    "sql": "'; DROP TABLE turnframe_turn; --",
    "lookup": "owner__password__startswith",
    "markup": "<script>alert(1)</script>",
    "template": "{{7*7}}{%debug%}",
    "path": "../../etc/passwd",
    "percent": "%00%s%(x)s",
    "digits": "9" * 400,
    "negative": "-1",
    "nan": "NaN",
    "word": "null",
}
CARD = {"interaction_id": str(uuid4()), "option_id": "yes", "expected_case_revision": 0}
TURN_SLOTS = {
    "text": lambda word: {"text": word},
    "client_turn_id": lambda word: {"text": "a", "client_turn_id": word},
    "locale": lambda word: {"text": "a", "locale": word},
    "origin.name": lambda word: {"text": "a", "origin": {"name": word, "case_id": "1"}},
    "origin.case_id": lambda word: {"text": "a", "origin": {"name": "parcel", "case_id": word}},
    "interaction_id": lambda word: {"interaction_response": {**CARD, "interaction_id": word}},
    "option_id": lambda word: {"interaction_response": {**CARD, "option_id": word}},
    "freeform_input": lambda word: {"interaction_response": {**CARD, "freeform_input": word}},
    "a member's name": lambda word: {"text": "a", word: 1},
    "a number": lambda word: {"text": "a", "seen_ordinal": word},
}
CONVERSATION_SLOTS = {
    "title": lambda word: {"title": word},
    "locale": lambda word: {"locale": word},
    "chat": lambda word: {"chat": word},
    "cases.name": lambda word: {"cases": [{"name": word, "case_id": "1"}]},
    "cases.case_id": lambda word: {"cases": [{"name": "parcel", "case_id": word}]},
}


def survived(response: Answer) -> None:
    """A success, or a refusal with its document; never an error of ours."""
    assert response.status_code < 500, response.content
    if response.status_code >= 400:
        assert response["Content-Type"] == "application/problem+json", response.content
        assert json.loads(response.content)["status"] == response.status_code


@pytest.mark.parametrize("slot", TURN_SLOTS)
def test_i1_any_text_in_any_slot_of_a_turn_is_answered(traveller: Api, slot: str) -> None:
    conversation = traveller.open()
    for word in CORPUS.values():
        before = row_counts()
        response = traveller.post(f"conversations/{conversation}/turns/", TURN_SLOTS[slot](word))
        survived(response)
        if response.status_code >= 400:
            assert row_counts() == before, word
        elif slot == "text":
            assert response.json()["input"]["text"] == word


@pytest.mark.parametrize("slot", ["option_id", "freeform_input"])
def test_i1_any_text_in_a_click_on_a_live_card_is_answered(traveller: Api, slot: str) -> None:
    conversation, card = traveller.offered()
    for word in CORPUS.values():
        before = row_counts()
        response = traveller.click(conversation, card, response={slot: word})
        survived(response)
        assert response.status_code in {400, 422}, (word, response.content)
        assert row_counts() == before


@pytest.mark.parametrize("slot", CONVERSATION_SLOTS)
def test_i1_any_text_in_any_slot_of_a_conversation_is_answered(traveller: Api, slot: str) -> None:
    for word in CORPUS.values():
        before = row_counts()
        response = traveller.post("conversations/", CONVERSATION_SLOTS[slot](word))
        survived(response)
        if response.status_code >= 400:
            assert row_counts() == before, word


PLAIN = {name: word for name, word in CORPUS.items() if name not in {"lone surrogate", "newline"}}


@pytest.mark.parametrize("name", ["cursor", "after", "limit", "status", "owner__password__startswith", "format"])
@pytest.mark.parametrize("path", ["", "{}/", "{}/turns/", "{}/interactions/", "{}/frames/"])
def test_i1_any_text_in_a_query_is_answered(traveller: Api, path: str, name: str) -> None:
    address = f"/turnframe/conversations/{path.format(traveller.open())}"
    for word in PLAIN.values():
        response = traveller.client.get(address, {name: word[:2000]})
        survived(response)
        assert response.status_code == 400, (word, response.content)


@pytest.mark.parametrize(
    "header", ["Idempotency-Key", "Accept", "Accept-Language", "Content-Encoding", "Prefer", "X-Requested-With", "If-Match"]
)
def test_i1_any_text_in_a_header_is_answered(traveller: Api, header: str) -> None:
    conversation = traveller.open()
    for word in PLAIN.values():
        survived(traveller.post(f"conversations/{conversation}/turns/", {"text": "a"}, **{header: word[:2000]}))


def test_i1_a_content_type_of_any_text_is_answered(traveller: Api) -> None:
    for word in PLAIN.values():
        problem_of(traveller.post("conversations/", b"{}", word[:2000]), 415, "unsupported_media_type")


@pytest.mark.parametrize("word", ["limit=1&limit=2", "after=1&after=1"])
def test_a_parameter_is_given_once(traveller: Api, word: str) -> None:
    problem = problem_of(traveller.get(f"conversations/{traveller.open()}/turns/?{word}"), 400, "invalid_input")
    assert problem["errors"][0]["code"] == "given_twice"


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("limit=0", "/limit"),
        ("limit=201", "/limit"),
        ("limit=1.5", "/limit"),
        ("after=-1", "/after"),
        ("after=9223372036854775808", "/after"),
    ],
)
def test_a_number_out_of_range_is_refused_where_it_stands(traveller: Api, query: str, pointer: str) -> None:
    problem = problem_of(traveller.get(f"conversations/{traveller.open()}/turns/?{query}"), 400, "invalid_input")
    assert problem["errors"][0]["pointer"] == pointer


def test_a_query_name_that_no_text_may_hold_is_refused(traveller: Api) -> None:
    problem_of(traveller.get("conversations/?%00=1"), 400, "invalid_input")


def test_credentials_that_no_database_keeps_are_nobodys(client: Client) -> None:
    answer = client.get("/turnframe/conversations/", headers={"Authorization": "Basic ADp4"})
    assert (answer.status_code, answer.json()["code"]) == (401, "not_authenticated")
