"""The state field: a state changes by a declared move, in the one row that makes it.

django-fsm-2 4.2.4 has twelve known traps. Each is closed by a test here, in this order:

1.  protection is a flag on the class, off for everybody while any row reloads
2.  a move from a state to itself is invisible to its optimistic lock
3.  saving without the state column spoils the lock's memory
4.  a rolled-back transaction leaves the instance ahead of the row
5.  the initial state is free
6.  ``on_error`` sets a state that a rollback loses
7.  a coroutine changes the state and never runs
8.  reading the state at construction costs a query per row
9.  the state is an enum's member after a move and text after a reload
10. a serializer that writes the state answers 500
11. migrations name django-fsm's paths, its mixin, labels and enums
12. ``RETURN_VALUE`` and ``GET_STATE`` are handed the wrong transition
"""

import copy
import pickle
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.db import IntegrityError, models, transaction
from django.db.migrations.writer import MigrationWriter
from django.forms import modelform_factory
from django.test.utils import isolate_apps
from django_fsm import GET_STATE, RETURN_VALUE, TransitionNotAllowed
from django_fsm import transition as move
from rest_framework import serializers

from tests.factories import CommandFactory, ConversationFactory, InteractionFactory, OutboxEntryFactory, TurnFactory
from tests.statements import Statements
from tests.threads import together
from turnframe_django import migrations
from turnframe_django.fields import StateField, StateModel
from turnframe_django.models import Conversation, Interaction, Turn
from turnframe_django.protocol import states
from turnframe_django.protocol.states import TurnPhase

Counting = Callable[[], AbstractContextManager[Statements]]


def write_phase(turn: Turn, phase: str) -> None:
    """Set the phase as careless code would; mypy refuses the plain assignment."""
    setattr(turn, "phase", phase)  # noqa: B010


# 1. Protection belongs to one instance and one thread.


def test_a_state_is_refused_a_direct_write() -> None:
    turn = TurnFactory.build()
    with pytest.raises(AttributeError, match="phase changes only through the transitions of Turn"):
        write_phase(turn, "delivered")
    with pytest.raises(AttributeError, match="phase changes only through"):
        del turn.phase
    assert turn.phase == "received"


def test_the_state_it_has_may_be_set_again() -> None:
    turn = TurnFactory.build()
    write_phase(turn, TurnPhase.RECEIVED)
    assert turn.phase == "received"


@pytest.mark.django_db
def test_a_row_reloads_its_state() -> None:
    turn = TurnFactory.create()
    Turn.objects.filter(pk=turn.pk).update(phase="reduced")
    turn.refresh_from_db()
    assert turn.phase == "reduced"
    Turn.objects.filter(pk=turn.pk).update(phase="delivered")
    turn.refresh_from_db(fields=["phase"])
    assert turn.phase == "delivered"
    with pytest.raises(AttributeError):
        write_phase(turn, "received")


@pytest.mark.django_db
def test_a_row_reloads_its_state_asynchronously() -> None:
    turn = TurnFactory.create()
    Turn.objects.filter(pk=turn.pk).update(phase="reduced")
    async_to_sync(turn.arefresh_from_db)()
    assert turn.phase == "reduced"


@pytest.mark.django_db
def test_a_reload_that_fails_leaves_the_field_protected() -> None:
    turn = TurnFactory.build(conversation=ConversationFactory.create())
    with pytest.raises(Turn.DoesNotExist):
        turn.refresh_from_db()
    with pytest.raises(AttributeError):
        write_phase(turn, "delivered")


@pytest.mark.django_db
def test_cleaning_and_updating_or_creating_pass() -> None:
    turn = TurnFactory.create()
    turn.full_clean(exclude=["delivered_at"])
    Turn.objects.update_or_create(pk=turn.pk, defaults={"phase": "received", "memory": "{}"})
    assert Turn.objects.get(pk=turn.pk).memory == "{}"


@pytest.mark.django_db
def test_updating_or_creating_may_not_change_the_state() -> None:
    turn = TurnFactory.create()
    with pytest.raises(AttributeError):
        Turn.objects.update_or_create(pk=turn.pk, defaults={"phase": "delivered"})


