"""Lists of any length: exact search, fixed filters, one order, no count."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from tests.admin.reading import KINDS, MODELS, Reader, address, list_address, words
from tests.factories import CommandFactory, ConversationFactory, DomainEventFactory, InteractionFactory, OutboxEntryFactory, TurnFactory
from tests.statements import Statements
from turnframe_django.admin import searching
from turnframe_django.models import Command, Interaction, OutboxEntry, Turn
from turnframe_django.testing import Scenario

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_is_found_by_its_id_and_by_nothing_that_is_no_id(staff: Reader, told: Scenario, kind: str) -> None:
    model = next(model for model in MODELS if model._meta.model_name == kind)
    row = model._default_manager.first()
    assert row is not None
    assert staff.found(kind, str(row.pk)) == {str(row.pk)}
    assert staff.found(kind, f" {str(row.pk).upper()} ") == {str(row.pk)}
    for term in ("nothing", str(row.pk)[:-1], str(uuid4()), "' OR 1=1 --", "é" * 400, "a b", f"{row.pk} x", "1", "%", "٣"):
        assert staff.found(kind, term) == set(), term
    assert "Nothing was found." in staff.list(kind, {"q": "nothing"})


def test_a_turn_is_found_by_its_client_turn_id(staff: Reader, db: None) -> None:
    turn = TurnFactory.create(client_turn_id="the client's own 7")
    TurnFactory.create(client_turn_id="another")
    assert staff.found("turn", "the client's own 7") == {str(turn.pk)}
    assert staff.found("turn", f"{turn.conversation_id} the client's own 7") == {str(turn.pk)}
    assert staff.found("turn", f"{uuid4()} the client's own 7") == set()
    assert staff.found("turn", str(turn.conversation_id)) == {str(turn.pk)}
    assert staff.found("turn", str(turn.replay_token)) == {str(turn.pk)}


def test_a_key_is_found_alone_among_the_newest_and_anywhere_with_its_scope(
    staff: Reader, monkeypatch: pytest.MonkeyPatch, db: None
) -> None:
    monkeypatch.setattr(searching, "NEWEST", 1)
    for kind, old in (
        ("command", CommandFactory.create()),
        ("outboxentry", OutboxEntryFactory.create()),
    ):
        new = type(old)._default_manager.get(pk=(CommandFactory if kind == "command" else OutboxEntryFactory).create().pk)
        column, scope = ("idempotency_key", "account") if kind == "command" else ("key", "destination")
        assert staff.found(kind, getattr(new, column)) == {str(new.pk)}
        assert staff.found(kind, getattr(old, column)) == set()
        assert staff.found(kind, f"{getattr(old, scope)} {getattr(old, column)}") == {str(old.pk)}
        assert staff.found(kind, f"elsewhere {getattr(old, column)}") == set()


@pytest.mark.parametrize("kind", KINDS)
def test_a_list_counts_nothing_casts_nothing_and_reads_no_distinct(
    staff: Reader, told: Scenario, kind: str, count_statements: Callable[..., Any]
) -> None:
    for query in ({}, {"q": str(uuid4())}, {"q": "some words"}, {"p": "3"}, {"o": "2.1"}, {"_facets": "True"}, {"all": ""}):
        with count_statements() as statements:
            page = staff.list(kind, query)
        for sql in statements:
            assert "COUNT(" not in sql.upper(), sql
            assert "DISTINCT" not in sql.upper(), sql
            assert "::text" not in sql.lower(), sql
            assert "CAST(" not in sql.upper(), sql
            assert "LIKE" not in sql.upper(), sql
        assert len(statements.work) <= (6 if "q" in query else 5), statements
        assert "action-select" not in page
        assert "<select" not in page


def rows(statements: Statements, kind: str) -> list[str]:
    return [sql for sql in statements.work if f'FROM "turnframe_{kind}"' in sql]


@pytest.mark.parametrize("kind", KINDS)
def test_a_list_is_in_the_order_of_its_index_whatever_is_asked(
    staff: Reader, told: Scenario, kind: str, count_statements: Callable[..., Any]
) -> None:
    first = '"id"' if kind in {"conversation", "turn"} else '"turn_id"'
    with count_statements() as statements:
        staff.list(kind, {"o": "2.1"})
    (sql,) = rows(statements, kind)
    assert sql.rpartition("ORDER BY ")[2].startswith(f'"turnframe_{kind}".{first} DESC')


def test_filters_know_their_values_without_asking(staff: Reader, told: Scenario) -> None:
    page = staff.list("interaction")
    for value in ("active", "declined", "expired", "multi_select"):
        assert (f"?status={value}" in page) == (value != "multi_select")
    declined = Interaction.objects.get(status="declined")
    narrowed = staff.list("interaction", {"status": "declined"})
    assert address(declined) in narrowed
    assert narrowed.count('<th class="field-asks">') == 1
    assert "Nothing was found." in staff.list("interaction", {"status": "no such"})


@pytest.mark.parametrize(
    "query",
    [
        {"conversation__id__exact": "no id"},
        {"conversation__id__exact": "\x00"},
        {"input__icontains": "secret"},
        {"conversation__title": "x"},
        {"p": "-3"},
        {"p": "x"},
        {"p": "9" * 40},
        {"q": "\x00"},
        {"o": "x.-9.99"},
        {"nonsense": "1"},
    ],
)
def test_no_address_makes_an_error(staff: Reader, told: Scenario, query: dict[str, str]) -> None:
    assert staff.client.get(list_address("turn"), query).status_code in {200, 302, 400}


def test_the_server_is_never_asked_about_texts(staff: Reader, told: Scenario) -> None:
    assert staff.client.get(list_address("turn"), {"input__icontains": "weighs"}).status_code == 400
    assert staff.client.get(list_address("conversation"), {"account": "\x00"}).status_code == 400


def test_a_long_list_leads_to_older_rows_and_back(staff: Reader, db: None) -> None:
    conversation = ConversationFactory.create()
    made = [TurnFactory.create(conversation=conversation, ordinal=number) for number in range(1, 62)]
    newest = staff.list("turn")
    assert address(made[-1]) in newest
    assert address(made[5]) not in newest
    assert "Rows 1 to 50" in words(newest)
    assert 'href="?p=2" rel="next"' in newest
    older = staff.list("turn", {"p": "2"})
    assert address(made[0]) in older
    assert "Rows 51 to 61" in words(older)
    assert 'rel="prev"' in older
    assert 'rel="next"' not in older
    assert "There is nothing on this page." in staff.list("turn", {"p": "3"})


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_list_says_so(staff: Reader, kind: str) -> None:
    assert "There is nothing here yet." in staff.list(kind)


def test_a_list_narrowed_by_a_link_shows_what_the_link_said(staff: Reader, told: Scenario) -> None:
    other = TurnFactory.create()
    page = staff.list("turn", {"conversation__id__exact": str(other.conversation_id)})
    assert address(other) in page
    assert address(Turn.objects.get(ordinal=1, conversation=told.conversation)) not in page


def test_lists_and_pages_take_as_many_statements_for_forty_as_for_three(
    staff: Reader, db: None, count_statements: Callable[..., Any]
) -> None:
    conversation = ConversationFactory.create()

    def grow(start: int, end: int) -> None:
        for number in range(start, end):
            turn = TurnFactory.create(conversation=conversation, ordinal=number)
            command = CommandFactory.create(turn=turn, settled_turn=turn, interaction=InteractionFactory.create(turn=turn))
            DomainEventFactory.create(command=command)
            OutboxEntryFactory.create(command=command)

    def spent() -> dict[str, int]:
        counts = {}
        looked_at = [Turn.objects.order_by("ordinal")[0], Command.objects.all()[0], OutboxEntry.objects.all()[0], conversation]
        for kind in KINDS:
            with count_statements() as statements:
                staff.list(kind)
            counts[kind] = len(statements.work)
        for row in looked_at:
            with count_statements() as statements:
                staff.page(row)
            counts[f"page of {row._meta.model_name}"] = len(statements.work)
        return counts

    grow(1, 4)
    before = spent()
    grow(4, 41)
    assert spent() == before
    assert max(before.values()) <= 16, before
