"""The moves of the models are those of ``protocol/states.py``, no more and no fewer."""

import inspect
from collections.abc import Mapping
from typing import Any

import pytest
from django.apps import apps
from django_fsm import TransitionNotAllowed

from tests.factories import FACTORIES
from turnframe_django.fields import StateField
from turnframe_django.models import Command, Interaction, OutboxEntry, Turn
from turnframe_django.protocol import states

TABLES: list[tuple[Any, str, Mapping[Any, frozenset[Any]]]] = [
    (Turn, "phase", states.TURN_TRANSITIONS),
    (Interaction, "status", states.INTERACTION_TRANSITIONS),
    (Command, "status", states.COMMAND_TRANSITIONS),
    (OutboxEntry, "status", states.OUTBOX_TRANSITIONS),
]
each_table = pytest.mark.parametrize(("model", "field", "table"), TABLES, ids=[model.__name__ for model, _, _ in TABLES])


def methods(model: Any, field: str) -> dict[str, Any]:
    found: dict[str, Any] = model._meta.get_field(field).transitions[model]
    return found


def test_every_state_field_has_a_table() -> None:
    fields = [
        (model, field.name)
        for model in apps.get_app_config("turnframe").get_models()
        for field in model._meta.get_fields()
        if isinstance(field, StateField)
    ]
    assert sorted(fields, key=str) == sorted([(model, field) for model, field, _ in TABLES], key=str)


@each_table
def test_the_transitions_of_a_model_are_its_table(model: Any, field: str, table: Mapping[Any, frozenset[Any]]) -> None:
    declared: dict[str, set[str]] = {str(state): set() for state in table}
    for method in methods(model, field).values():
        for source, move in method._django_fsm.transitions.items():
            declared[str(source)].add(str(move.target))
    assert declared == {str(state): {str(target) for target in targets} for state, targets in table.items()}


@each_table
def test_no_two_transitions_make_the_same_move(model: Any, field: str, table: Mapping[Any, frozenset[Any]]) -> None:
    moves = [
        (str(source), str(move.target))
        for method in methods(model, field).values()
        for source, move in method._django_fsm.transitions.items()
    ]
    assert len(moves) == len(set(moves))


@each_table
def test_no_transition_is_a_coroutine_or_does_anything_but_move(model: Any, field: str, table: Mapping[Any, frozenset[Any]]) -> None:
    for name, method in methods(model, field).items():
        body = inspect.unwrap(method)
        assert not inspect.iscoroutinefunction(body)
        assert body.__doc__, f"{name} does not say what the move means"
        assert body(None) is None


@each_table
def test_each_transition_moves_from_its_sources_and_from_nowhere_else(model: Any, field: str, table: Mapping[Any, frozenset[Any]]) -> None:
    for name, method in methods(model, field).items():
        for state in table:
            row = FACTORIES[model].build(**{field: state})
            move = method._django_fsm.transitions.get(state)
            if move is None:
                with pytest.raises(TransitionNotAllowed):
                    getattr(row, name)()
                assert getattr(row, field) == state
            else:
                getattr(row, name)()
                assert getattr(row, field) == move.target
