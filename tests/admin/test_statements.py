"""A turn's page costs the same whatever the turn did."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.admin.reading import KINDS, MODELS, Reader
from turnframe_django.models import Turn
from turnframe_django.testing import Scenario

pytestmark = pytest.mark.django_db


def test_every_turns_page_costs_the_same(staff: Reader, told: Scenario, count_statements: Callable[..., Any]) -> None:
    counts = {}
    for turn in Turn.objects.order_by("ordinal"):
        with count_statements() as statements:
            staff.page(turn)
        counts[turn.ordinal] = len(statements.work)
        assert not [sql for sql in statements if "COUNT(" in sql.upper()]
    assert set(counts.values()) == {16}, counts


@pytest.mark.parametrize("kind", KINDS)
def test_every_page_of_a_kind_costs_the_same_and_counts_nothing(
    staff: Reader, told: Scenario, asking: Scenario, kind: str, count_statements: Callable[..., Any]
) -> None:
    model = next(model for model in MODELS if model._meta.model_name == kind)
    counts = set()
    for row in model._default_manager.all():
        with count_statements() as statements:
            staff.page(row)
        counts.add(len(statements.work))
        assert not statements.writes, statements
        assert not [sql for sql in statements if "COUNT(" in sql.upper()]
    assert len(counts) == 1, counts


def test_a_reader_of_turns_alone_asks_for_nothing_else(turn_reader: Reader, told: Scenario, count_statements: Callable[..., Any]) -> None:
    with count_statements() as statements:
        turn_reader.page(Turn.objects.get(ordinal=5))
    assert not [sql for sql in statements.work if 'FROM "turnframe_domainevent"' in sql or 'FROM "turnframe_outboxentry"' in sql]
