"""What an operation costs in statements, over HTTP with a session: a fixed number, however long the conversation is.

Session and user are included. The author's own statements, on the host's tables, are not, nor is what opens, nests or ends a transaction.
"""

from typing import Any

import pytest

from tests.api.conftest import Answer, Api, cards_of, kinds_of
from tests.desk.models import Parcel
from tests.factories import (
    NOW,
    BlockFactory,
    ConversationCaseFactory,
    ConversationFactory,
    InteractionFactory,
    InteractionTransitionFactory,
    TurnFactory,
)
from tests.statements import Statements, counting
from turnframe_django.models import Block, Conversation, Interaction, InteractionTransition, Turn

CLICK, TEXT, REPEAT, PAGE, LIST = 26, 40, 5, 5, 4
AUTHORS_TABLE = Parcel._meta.db_table
EARLY, LATE = 5, 500


class Counted:
    """One answer and what it took."""

    def __init__(self, answer: Answer, statements: Statements) -> None:
        self.answer = answer
        self.all = statements
        self.statements = [sql for sql in statements.work if AUTHORS_TABLE not in sql]
        self.turn: dict[str, Any] = answer.json()

    def __len__(self) -> int:
        return len(self.statements)

    def __str__(self) -> str:
        return str(self.all)


def say(api: Api, conversation: str, text: str) -> Counted:
    """Say ``text`` and count."""
    with counting() as statements:
        answer = api.say(conversation, text)
    assert answer.status_code == 201, answer.content
    return Counted(answer, statements)


def click(api: Api, conversation: str, card: dict[str, Any], status: int = 201) -> Counted:
    """Confirm ``card`` and count."""
    with counting() as statements:
        answer = api.click(conversation, card)
    assert answer.status_code == status, answer.content
    return Counted(answer, statements)


def get(api: Api, path: str) -> Counted:
    """Read ``path`` and count."""
    with counting() as statements:
        answer = api.get(path)
    assert answer.status_code == 200, answer.content
    return Counted(answer, statements)


def lengthened(conversation: str, parcel: str, to: int) -> None:
    """Let the conversation have ``to`` turns, each with a receipt and a card on the parcel that was answered long ago."""
    row = Conversation.objects.get(pk=conversation)
    turns = [
        TurnFactory.build(conversation=row, ordinal=ordinal, phase="delivered", head='{"turn_id":"earlier"}', delivered_at=NOW)
        for ordinal in range(row.last_ordinal + 1, to + 1)
    ]
    cards = [
        InteractionFactory.build(
            turn=turn, case_name="parcel", case_id=parcel, bound_revision=0, status="resolved", resolved_option_id="yes", resolved_turn=turn
        )
        for turn in turns
    ]
    blocks = [BlockFactory.build(turn=turn, position=0) for turn in turns]
    blocks += [BlockFactory.build(turn=card.turn, position=1, kind="interaction", interaction=card) for card in cards]
    moves = [InteractionTransitionFactory.build(interaction=card) for card in cards]
    Turn.objects.bulk_create(turns)
    Interaction.objects.bulk_create(cards)
    Block.objects.bulk_create(blocks)
    InteractionTransition.objects.bulk_create(moves)
    Conversation.objects.filter(pk=conversation).update(last_ordinal=to)


def talk(api: Api, turns: int, *, status: str = Parcel.Status.PACKING) -> str:
    """Return a conversation about a parcel whose next turn is number ``turns``."""
    parcel = Parcel.objects.create(account=api.account, name="Old", status=status, revision=7)
    conversation = api.open(cases=[{"name": "parcel", "case_id": str(parcel.pk)}])
    lengthened(conversation, str(parcel.pk), turns - 1)
    return conversation


def asked(api: Api, turns: int) -> tuple[str, dict[str, Any]]:
    """Return a conversation in which the card to click stands and the click will be turn ``turns``."""
    conversation = talk(api, turns - 1, status=Parcel.Status.OFFERED)
    return conversation, cards_of(api.say(conversation, "hello").json())[0]


@pytest.mark.parametrize("turns", [EARLY, LATE])
def test_a_click_with_one_command_stays_within_its_statements(traveller: Api, turns: int) -> None:
    counted = click(traveller, *asked(traveller, turns))
    assert "receipt" in kinds_of(counted.turn)
    assert counted.turn["ordinal"] == turns
    assert len(counted) <= CLICK, counted


@pytest.mark.parametrize("turns", [EARLY, LATE])
def test_a_text_with_one_command_stays_within_its_statements(traveller: Api, turns: int) -> None:
    counted = say(traveller, talk(traveller, turns), "call it Box")
    assert "receipt" in kinds_of(counted.turn)
    assert counted.turn["ordinal"] == turns
    assert len(counted) <= TEXT, counted