@pytest.mark.django_db
def test_a_row_held_by_two_threads_opens_for_the_one_that_reloads(monkeypatch: pytest.MonkeyPatch) -> None:
    turn = TurnFactory.create()
    outcomes: list[str] = []

    def write_elsewhere() -> None:
        try:
            write_phase(turn, "delivered")
            outcomes.append("written")
        except AttributeError:
            outcomes.append("refused")

    def reload(row: models.Model, **kwargs: Any) -> None:
        other = threading.Thread(target=write_elsewhere)
        other.start()
        other.join()
        write_phase(turn, "reduced")

    monkeypatch.setattr(models.Model, "refresh_from_db", reload)
    turn.refresh_from_db()
    assert outcomes == ["refused"]
    assert turn.phase == "reduced"


@pytest.mark.django_db
def test_a_field_of_another_row_keeps_its_protection_while_a_row_reloads(monkeypatch: pytest.MonkeyPatch) -> None:
    turn, bystander = TurnFactory.create(), TurnFactory.build(conversation=Conversation())

    def reload(row: models.Model, **kwargs: Any) -> None:
        write_phase(bystander, "delivered")

    monkeypatch.setattr(models.Model, "refresh_from_db", reload)
    with pytest.raises(AttributeError):
        turn.refresh_from_db()


@pytest.mark.django_db(transaction=True)
def test_rows_that_reload_in_many_threads_neither_fail_nor_open_each_other() -> None:
    threads, rounds = 6, 150
    conversation = ConversationFactory.create()
    keys = [TurnFactory.create(conversation=conversation).pk for _ in range(threads)]

    def work(number: int) -> int:
        turn, accepted = Turn.objects.get(pk=keys[number]), 0
        for _ in range(rounds):
            if number % 2:
                turn.refresh_from_db()
                continue
            for _ in range(20):
                try:
                    write_phase(turn, "delivered")
                    accepted += 1
                except AttributeError:
                    pass
        return accepted

    assert together(threads, work) == [0] * threads


@pytest.mark.django_db(transaction=True)
def test_a_reload_of_a_missing_row_opens_the_field_of_no_other_thread() -> None:
    missing, kept = TurnFactory.build(conversation=ConversationFactory.create()), TurnFactory.create()

    def work(number: int) -> bool:
        if number == 0:
            with pytest.raises(Turn.DoesNotExist):
                missing.refresh_from_db()
        try:
            write_phase(Turn.objects.get(pk=kept.pk), "delivered")
        except AttributeError:
            return True
        return False

    assert together(4, work) == [True] * 4


# 2. No state moves to itself, so no loop can hide.


@pytest.mark.parametrize("table", ["TURN", "INTERACTION", "COMMAND", "OUTBOX"])
def test_no_state_moves_to_itself(table: str) -> None:
    moves = getattr(states, f"{table}_TRANSITIONS")
    assert [state for state, targets in moves.items() if state in targets] == []


# 3. Saving some columns leaves nothing behind that a later save trips over.


@pytest.mark.django_db
def test_a_row_saved_without_its_state_is_saved_with_it_afterwards() -> None:
    turn = TurnFactory.create()
    turn.reduce()
    turn.memory = "{}"
    turn.save(update_fields=["memory"])
    assert Turn.objects.get(pk=turn.pk).phase == "received"
    turn.save()
    assert Turn.objects.get(pk=turn.pk).phase == "reduced"


# 4. After a rollback the row is read again.


@pytest.mark.django_db
def test_a_row_read_again_after_a_rollback_has_the_stored_state() -> None:
    turn = TurnFactory.create()
    with transaction.atomic():
        turn.reduce()
        turn.save()
        transaction.set_rollback(True)
    assert turn.phase == "reduced"
    turn.refresh_from_db()
    assert turn.phase == "received"
    turn.reduce()


# 5. The database knows the states.


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("make", "field"),
    [(TurnFactory, "phase"), (InteractionFactory, "status"), (CommandFactory, "status"), (OutboxEntryFactory, "status")],
)
def test_a_state_nobody_knows_is_refused_by_the_database(make: Any, field: str) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        make.create(**{field: "nonsense"})
    row = make.create()
    with pytest.raises(IntegrityError), transaction.atomic():
        type(row).objects.filter(pk=row.pk).update(**{field: "nonsense"})


# 6, 7 and 12. Three kinds of transition are refused where the class is written.


def declare(decorated: Any) -> type[models.Model]:
    """Return a model with one transition."""

    class Door(StateModel):
        state = StateField(max_length=8, default="open")
        shut = decorated

        class Meta:
            app_label = "turnframe"

    return Door


