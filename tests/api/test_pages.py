"""Pages: in one order, whole when put together, and a fixed number of statements however much there is."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from tests.api.conftest import Api, problem_of
from tests.factories import make
from tests.statements import Statements
from turnframe_django.models import Block, Conversation, Interaction, StreamFrame, Turn
from turnframe_django.protocol.turns import head_text

pytestmark = pytest.mark.django_db

Counting = Callable[[], AbstractContextManager[Statements]]


def converse(api: Api, turns: int) -> Conversation:
    """A conversation of so many delivered turns, each with a notice and every fifth with a card."""
    conversation: Conversation = make(Conversation, account=api.account, owner=api.account, last_ordinal=turns)
    for ordinal in range(1, turns + 1):
        turn: Turn = make(
            Turn, conversation=conversation, ordinal=ordinal, phase="delivered", delivered_at=timezone.now(), actor=api.account
        )
        Turn.objects.filter(pk=turn.pk).update(
            head=head_text(conversation_id=conversation.pk, turn_id=turn.pk, replay_token=turn.replay_token)
        )
        make(Block, turn=turn, position=0, kind="transition", body='{"kind":"transition"}')
        if ordinal % 5 == 0:
            make(Block, turn=turn, position=1, card=True, body='{"kind":"interaction"}')
    return conversation


def walked(api: Api, path: str, parameter: str) -> list[dict[str, Any]]:
    """Every row of every page."""
    found: list[dict[str, Any]] = []
    following: Any = ""
    while following is not None:
        separator = "&" if "?" in path else "?"
        page = api.get(path + (f"{separator}{parameter}={following}" if following != "" else "")).json()
        found += page["results"]
        following = page["next"]
    return found


@pytest.mark.parametrize("limit", [1, 3, 12, 200])
def test_turns_come_oldest_first_and_whole(traveller: Api, limit: int) -> None:
    conversation = converse(traveller, 12)
    found = walked(traveller, f"conversations/{conversation.pk}/turns/?limit={limit}", "after")
    assert [turn["ordinal"] for turn in found] == list(range(1, 13))


def test_the_last_page_says_that_it_is_the_last(traveller: Api) -> None:
    conversation = converse(traveller, 4)
    path = f"conversations/{conversation.pk}/turns/"
    assert traveller.get(f"{path}?limit=3").json()["next"] == 3
    assert traveller.get(f"{path}?limit=4").json()["next"] is None
    after = traveller.get(f"{path}?after=4")
    assert after.content == b'{"interaction_states":{},"next":null,"results":[]}'
    assert traveller.get(f"{path}?after=1000000").status_code == 200


def test_fifty_turns_are_a_page(traveller: Api) -> None:
    page = traveller.get(f"conversations/{converse(traveller, 51).pk}/turns/").json()
    assert len(page["results"]) == 50
    assert page["next"] == 50


def test_a_page_tells_where_the_cards_of_its_turns_stand_and_of_no_others(traveller: Api) -> None:
    conversation = converse(traveller, 10)
    states = traveller.get(f"conversations/{conversation.pk}/turns/?limit=5").json()["interaction_states"]
    card = Interaction.objects.order_by("turn__ordinal").first()
    assert card is not None
    assert states == {str(card.pk): {"resolved_at": None, "resolved_option_id": None, "status": "active"}}


@pytest.mark.parametrize("turns", [5, 60])
def test_a_page_of_turns_takes_four_statements_however_many_there_are(traveller: Api, count_statements: Counting, turns: int) -> None:
    conversation = converse(traveller, turns)
    with count_statements() as statements:
        assert traveller.get(f"conversations/{conversation.pk}/turns/").status_code == 200
    assert len(statements.work) == 4, statements
    assert not statements.writes


def test_an_empty_page_takes_four_statements_too(traveller: Api, count_statements: Counting) -> None:
    conversation = traveller.open()
    with count_statements() as statements:
        traveller.get(f"conversations/{conversation}/turns/")
    assert len(statements.work) <= 4, statements


@pytest.mark.parametrize("conversations", [1, 60])
def test_the_list_of_conversations_takes_three_statements(traveller: Api, count_statements: Counting, conversations: int) -> None:
    for _ in range(conversations):
        make(Conversation, account=traveller.account, owner=traveller.account)
    with count_statements() as statements:
        assert traveller.get("conversations/").status_code == 200
    assert len(statements.work) == 3, statements


def test_a_repeated_click_takes_at_most_five_statements_and_writes_nothing(traveller: Api, count_statements: Counting) -> None:
    conversation, card = traveller.offered()
    traveller.click(conversation, card)
    with count_statements() as statements:
        assert traveller.click(conversation, card).status_code == 200
    assert len(statements.work) <= 5, statements
    assert not statements.writes, statements


@pytest.mark.parametrize("path", ["{}/interactions/", "{}/frames/", "{}/"])
def test_no_page_takes_a_statement_per_row(traveller: Api, count_statements: Counting, path: str) -> None:
    counts = []
    for turns in (5, 40):
        conversation = converse(traveller, turns)
        for seq in range(1, turns + 1):
            make(StreamFrame, conversation=conversation, seq=seq, type="turn.phase", data="{}")
        with count_statements() as statements:
            assert traveller.get(f"conversations/{path.format(conversation.pk)}").status_code == 200
        counts.append(len(statements.work))
    assert counts[0] == counts[1]
    assert counts[0] <= 7


def test_conversations_come_newest_activity_first_and_whole(traveller: Api) -> None:
    moment = timezone.now()
    for number in range(120):
        # Many at one moment: the id decides, and no row is lost or doubled between two pages.
        make(
            Conversation,
            account=traveller.account,
            owner=traveller.account,
            last_activity_at=moment - timedelta(seconds=number // 40),
        )
    found = walked(traveller, "conversations/", "cursor")
    keys = [(one["last_activity_at"], one["conversation_id"]) for one in found]
    assert len(set(keys)) == 120
    assert keys == sorted(keys, reverse=True)


def test_a_conversation_that_is_spoken_in_comes_first(traveller: Api) -> None:
    first, second = traveller.open(), traveller.open()
    assert traveller.get("conversations/").json()["results"][0]["conversation_id"] == second
    traveller.say(first, "hello")
    assert traveller.get("conversations/").json()["results"][0]["conversation_id"] == first


@pytest.mark.parametrize("cursor", ["x", "AAAA", "A" * 32 + "!", "é", "A" * 33, "", "____________________________________"])
def test_a_cursor_that_was_not_made_here_is_refused(traveller: Api, cursor: str) -> None:
    problem = problem_of(traveller.get(f"conversations/?cursor={cursor}"), 400, "invalid_input")
    assert problem["errors"][0]["pointer"] == "/cursor"


def test_a_user_sees_only_their_own_conversations(traveller: Api, rival: Api) -> None:
    theirs = rival.open()
    mine = traveller.open()
    assert [one["conversation_id"] for one in traveller.get("conversations/").json()["results"]] == [mine]
    assert [one["conversation_id"] for one in rival.get("conversations/").json()["results"]] == [theirs]


def test_another_user_of_the_account_is_not_the_owner(traveller: Api) -> None:
    other = Api(User.objects.create_user("colleague"))
    make(Conversation, account=traveller.account, owner=other.account)
    assert traveller.get("conversations/").json()["results"] == []


# --- cards -----------------------------------------------------------------------------------------------------------------------------


def test_cards_come_newest_first_with_their_history_and_no_action(traveller: Api) -> None:
    conversation, card = traveller.offered()
    answer = traveller.click(conversation, card, "decline").json()
    page = traveller.get(f"conversations/{conversation}/interactions/").json()
    assert [one["interaction_id"] for one in page["results"]][-1] == card["interaction_id"]
    one = traveller.get(f"conversations/{conversation}/interactions/{card['interaction_id']}/").json()
    assert one in page["results"]
    assert one["interaction"] == card
    assert (one["status"], one["resolved_option_id"], one["resolved_turn_id"]) == ("declined", "decline", answer["turn_id"])
    assert [(move["from"], move["to"]) for move in one["history"]] == [(None, "active"), ("active", "declined")]
    assert one["history"][1]["turn_id"] == answer["turn_id"]


def test_cards_are_kept_by_status_and_walked_page_by_page(traveller: Api) -> None:
    conversation = converse(traveller, 25)
    path = f"conversations/{conversation.pk}/interactions/"
    assert len(walked(traveller, f"{path}?limit=2", "cursor")) == 5
    assert len({card["interaction_id"] for card in walked(traveller, f"{path}?status=active&limit=1", "cursor")}) == 5
    assert traveller.get(f"{path}?status=resolved").json()["results"] == []
    problem_of(traveller.get(f"{path}?status=open"), 400, "invalid_input")


def test_a_card_whose_time_is_over_reads_as_expired_wherever_it_is_read(traveller: Api) -> None:
    conversation = converse(traveller, 5)
    past = timezone.now() - timedelta(seconds=1)
    turn = Turn.objects.get(conversation=conversation, ordinal=5)
    card: Interaction = make(Interaction, turn=turn, expires_at=past, account=traveller.account)
    make(Block, turn=turn, position=2, kind="interaction", interaction=card, body="{}")
    path = f"conversations/{conversation.pk}/"
    expected = {"resolved_at": None, "resolved_option_id": None, "status": "expired"}
    assert traveller.get(f"{path}turns/").json()["interaction_states"][str(card.pk)] == expected
    assert traveller.get(path).json()["interaction_states"][str(card.pk)] == expected
    assert traveller.get(f"{path}interactions/{card.pk}/").json()["status"] == "expired"
    assert [one["interaction_id"] for one in traveller.get(f"{path}interactions/?status=expired").json()["results"]] == [str(card.pk)]


def test_a_redacted_card_shows_nothing_of_what_it_asked(traveller: Api) -> None:
    conversation, card = traveller.offered()
    Interaction.objects.filter(pk=card["interaction_id"]).update(payload="", redacted_at=timezone.now(), redaction_authority="officer")
    one = traveller.get(f"conversations/{conversation}/interactions/{card['interaction_id']}/").json()
    assert one["interaction"] is None
    assert one["interaction_id"] == card["interaction_id"]


# --- frames ----------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1, 4, 200])
def test_frames_come_in_order_without_gaps(traveller: Api, limit: int) -> None:
    conversation, card = traveller.offered()
    traveller.click(conversation, card)
    found = walked(traveller, f"conversations/{conversation}/frames/?limit={limit}", "after")
    assert [frame["seq"] for frame in found] == list(range(1, len(found) + 1))
    assert next(frame["type"] for frame in found if frame["type"].startswith("turn.")) == "turn.received"
    assert found[-1]["type"] == "turn.delivered"


def test_a_client_that_has_everything_gets_nothing(traveller: Api) -> None:
    conversation, _card = traveller.offered()
    last = walked(traveller, f"conversations/{conversation}/frames/", "after")[-1]["seq"]
    assert traveller.get(f"conversations/{conversation}/frames/?after={last}").content == b'{"next":null,"results":[]}'
    assert traveller.get(f"conversations/{traveller.open()}/frames/").content == b'{"next":null,"results":[]}'


def test_c54_a_cursor_ahead_of_the_server_is_told_and_never_met_with_silence(traveller: Api) -> None:
    conversation, _card = traveller.offered()
    problem = problem_of(traveller.get(f"conversations/{conversation}/frames/?after=1000000000"), 410, "cursor_expired")
    assert problem["oldest"] > 1


def test_a_cursor_older_than_what_is_kept_is_told_where_to_begin(traveller: Api) -> None:
    conversation, _card = traveller.offered()
    StreamFrame.objects.filter(conversation_id=conversation, seq__lte=3).delete()
    problem = problem_of(traveller.get(f"conversations/{conversation}/frames/?after=1"), 410, "cursor_expired")
    assert problem["oldest"] == 4
    assert traveller.get(f"conversations/{conversation}/frames/?after=3").status_code == 200
    StreamFrame.objects.filter(conversation_id=conversation).delete()
    problem_of(traveller.get(f"conversations/{conversation}/frames/?after=1"), 410, "cursor_expired")
