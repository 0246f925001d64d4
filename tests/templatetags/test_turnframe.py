"""A block as HTML: what was stored, escaped, with the state of its card."""

from datetime import timedelta
from typing import Any

import pytest
from django.template import Context, Template
from django.utils import timezone, translation

from tests.factories import BlockFactory
from turnframe_django import codec
from turnframe_django.models import Block, Interaction
from turnframe_django.protocol.times import rfc3339
from turnframe_django.templatetags.turnframe import turnframe_link

BLOCK = "01a22f70-b0f3-71b2-b877-9aa23e7ea1f6"
CARD = "01a22f70-b0f3-71b2-b877-9aa23e7ea1f7"
NASTY = "<img src=x onerror=alert(1)>\"' & {{ x }}"


def body(kind: str, **members: Any) -> str:
    return codec.encode({"block_id": BLOCK, "kind": kind, "schema_version": 1, **members})


def shown(block: Any, **given: Any) -> str:
    page = Template("{% load turnframe %}{% turnframe_block block states=states answer_url=answer_url %}")
    context = {"block": block, "states": given.get("states"), "answer_url": given.get("answer_url", ""), "csrf_token": "the-token"}
    return page.render(Context(context))


def card(*, expires_at: str | None = None, **more: Any) -> str:
    options: list[Any] = [
        {"option_id": "confirm", "label": "Rebook", "style": "primary", "freeform": {"mode": "forbidden"}},
        {"option_id": "decline", "label": "Not now", "style": "secondary", "freeform": {"mode": "optional", "max_len": 200}},
    ]
    ref = {"engine": "flow", "name": "trip", "case_id": "c1", "revision": 1200}
    interaction = {
        "interaction_id": CARD,
        "kind": "confirm_command",
        "blocking": True,
        "case_ref": ref,
        "title": "Rebook?",
        "options": options,
    }
    return body("interaction", interaction={**interaction, "expires_at": expires_at, **more})


def receipt(**more: Any) -> str:
    return body(
        "receipt",
        receipt={
            "receipt_id": BLOCK,
            "event_ids": [CARD],
            "severity": "success",
            "title": "Done",
            "body": "",
            "status_code": "trip.renamed",
            **more,
        },
    )


def state(status: str, option: str = "") -> dict[str, dict[str, str]]:
    return {CARD: {"status": status, "resolved_option_id": option}}


@pytest.mark.parametrize(
    "text",
    [
        body("transition", text=NASTY),
        body("answer", text=NASTY, status="answered", citations=[{"source": NASTY, "label": NASTY, "uri": "javascript:alert(1)"}]),
        body("notice", code="trip.note", severity="warning", text=NASTY),
        body("artifact", artifact={"artifact_id": "a", "label": NASTY, "media_type": "text/plain", "url": "javascript:alert(1)"}),
        receipt(title=NASTY, body=NASTY),
        card(
            title=NASTY, body=NASTY, freeform_prompt=NASTY, review_entries=[{"field": "f", "label": NASTY, "before": NASTY, "after": None}]
        ),
        body("view", name="result_cards", version=1, data={"title": NASTY}),
        body("hologram", text=NASTY),
        NASTY,
    ],
    ids=["transition", "answer", "notice", "artifact", "receipt", "card", "view", "unknown", "no body"],
)
def test_whatever_a_block_says_is_text(text: str) -> None:
    html = shown(text, states=state("active"), answer_url="/answer/")
    assert "<img" not in html
    assert 'href="javascript' not in html
    assert "onerror=alert(1)&gt;" in html or "view" in text


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/a?b=c#d",
        "HTTP://example.org",
        "mailto:ann@example.org",
        "/trips/1/",
        "trips/1/",
        "?page=2",
        "#top",
        "/a:b",
        "//example.org/",
    ],
)
def test_a_link_to_a_page_or_a_mailbox_is_kept(url: str) -> None:
    assert turnframe_link(url) == url


