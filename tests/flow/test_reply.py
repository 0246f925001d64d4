"""The reply: its order, its words, and that it always ends on a way forward."""

import itertools
import uuid
from typing import Any

import pytest
from django.utils import translation

from tests.flow.adopter import trips
from tests.flow.desk import DESK, DeskState, OpenTrip, Rename
from turnframe_django import flow
from turnframe_django.flow.reply import Draft, ReplyMaterial, ask_of, compose, steps_of

RECEIPT = Draft("receipt", "receipt:1", {"receipt": {}}, event_ids=(uuid.UUID(int=1),))
CARD = Draft("interaction", "interaction:1", {"interaction": {}}, interaction_id=uuid.UUID(int=2))
ARTIFACT = Draft("artifact", "artifact:1", {"artifact": {}})
REFUSAL = flow.Notice("trip.no_quote", "warning", "The airline has not quoted yet.")
CLOSING = "What would you like to do next?"


@pytest.fixture(autouse=True)
def english() -> Any:
    with translation.override("en"):
        yield


def kinds(material: ReplyMaterial) -> list[str]:
    return [draft.kind for draft in compose(material)]


def words(material: ReplyMaterial) -> str:
    first = compose(material)[0]
    assert first.kind == "transition"
    return str(first.body["text"])


def test_blocks_come_in_one_order() -> None:
    material = ReplyMaterial((RECEIPT,), (ARTIFACT,), (REFUSAL,), (CARD,), (("fly", "unclear"),), refused=True)
    assert kinds(material) == ["transition", "receipt", "artifact", "notice", "notice", "interaction"]


def test_nothing_to_say_ends_on_the_closing_question() -> None:
    assert [(draft.kind, draft.key, draft.body) for draft in compose(ReplyMaterial())] == [
        ("transition", "transition:0", {"text": CLOSING})
    ]


def test_what_is_still_needed_is_asked_before_anything_is_offered() -> None:
    assert words(ReplyMaterial((RECEIPT,), ask="Who pays?", next_steps=("rename the trip",))) == "Who pays?"


def test_next_steps_are_named_in_one_sentence() -> None:
    assert words(ReplyMaterial(next_steps=("rename the trip",))) == "You can now: rename the trip."
    assert words(ReplyMaterial(next_steps=("a", "b", "c"))) == "You can now: a, b or c."
    assert words(ReplyMaterial(next_steps=tuple("abcdefgh"))) == "You can now: a, b, c, d, e, f, g or h."
    assert words(ReplyMaterial(next_steps=tuple("abcdefghi"))) == "You can now: a, b, c, d, e, f, g, h … and more."


def test_a_card_is_the_way_forward_and_needs_no_words() -> None:
    assert kinds(ReplyMaterial(cards=(CARD,))) == ["interaction"]
    assert kinds(ReplyMaterial((RECEIPT,), cards=(CARD,), ask="Who pays?")) == ["receipt", "interaction"]


@pytest.mark.parametrize(
    ("material", "said"),
    [
        (ReplyMaterial(refused=True), "That was not done."),
        (ReplyMaterial((RECEIPT,), refused=True), "Not everything was done."),
        (ReplyMaterial(cards=(CARD,), refused=True), "Not everything was done."),
        (ReplyMaterial(not_understood=(("", "unclear"),)), "I did not understand that."),
        (ReplyMaterial((RECEIPT,), not_understood=(("fly", "unclear"),)), "I did not understand all of that."),
        (ReplyMaterial(not_understood=(("fly", "no_operation"),)), "That cannot be done here now."),
        (ReplyMaterial((RECEIPT,), not_understood=(("fly", "no_operation"),)), "Not everything was done."),
        (ReplyMaterial(not_understood=(("fly", "no_operation"), ("hm", "unclear"))), "I did not understand that."),
    ],
)
def test_what_was_left_undone_is_said_first(material: ReplyMaterial, said: str) -> None:
    assert words(material).startswith(said)


def test_no_words_of_the_reply_claim_an_effect() -> None:
    assert words(ReplyMaterial((RECEIPT,))) == CLOSING


def test_i21_every_reply_ends_on_a_way_forward() -> None:
    choices: list[list[Any]] = [
        [(), (RECEIPT,)],
        [(), (REFUSAL,)],
        [(), (CARD,)],
        [(), (("fly", "unclear"),), (("fly", "no_operation"),)],
        [False, True],
        [None, "Who pays?"],
        [(), ("a", "b")],
    ]
    for receipts, notices, cards, lost, refused, ask, steps in itertools.product(*choices):
        drafts = compose(ReplyMaterial(receipts, (), notices, cards, lost, refused, ask, steps))
        text = str(drafts[0].body.get("text", ""))
        assert drafts[-1].kind == "interaction" or text.endswith(("?", "a or b."))


def test_news_from_outside_asks_nothing_where_its_blocks_say_enough() -> None:
    assert kinds(ReplyMaterial((RECEIPT,), text_turn=False)) == ["receipt"]
    assert words(ReplyMaterial((RECEIPT,), ask="Who pays?", text_turn=False)) == "Who pays?"
    assert words(ReplyMaterial(text_turn=False)) == CLOSING


def test_a_notice_is_a_block_of_its_own_once_per_code() -> None:
    drafts = compose(ReplyMaterial(notices=(REFUSAL, REFUSAL), refused=True))
    assert [(draft.key, draft.body) for draft in drafts[1:]] == [
        ("notice:trip.no_quote", {"code": "trip.no_quote", "severity": "warning", "text": "The airline has not quoted yet."})
    ]


def test_nothing_in_the_reply_is_invisible() -> None:
    material = ReplyMaterial(notices=(flow.Notice("a.b", "info", "x\u202ey"),), ask="Who\u200b?")
    assert [draft.body["text"] for draft in compose(material)] == ["Who\\u{200B}?", "x\\u{202E}y"]


def test_the_first_obligation_is_asked_and_a_card_asks_for_itself() -> None:
    workflow = trips.TripWorkflow()
    assert ask_of(workflow.project(None)) == "What should the trip be called?"
    assert ask_of(DESK.project(DeskState())) is None
    card = flow.Card("c", "confirm_command", "?", options=[flow.dismiss("No")])
    assert ask_of(flow.View(DESK.Phase.COLLECTING, obligations=[flow.Obligation("name", "?", by=Rename)], card=card)) is None


def test_i22_only_what_the_domain_accepts_now_is_offered() -> None:
    quoted, bare = (
        DeskState(offers=("rename", "rebook", "tidy")),
        DeskState(quoted=False, name="Lisbon", offers=("rename", "rebook", "tidy")),
    )
    assert steps_of(DESK, DESK.project(quoted), quoted) == ("rename the trip", "rebook the trip")
    assert steps_of(DESK, DESK.project(bare), bare) == ("rename the trip", "reset the name and the seats")
    assert steps_of(DESK, None) == (OpenTrip.declared.words, "start a trip for a group")


def test_a_card_that_still_waits_is_the_way_forward() -> None:
    said = words(ReplyMaterial(waiting="Rebook?", next_steps=("rename the trip",)))
    assert said == "A question is waiting for you: “Rebook?”"


def test_whoever_was_not_understood_is_told_what_can_be_done_beside_what_is_needed() -> None:
    said = words(ReplyMaterial(not_understood=(("hm", "unclear"),), ask="Who pays?", next_steps=("rename the trip",)))
    assert said == "I did not understand that. Who pays? You can now: rename the trip."
