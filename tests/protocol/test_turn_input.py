"""What a user may send to begin a turn, and what is refused before anything is read."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnframe_django import codec
from turnframe_django.exceptions import Problem
from turnframe_django.protocol.inputs import InputLimits
from turnframe_django.protocol.turns import TurnInput, parse_turn_input

LIMITS = InputLimits(max_text_length=20, max_body_bytes=4096, locales=frozenset({"en", "it"}))
CARD = "01890000-0000-7000-8000-000000000001"
RESPONSE = {"interaction_id": CARD, "option_id": "yes", "expected_case_revision": 3}


def parse(body: Any, header: str | None = None, limits: InputLimits = LIMITS) -> TurnInput:
    return parse_turn_input(body if isinstance(body, bytes) else json.dumps(body).encode(), header, limits)


def refused(body: Any, code: str, header: str | None = None) -> Problem:
    with pytest.raises(Problem) as caught:
        parse(body, header)
    assert caught.value.code == code, caught.value.members
    return caught.value


def faults(body: Any, header: str | None = None) -> list[tuple[str, str]]:
    errors: Any = refused(body, "invalid_input", header).members["errors"]
    return [(error["pointer"], error["code"]) for error in errors]


# --- shape -----------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("body", [{}, {"text": ""}, {"text": " \n\t\u2003"}, {"text": None}, {"client_turn_id": "a"}, {"locale": "it"}])
def test_f1_a_turn_without_words_and_without_an_answer_is_empty(body: dict[str, Any]) -> None:
    refused(body, "empty_turn")


def test_f3_an_answer_alone_is_a_turn() -> None:
    turn = parse({"interaction_response": RESPONSE, "text": "  "})
    assert turn.text is None
    assert turn.interaction_response is not None
    assert turn.interaction_response.interaction_id == CARD
    assert turn.interaction_response.freeform_input is None


def test_f5_a_text_as_long_as_the_limit_is_taken_and_one_more_character_is_not() -> None:
    assert parse({"text": "é" * 20}).text == "é" * 20
    assert refused({"text": "é" * 21}, "text_too_long").members == {"max_len": 20}


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"text": "a", "action": "x"}, "/action"),
        ({"text": "a", "__proto__": {}}, "/__proto__"),
        ({"text": "a", "messages": []}, "/messages"),
        ({"interaction_response": {**RESPONSE, "payload": {}}}, "/interaction_response/payload"),
        ({"interaction_response": {**RESPONSE, "command": "delete_all"}}, "/interaction_response/command"),
        ({"text": "a", "origin": {"name": "trip", "case_id": "1", "account": "x"}}, "/origin/account"),
        ({"text": "a", "a/b~c": 1}, "/a~1b~0c"),
    ],
)
def test_f6_an_unknown_member_is_refused_where_it_stands(body: dict[str, Any], pointer: str) -> None:
    assert faults(body) == [(pointer, "unknown_member")]


def test_text_is_kept_as_it_was_typed() -> None:
    assert parse({"text": "  a\u202e 🏳️‍🌈\n"}).text == "  a\u202e 🏳️‍🌈\n"


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ({"text": 1}, ("/text", "wrong_type")),
        ({"text": ["a"]}, ("/text", "wrong_type")),
        ({"text": "a", "client_turn_id": 7}, ("/client_turn_id", "wrong_type")),
        ({"text": "a", "seen_ordinal": "1"}, ("/seen_ordinal", "wrong_type")),
        ({"text": "a", "seen_ordinal": True}, ("/seen_ordinal", "wrong_type")),
        ({"text": "a", "seen_ordinal": 1.0}, ("/seen_ordinal", "wrong_type")),
        ({"text": "a", "seen_ordinal": -1}, ("/seen_ordinal", "out_of_range")),
        ({"text": "a", "expected_revision": -1}, ("/expected_revision", "out_of_range")),
        ({"text": "a", "origin": "trip"}, ("/origin", "wrong_type")),
        ({"text": "a", "origin": {"name": "trip"}}, ("/origin/case_id", "missing")),
        ({"text": "a", "origin": {"name": "", "case_id": "1"}}, ("/origin/name", "too_short")),
        ({"text": "a", "origin": {"name": "trip", "case_id": "1" * 81}}, ("/origin/case_id", "too_long")),
        ({"text": "a", "locale": "xx"}, ("/locale", "unknown_locale")),
        ({"text": "a", "locale": "EN"}, ("/locale", "unknown_locale")),
        ({"interaction_response": [RESPONSE]}, ("/interaction_response", "wrong_type")),
        (
            {"interaction_response": {**RESPONSE, "expected_case_revision": "3"}},
            ("/interaction_response/expected_case_revision", "wrong_type"),
        ),
        ({"interaction_response": {**RESPONSE, "interaction_id": 5}}, ("/interaction_response/interaction_id", "wrong_type")),
        ({"interaction_response": {**RESPONSE, "option_id": None}}, ("/interaction_response/option_id", "wrong_type")),
        ({"interaction_response": {**RESPONSE, "freeform_input": 1}}, ("/interaction_response/freeform_input", "wrong_type")),
        ([], ("", "wrong_type")),
        ("text", ("", "wrong_type")),
        (None, ("", "wrong_type")),
        (True, ("", "wrong_type")),
    ],
)
def test_a_wrong_type_is_refused_where_it_stands(body: Any, fault: tuple[str, str]) -> None:
    assert faults(body) == [fault]


def test_every_fault_is_named_at_once_but_not_ten_thousand() -> None:
    assert len(faults({"text": 1, "seen_ordinal": "1", "x": 1})) == 3
    assert len(faults({f"k{n}": n for n in range(300)})) == 20


def test_a_refusal_repeats_neither_values_nor_long_names() -> None:
    problem = refused({"text": ["secret"], "n" * 500: 1}, "invalid_input")
    assert "secret" not in str(problem.members)
    assert "nnnn" not in str(problem.members)


@pytest.mark.parametrize("card", ["", "abc", CARD[:-1], CARD + "0", f"{{{CARD}}}", f"urn:uuid:{CARD}", CARD.replace("-", ""), "٠" * 36])
def test_an_id_nobody_can_have_is_not_found(card: str) -> None:
    refused({"interaction_response": {**RESPONSE, "interaction_id": card}}, "not_found")


def test_a_malformed_body_is_invalid_before_its_id_is_unknown() -> None:
    assert faults({"interaction_response": {**RESPONSE, "interaction_id": "abc", "x": 1}}) == [
        ("/interaction_response/x", "unknown_member")
    ]


def test_an_id_in_capitals_is_the_same_id() -> None:
    turn = parse({"interaction_response": {**RESPONSE, "interaction_id": CARD.upper()}})
    assert turn.digest == parse({"interaction_response": RESPONSE}).digest


# --- json ------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "invalid_json"),
        (b"{", "invalid_json"),
        (b'{"text":"a"} x', "invalid_json"),
        (b'\xef\xbb\xbf{"text":"a"}', "invalid_json"),
        ('{"text":"a"}'.encode("utf-16"), "invalid_json"),
        (b'{"text":"\xff"}', "invalid_json"),
        (b'{"text":"a","text":"b"}', "duplicate_key"),
        (b'{"text":"a","seen_ordinal":NaN}', "not_finite"),
        (b'{"text":"a","seen_ordinal":1e999}', "not_finite"),
        (b'{"text":"a","seen_ordinal":9007199254740993}', "integer_range"),
        (b'{"text":' + b"[" * 100 + b"]" * 100 + b"}", "too_deep"),
    ],
)
def test_what_is_not_strict_json_is_invalid(body: bytes, code: str) -> None:
    assert [fault[1] for fault in faults(body)] == [code]


@pytest.mark.parametrize(
    "body", [b'{"text":"a\\u0000b"}', b'{"text":"\\ud83d"}', b'{"\\udc00":1}', b'{"origin":{"name":"\\u0000","case_id":"1"},"text":"a"}']
)
def test_text_that_no_database_keeps_is_refused_wherever_it_stands(body: bytes) -> None:
    refused(body, "invalid_text")


def test_a_value_that_was_decoded_elsewhere_is_held_to_the_same() -> None:
    with pytest.raises(Problem, match="invalid_text"):
        parse_turn_input({"text": "a\x00"}, None, LIMITS)
    assert parse_turn_input({"text": "a"}, None, LIMITS).text == "a"


def test_a_long_body_is_refused_before_it_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codec, "decode", lambda *_arguments, **_options: pytest.fail("it was parsed"))
    assert refused(b" " * 4097, "payload_too_large").members == {"max_bytes": 4096}


# --- keys ------------------------------------------------------------------------------------------------------------------------------


def test_a_key_comes_in_the_body_or_in_the_header() -> None:
    assert parse({"text": "a", "client_turn_id": "k"}).client_turn_id == "k"
    assert parse({"text": "a"}, "k").client_turn_id == "k"
    assert parse({"text": "a", "client_turn_id": "k"}, "k").client_turn_id == "k"
    assert parse({"text": "a"}).client_turn_id is None


def test_two_different_keys_are_refused() -> None:
    assert faults({"text": "a", "client_turn_id": "k"}, "other") == [("/client_turn_id", "conflict")]


@pytest.mark.parametrize("key", ["", "é", "a\nb", "a\x7f", "k" * 256, "\ud83d\ude00"])
def test_a_key_is_1_to_255_printable_ascii_characters(key: str) -> None:
    assert faults({"text": "a", "client_turn_id": key}) == [("/client_turn_id", "invalid_key")]
    assert faults({"text": "a"}, key) == [("/client_turn_id", "invalid_key")]


@pytest.mark.parametrize("key", ["k", "k" * 255, "a b", "~!{}"])
def test_any_other_key_is_taken(key: str) -> None:
    assert parse({"text": "a"}, key).client_turn_id == key


@pytest.mark.parametrize("prefix", ["callback:", "worker:", "operator:", "application:"])
def test_the_servers_own_keys_are_refused(prefix: str) -> None:
    assert faults({"text": "a", "client_turn_id": f"{prefix}airline:1"}) == [("/client_turn_id", "reserved")]
    assert faults({"text": "a"}, prefix) == [("/client_turn_id", "reserved")]


# --- what is kept ----------------------------------------------------------------------------------------------------------------------


def test_the_input_is_kept_without_its_key_and_without_absent_members() -> None:
    turn = parse({"client_turn_id": "k", "text": "a", "origin": None, "seen_ordinal": 0, "locale": "it"})
    assert turn.stored_text == '{"locale":"it","seen_ordinal":0,"text":"a"}'
    assert turn.digest == codec.digest(turn.stored_text)


def test_free_text_is_kept_even_when_it_is_blank() -> None:
    turn = parse({"interaction_response": {**RESPONSE, "freeform_input": " "}})
    assert turn.stored_text == (
        f'{{"interaction_response":{{"expected_case_revision":3,"freeform_input":" ","interaction_id":"{CARD}","option_id":"yes"}}}}'
    )


def test_a_digest_does_not_depend_on_key_order_spelling_or_absence() -> None:
    one = parse(b'{"text":"\\u00e9","seen_ordinal":1,"interaction_response":null}')
    other = parse('{ "seen_ordinal": 1, "text": "é" }'.encode(), "another key")
    assert one.digest == other.digest
    assert one.digest != parse({"text": "é", "seen_ordinal": 2}).digest


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
MEMBERS = st.sampled_from(["text", "client_turn_id", "interaction_response", "origin", "locale", "seen_ordinal", "expected_revision", "x"])


@given(st.dictionaries(MEMBERS, JSON, max_size=5))
def test_i4_any_body_is_taken_or_refused_with_a_problem(body: dict[str, Any]) -> None:
    try:
        turn = parse_turn_input(json.dumps(body).encode(), None, LIMITS)
    except Problem as problem:
        codec.encode(problem.members)
    else:
        assert codec.decode(turn.stored_text) == turn.stored_input()