@pytest.mark.parametrize(
    "url",
    [
        "",
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "java\nscript:alert(1)",
        "\x01javascript:alert(1)",
        " javascript:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "file:///etc/passwd",
        "blob:https://example.org/1",
        "a&colon;b:c",
        "1javascript:alert(1)",
        "\\\\example.org",
        "http://[",
        "https://exa mple.org",
    ],
)
def test_any_other_link_is_dropped(url: str) -> None:
    assert turnframe_link(url) == ""


def test_an_open_card_has_a_form_for_each_answer() -> None:
    html = shown(card(), states=state("active"), answer_url="/answer/")
    assert html.count('<form method="post" action="/answer/"') == 2
    assert html.count('name="csrfmiddlewaretoken" value="the-token"') == 2
    assert f'name="interaction_id" value="{CARD}"' in html
    assert 'name="option_id" value="decline"' in html
    assert 'name="expected_case_revision" value="1200"' in html
    assert html.count('name="freeform_input"') == 1
    assert 'maxlength="200"' in html


def test_each_form_has_a_turn_key_of_its_own() -> None:
    html = shown(card(), states=state("active"), answer_url="/answer/")
    keys = {part.partition('"')[0] for part in html.split('name="client_turn_id" value="')[1:]}
    assert len(keys) == 2


def test_an_options_action_is_nowhere_on_the_page() -> None:
    assert "arguments" not in shown(card(), states=state("active"), answer_url="/answer/")


@pytest.mark.parametrize(
    ("status", "label"),
    [
        ("resolving", "Being answered"),
        ("resolved", "Answered"),
        ("declined", "Declined"),
        ("dismissed", "Put aside"),
        ("invalidated", "No longer valid"),
        ("expired", "Expired"),
        ("failed", "Could not be done"),
    ],
)
def test_a_card_that_is_over_shows_how_it_ended_and_no_button_works(status: str, label: str) -> None:
    html = shown(card(), states=state(status, "decline"), answer_url="/answer/")
    assert label in html
    assert "<form" not in html
    assert html.count(" disabled>") == 2
    assert html.count("tf-chosen") == 1


def test_a_card_past_its_time_is_shown_as_expired_before_anybody_settled_it() -> None:
    over = rfc3339(timezone.now() - timedelta(seconds=1))
    assert "Expired" in shown(card(expires_at=over), states=state("active"), answer_url="/answer/")
    later = rfc3339(timezone.now() + timedelta(hours=1))
    assert "<form" in shown(card(expires_at=later), states=state("active"), answer_url="/answer/")


def test_a_page_that_takes_no_answers_has_no_forms() -> None:
    assert "<form" not in shown(card(), states=state("active"))


def test_a_card_whose_state_is_not_known_claims_none() -> None:
    html = shown(card(), answer_url="/answer/")
    assert "tf-state" not in html
    assert "<form" not in html


def test_a_cards_own_row_gives_its_state_where_it_was_read() -> None:
    row = Block(kind="interaction", body=card(), interaction=Interaction(status="declined", resolved_option_id="decline"))
    assert "Declined" in shown(row)


def test_a_receipt_names_the_events_it_rests_on() -> None:
    assert CARD in shown(receipt())
    assert "Rests on 2 committed events" in shown(receipt(event_ids=[CARD, BLOCK]))


@pytest.mark.parametrize("text", [body("hologram", text="hello"), body("notice", text="hello"), '{"kind":"notice"}', "hello", ""])
def test_what_cannot_be_read_is_kept_in_view(text: str) -> None:
    html = shown(text)
    assert "cannot be shown here" in html
    assert "hello" in html or "hello" not in text


def test_a_kind_without_a_template_falls_back_on_its_words() -> None:
    assert "result_cards 1" in shown(body("view", name="result_cards", version=1, data={}))


@pytest.mark.django_db
def test_a_redacted_block_says_that_it_was_redacted_and_nothing_else() -> None:
    row = BlockFactory.build(body="", redacted_at=timezone.now(), redaction_authority="a court")
    html = shown(row)
    assert "These words were removed." in html
    assert "a court" not in html


def test_the_words_around_a_block_follow_the_readers_language() -> None:
    with translation.override("it"):
        assert "<summary>" in shown(receipt())