@pytest.mark.parametrize("turns", [EARLY, LATE])
def test_a_text_that_raises_a_card_stays_within_its_statements(traveller: Api, turns: int) -> None:
    counted = say(traveller, talk(traveller, turns), "send it")
    assert cards_of(counted.turn)
    assert len(counted) <= TEXT, counted


@pytest.mark.parametrize("turns", [EARLY, LATE])
def test_a_text_that_opens_a_record_stays_within_its_statements(traveller: Api, turns: int) -> None:
    counted = say(traveller, talk(traveller, turns), "start a parcel")
    assert "receipt" in kinds_of(counted.turn)
    assert len(counted) <= TEXT, counted


@pytest.mark.parametrize("turns", [EARLY, LATE])
def test_a_repeated_click_reads_little_and_writes_nothing(traveller: Api, turns: int) -> None:
    conversation, card = asked(traveller, turns)
    first = traveller.click(conversation, card)
    repeated = click(traveller, conversation, card, status=200)
    assert repeated.answer.content == first.content
    assert len(repeated) <= REPEAT, repeated
    assert not repeated.all.writes, repeated


@pytest.mark.parametrize("turns", [EARLY, LATE])
def test_a_repeated_text_writes_nothing(traveller: Api, turns: int) -> None:
    conversation = talk(traveller, turns)
    first = traveller.say(conversation, "call it Box", client_turn_id="once")
    with counting() as statements:
        again = traveller.say(conversation, "call it Box", client_turn_id="once")
    assert (again.status_code, again.content) == (200, first.content)
    assert not [sql for sql in statements.writes if not sql.startswith("SET LOCAL")], statements


def test_every_turn_costs_the_same_at_turn_5_and_at_turn_500(traveller: Api) -> None:
    for text in ("call it Box", "send it", "start a parcel", "hello"):
        early, late = (say(traveller, talk(traveller, turns), text) for turns in (EARLY, LATE))
        assert early.statements == late.statements, text
    early, late = (click(traveller, *asked(traveller, turns)) for turns in (EARLY, LATE))
    assert early.statements == late.statements


def test_a_page_of_50_turns_stays_within_its_statements_wherever_it_is(traveller: Api) -> None:
    conversation = talk(traveller, LATE + 1)
    short = get(traveller, f"conversations/{talk(traveller, EARLY + 1)}/turns/?limit=1")
    for after in (0, 100, LATE - 50):
        page = get(traveller, f"conversations/{conversation}/turns/?after={after}")
        assert len(page.turn["results"]) == 50
        assert len(page.turn["interaction_states"]) == 50
        assert len(page) <= PAGE, page
        assert len(page) == len(short), page


def test_a_list_of_50_conversations_stays_within_its_statements(traveller: Api) -> None:
    traveller.open()
    short = get(traveller, "conversations/")
    owned = ConversationFactory.create_batch(60, account=traveller.account, owner=traveller.account)
    for conversation in owned:
        ConversationCaseFactory(conversation=conversation)
    listed = get(traveller, "conversations/")
    assert len(listed.turn["results"]) == 50
    assert len(listed) <= LIST, listed
    assert len(listed) == len(short), listed


@pytest.mark.parametrize("path", ["interactions/", "frames/"])
def test_a_page_of_cards_or_frames_takes_no_statement_a_row(traveller: Api, path: str) -> None:
    conversation, card = asked(traveller, LATE)
    traveller.click(conversation, card)
    one, many = (get(traveller, f"conversations/{conversation}/{path}?limit={limit}") for limit in (1, 50))
    assert len(one.turn["results"]) == 1 < len(many.turn["results"])
    assert len(one) == len(many) <= PAGE, many


def test_a_conversation_with_500_turns_is_described_without_reading_them(traveller: Api) -> None:
    described = [get(traveller, f"conversations/{talk(traveller, turns)}/") for turns in (EARLY, LATE)]
    assert len(described[0]) == len(described[1]), described[1]


@pytest.mark.parametrize("status", [Parcel.Status.PACKING, Parcel.Status.OFFERED])
def test_a_text_takes_no_statement_of_ours_for_each_record(traveller: Api, status: str) -> None:
    taken = []
    for number in (1, 10):
        parcels = [Parcel.objects.create(account=traveller.account, name="Old", status=status) for _ in range(number)]
        conversation = traveller.open(cases=[{"name": "parcel", "case_id": str(parcel.pk)} for parcel in parcels])
        traveller.say(conversation, "hello")
        taken.append(say(traveller, conversation, "hello"))
    assert len(taken[0]) == len(taken[1]), taken[1]