@isolate_apps("turnframe_django")
def test_a_transition_may_not_set_a_state_on_an_error() -> None:
    with pytest.raises(TypeError, match=r"Door\.shut has on_error"):
        declare(move("state", "open", "shut", on_error="broken")(lambda self: None))


@isolate_apps("turnframe_django")
def test_a_transition_may_not_be_a_coroutine() -> None:
    async def shut(self: Any) -> None:
        """Never runs."""

    with pytest.raises(TypeError, match=r"Door\.shut is a coroutine"):
        declare(move("state", "open", "shut")(shut))


@isolate_apps("turnframe_django")
@pytest.mark.parametrize("target", [RETURN_VALUE("shut"), GET_STATE(lambda self: "shut")])
def test_a_transition_may_not_compute_its_target(target: Any) -> None:
    with pytest.raises(TypeError, match=r"Door\.shut computes its target"):
        declare(move("state", "open", target)(lambda self: "shut"))


@isolate_apps("turnframe_django")
def test_a_move_whose_body_fails_leaves_the_state() -> None:
    def shut(self: Any) -> None:
        raise ZeroDivisionError

    door: Any = declare(move("state", "open", "shut")(shut))()
    with pytest.raises(ZeroDivisionError):
        door.shut()
    assert door.state == "open"


def test_a_move_that_is_not_declared_is_refused() -> None:
    turn = TurnFactory.build(phase=TurnPhase.DELIVERED)
    with pytest.raises(TransitionNotAllowed):
        turn.reduce()
    assert turn.phase == "delivered"


# 8. Deferring the state costs nothing until somebody asks for it.


@pytest.mark.django_db
def test_rows_without_their_state_are_read_in_one_statement(count_statements: Counting) -> None:
    conversation = ConversationFactory.create()
    for _ in range(5):
        TurnFactory.create(conversation=conversation)
    with count_statements() as statements:
        turns = list(Turn.objects.only("id").order_by("ordinal"))
    assert len(statements.work) == 1, statements
    with count_statements() as statements:
        assert turns[0].phase == "received"
    assert len(statements.work) == 1, statements


# 9. The state is plain text, always.


@pytest.mark.django_db
def test_the_state_is_plain_text_when_new_moved_and_reloaded() -> None:
    turn = TurnFactory.create(phase=TurnPhase.RECEIVED)
    seen = [turn.phase]
    turn.reduce()
    seen.append(turn.phase)
    turn.save()
    turn.refresh_from_db()
    seen += [turn.phase, Turn.objects.get(pk=turn.pk).phase, pickle.loads(pickle.dumps(turn)).phase, copy.deepcopy(turn).phase]
    assert [type(state) for state in seen] == [str] * 6
    assert seen == ["received", *["reduced"] * 5]
    assert turn.phase == TurnPhase.REDUCED


def test_the_default_is_plain_text() -> None:
    assert type(Turn().phase) is str
    assert type(Interaction().status) is str


# 10. Nothing that is typed in reaches the state.


@pytest.mark.django_db
def test_a_serializer_reads_the_state_and_never_writes_it() -> None:
    class TurnSerializer(serializers.ModelSerializer[Turn]):
        class Meta:
            model = Turn
            fields = ("phase", "memory")

    turn = TurnFactory.create()
    serializer = TurnSerializer(turn, data={"phase": "delivered", "memory": "{}"}, partial=True)
    assert serializer.is_valid()
    serializer.save()
    assert serializer.data == {"phase": "received", "memory": "{}"}


def test_a_form_leaves_the_state_out() -> None:
    assert "phase" not in modelform_factory(Turn, fields="__all__").base_fields


# 11. Migrations name our paths and plain values.


def test_a_migration_names_our_path_and_plain_values() -> None:
    field = StateField(max_length=16, default=TurnPhase.RECEIVED, choices=[("received", "Received")])
    assert field.deconstruct()[1:] == ("turnframe_django.fields.StateField", [], {"max_length": 16, "default": "received"})
    assert type(field.deconstruct()[3]["default"]) is str
    text, imports = MigrationWriter.serialize(field)
    assert text == "turnframe_django.fields.StateField(default='received', max_length=16)"
    assert imports == {"import turnframe_django.fields"}
    assert field.clone().protected


def test_no_migration_names_django_fsm_or_an_enum() -> None:
    for source in Path(migrations.__path__[0]).glob("0*.py"):
        text = source.read_text()
        assert "django_fsm" not in text
        assert "turnframe_django.protocol" not in text
        assert "bases=" not in text
