"""Notices, told once per code."""

import pytest
from django.utils import translation

from turnframe_django import flow
from turnframe_django.flow.notices import NOTICES, REJECTIONS, merged, not_understood, notice, rejection
from turnframe_django.flow.text import placeholders


@pytest.mark.parametrize("code", [*REJECTIONS, *NOTICES])
@pytest.mark.parametrize("language", ["en", "it"])
def test_every_code_has_a_sentence_that_can_be_filled(code: str, language: str) -> None:
    with translation.override(language):
        told = rejection(code, words="rename the trip") if code in REJECTIONS else notice(code, words="rename the trip")
    assert told.code == code
    assert told.shown
    assert "{" not in told.shown


def test_sentences_ask_for_the_words_of_the_request_and_nothing_else() -> None:
    for text in [*REJECTIONS.values(), *(text for _severity, text in NOTICES.values())]:
        assert placeholders(str(text)) <= {"words"}


def test_a_domain_refusal_is_told_in_the_domain_s_words_or_in_a_plain_sentence() -> None:
    assert rejection("trip.full", "The trip is full.") == flow.Notice("trip.full", "warning", "The trip is full.")
    with translation.override("en"):
        assert rejection("trip.full", words="add a seat").text == "That was refused, so it was not done: add a seat."


def test_a_code_nobody_knows_is_an_error() -> None:
    with pytest.raises(KeyError):
        notice("turnframe.notice.nothing")


def test_notices_of_one_code_are_one_with_every_different_sentence() -> None:
    told = merged(
        [
            flow.Notice("a", "info", "One."),
            flow.Notice("b", "info", "B."),
            flow.Notice("a", "warning", "Two."),
            flow.Notice("a", "info", "One."),
        ]
    )
    assert [(item.code, item.severity, item.text) for item in told] == [("a", "warning", "One.\nTwo."), ("b", "info", "B.")]


def test_what_was_not_understood_is_one_notice() -> None:
    with translation.override("en"):
        assert not_understood([("", "unclear"), (" ", "no_operation")]).text == "This part was not understood."
        assert (
            not_understood([("fly me", "unclear"), ("", "unclear"), ("fly me", "unclear"), ("now", "unclear")]).text
            == "This part was not understood: “fly me”.\nThis part was not understood: “now”."
        )


def test_what_nothing_here_does_is_told_apart_from_what_was_unclear() -> None:
    with translation.override("en"):
        told = not_understood([("fly me", "no_operation"), ("hm", "unclear")])
        assert told.text == "Nothing that can be done here now does this: “fly me”.\nThis part was not understood: “hm”."
        assert not_understood([("", "no_operation")]).text == "That cannot be done here now."


def test_a_user_s_words_cannot_act_as_a_template() -> None:
    with translation.override("en"):
        assert "“{words.__class__}”" in str(not_understood([("{words.__class__}", "unclear")]).text)


def test_a_notice_that_the_wire_would_refuse_is_refused_where_it_is_written() -> None:
    for code, severity in (("Trip.Full", "info"), ("", "info"), ("trip.full", "success"), ("x" * 121, "info")):
        with pytest.raises(ValueError, match="A notice"):
            flow.Notice(code, severity, "Full.")  # type: ignore[arg-type]
    assert flow.Notice("trip.full", "info", "").shown == "—"
