"""The canonical text: one form, the same digest whatever order came in, and nothing in it that a database or a browser would change."""

import json
import math
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnframe_django import codec
from turnframe_django.codec import CodecError

CLEAN_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))
NUMBERS = st.integers(-codec.LARGEST_INTEGER, codec.LARGEST_INTEGER) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | CLEAN_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(CLEAN_TEXT, inner, max_size=4),
    max_leaves=20,
)


def refused(code: str, *arguments: Any, **options: Any) -> CodecError:
    with pytest.raises(CodecError) as caught:
        codec.decode(*arguments, **options)
    assert caught.value.code == code
    return caught.value


def test_g1_keys_in_any_order_at_any_depth_give_one_text_and_one_digest() -> None:
    one: codec.Json = {"b": [{"z": 1, "a": 2}], "a": {"d": None, "c": True}}
    other: codec.Json = {"a": {"c": True, "d": None}, "b": [{"a": 2, "z": 1}]}
    assert codec.encode(one) == codec.encode(other) == '{"a":{"c":true,"d":null},"b":[{"a":2,"z":1}]}'
    digest = codec.digest(codec.encode(one))
    assert digest == codec.digest(codec.encode(other))
    assert re.fullmatch("[0-9a-f]{64}", digest)


def test_digests_are_what_they_were_when_the_first_cards_were_stored() -> None:
    assert codec.digest("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert (
        codec.digest(codec.encode({"é": "🏳️‍🌈", "a": [1, -0.5, "\u2028"]}))
        == "477fcdbe8e9e780ecfe2dac4e978a8ac7796a36b7abf0a4a1e5232ad5963e113"
    )


@given(VALUES)
def test_canonical_text_comes_back_byte_for_byte(value: Any) -> None:
    text = codec.encode(value)
    assert codec.encode(codec.decode(text, max_depth=64)) == text


@given(VALUES)
def test_a_value_comes_back_equal(value: Any) -> None:
    assert codec.decode(codec.encode(value), max_depth=64) == value


@given(VALUES)
def test_any_other_spelling_of_a_value_reaches_the_same_text(value: Any) -> None:
    spelled = json.dumps(value, indent=1, ensure_ascii=True)
    assert codec.encode(codec.decode(spelled, max_depth=64)) == codec.encode(value)


@given(st.text() | st.binary())
def test_any_text_is_decoded_or_refused_with_a_code(text: str | bytes) -> None:
    try:
        value = codec.decode(text)
    except CodecError:
        return
    codec.encode(value)


def test_text_is_written_as_it_is() -> None:
    assert codec.encode("é\u2028\u202e\ufffe🏳️‍🌈</script>") == '"é\u2028\u202e\ufffe🏳️‍🌈</script>"'


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", '{"a":[NaN]}', "1e999", "-1e999"])
def test_what_is_not_a_number_is_refused(text: str) -> None:
    refused("not_finite", text)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, {"a": [math.nan]}])
def test_what_is_not_a_number_is_never_written(value: Any) -> None:
    with pytest.raises(CodecError, match="finite"):
        codec.encode(value)


@pytest.mark.parametrize("text", ['"\\u0000"', '["a\\u0000b"]', '{"\\u0000":1}', '"\\ud83d"', '{"a":{"b":"\\udc00x"}}', '"\ud800"'])
def test_text_that_no_database_keeps_is_refused_wherever_it_stands(text: str) -> None:
    refused("invalid_text", text)


def test_a_refusal_points_at_its_place() -> None:
    assert refused("invalid_text", '{"a/b":[{"~":"\\u0000"}]}').pointer == "/a~1b/0/~0"


def test_a_whole_emoji_is_no_lone_surrogate() -> None:
    assert codec.decode('"\\ud83d\\ude00"') == "😀"


@pytest.mark.parametrize("text", ['{"a":1,"a":1}', '[{"b":{"a":1,"\\u0061":2}}]'])
def test_a_member_named_twice_is_refused(text: str) -> None:
    refused("duplicate_key", text)


@pytest.mark.parametrize("number", [2**53 + 1, -(2**53) - 1, int("9" * 400)])
def test_an_integer_that_a_browser_would_round_is_refused(number: int) -> None:
    refused("integer_range", str(number))


def test_the_largest_integers_are_kept() -> None:
    assert codec.decode(f"[{2**53},{-(2**53)}]") == [2**53, -(2**53)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "{",
        "[1,]",
        "{'a':1}",
        "nul",
        "\ufeff{}",
        "{} {}",
        "[1] x",
        '"\n"',
        b"\xff\xfe{\x00}\x00",
        b'"\xff"',
        b"\xef\xbb\xbf{}",
        "9" * 5000,
    ],
)
def test_what_is_not_json_in_utf_8_is_refused(text: str | bytes) -> None:
    refused("invalid_json", text)


def test_a_float_has_no_place_in_a_hashed_payload() -> None:
    with pytest.raises(CodecError) as caught:
        codec.encode({"price": [1, 1.5]}, floats=False)
    assert (caught.value.code, caught.value.pointer) == ("float_forbidden", "/price/1")
    assert codec.encode({"price": "1.5"}, floats=False) == '{"price":"1.5"}'


@pytest.mark.parametrize("value", [{1: "a"}, ("a",), {"a": {1, 2}}, b"a", object()])
def test_what_has_no_json_form_is_not_written(value: Any) -> None:
    with pytest.raises(CodecError) as caught:
        codec.encode(value)
    assert caught.value.code == "invalid_json"


# --- depth -----------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_nesting_is_counted_in_levels(opening: str, closing: str) -> None:
    codec.decode(opening * 32 + "1" + closing * 32)
    refused("too_deep", opening * 33 + "1" + closing * 33)


@pytest.mark.parametrize("text", ["[" * 10_000, '{"a":' * 10_000, "[" * 10_000 + "]" * 10_000, '"x",' + "[" * 900])
def test_ten_thousand_levels_are_refused_before_anything_is_parsed(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json, "loads", lambda *_arguments, **_options: pytest.fail("it was parsed"))
    refused("too_deep", text)


def test_brackets_inside_text_are_no_levels() -> None:
    assert codec.decode(json.dumps({"a": '[[[["' * 100 + "\\"})) is not None


MIB = 1024 * 1024
ADVERSARIAL = {
    "an unfinished string of escapes": '"' + '\\"' * (MIB // 2),
    "an unfinished string": '"' + "a" * MIB,
    "backslashes without end": '"' + "\\" * MIB,
    "quotes": '"' * MIB,
    "empty strings": '""' * (MIB // 2),
    "siblings": "[" + "[]," * (MIB // 3),
    "brackets in strings": '"[",' * (MIB // 4),
    "plain text": "a" * MIB,
}


@pytest.mark.parametrize("text", ADVERSARIAL.values(), ids=ADVERSARIAL)
def test_the_depth_check_reads_every_character_once(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted, not timed: tokens never overlap, so what is looked at is at most what there is."""
    spans: list[tuple[int, int]] = []
    pattern = codec._STRING_OR_BRACKET

    class Counting:
        def finditer(self, subject: str) -> Iterator[re.Match[str]]:
            for token in pattern.finditer(subject):
                spans.append(token.span())
                yield token

    monkeypatch.setattr(codec, "_STRING_OR_BRACKET", Counting())
    codec._check_depth(text, 32)
    assert sum(end - start for start, end in spans) <= len(text)
    assert all(earlier[1] <= later[0] for earlier, later in pairwise(spans))
    # A string that never ends is one token: nothing starts over inside it.
    assert len(spans) <= text.count('"') + text.count("[") + text.count("]")
