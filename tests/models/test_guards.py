"""The database refuses to rewrite a fact, whoever asks and however; every declared column is tried, so a new one is tried too."""

import datetime
import io
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import pytest
from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import DatabaseError, IntegrityError, NotSupportedError, connection, models, transaction

from tests import databases
from tests.factories import FACTORIES, NOW, BlockFactory, ConversationFactory, TurnFactory, make
from tests.statements import Statements
from turnframe_django import ids
from turnframe_django.models import Block, BlockEvent, Command, Conversation, InteractionTransition, Turn, guards
from turnframe_django.models.fact import Fact, Guarded

Counting = Callable[[], AbstractContextManager[Statements]]

#: The columns of guarded tables that the runtime may change. A column that is neither here nor declared fails a test.
MUTABLE: dict[str, set[str]] = {
    "Conversation": {"title", "locale", "last_ordinal", "lease_token", "lease_turn", "lease_until", "last_activity_at"},
    "Turn": {"phase", "lease_token", "memory"},
    "Interaction": {"status", "resolved_option_id", "resolved_at", "resolved_turn_id", "failure_code"},
    "Command": {"status", "decision", "reason"},
    "OutboxEntry": {
        "status",
        "attempts",
        "next_attempt_at",
        "claimed_by",
        "claimed_at",
        "completed_at",
        "remote_ref",
        "last_failure",
    },
}
#: First values of write-once columns that the table accepts, where any text will not do.
ACCEPTED = {"origin": "confirmed_interaction"}

GUARDED = guards.guarded_models()
FACTS = [model for model in GUARDED if issubclass(model, Fact)]
REDACTABLE = [model for model in GUARDED if model.redactable]
NO_UPDATE = [BlockEvent, InteractionTransition]
FROZEN = [(model, name) for model in GUARDED for name in model.frozen]
WRITE_ONCE = [(model, name) for model in GUARDED for name in model.write_once]
TEXTS = [(model, name) for model in GUARDED for name in model.redactable]
DOOR = {"redacted_at": NOW, "redaction_authority": "privacy office"}

Update = Callable[[models.Model, dict[str, Any]], None]


def by_queryset(row: models.Model, values: dict[str, Any]) -> None:
    type(row)._base_manager.filter(pk=row.pk).update(**values)


def by_sql(row: models.Model, values: dict[str, Any]) -> None:
    pairs = [(stored(row, name), value) for name, value in values.items()]
    sql = f"UPDATE {table(row)} SET {', '.join(f'{quoted(field)} = %s' for field, _ in pairs)} WHERE {quoted(stored(row, 'pk'))} = %s"
    with connection.cursor() as cursor:
        cursor.execute(sql, [field.get_db_prep_save(value, connection) for field, value in [*pairs, (stored(row, "pk"), row.pk)]])


def delete(row: models.Model) -> None:
    key = stored(row, "pk")
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {table(row)} WHERE {quoted(key)} = %s", [key.get_db_prep_save(row.pk, connection)])


def stored(row: models.Model, name: str) -> "models.Field[Any, Any]":
    field = row._meta.pk if name == "pk" else row._meta.get_field(name)
    assert isinstance(field, models.Field)
    return field


def quoted(field: "models.Field[Any, Any]") -> str:
    assert field.column
    return connection.ops.quote_name(field.column)


def table(row: models.Model) -> str:
    return connection.ops.quote_name(row._meta.db_table)


def refused(update: Update, row: models.Model, **values: Any) -> None:
    """Fail unless the guard, and nothing else, refuses this update."""
    with pytest.raises(IntegrityError, match="turnframe: "), transaction.atomic():
        update(row, values)


def another(row: models.Model, name: str) -> Any:
    """Return a value of the column's type that the row does not have."""
    field, value = row._meta.get_field(name), getattr(row, name)
    kind = field.target_field.get_internal_type() if isinstance(field, models.ForeignKey) else field.get_internal_type()
    if kind == "UUIDField":
        return ids.new_id()
    if kind == "DateTimeField":
        return (value or NOW) + datetime.timedelta(seconds=1)
    if kind == "BooleanField":
        return not value
    if "Integer" in kind:
        return (value or 0) + 1
    return "~" if value != "~" else "-"


def first_value(row: models.Model, name: str) -> Any:
    """Return a value that the row accepts in a column that is still empty."""
    field = row._meta.get_field(name)
    if isinstance(field, models.ForeignKey):
        return make(field.related_model).pk
    return ACCEPTED.get(name) or another(row, name)


def unwritten(model: type[Guarded]) -> models.Model:
    """Return a row whose write-once columns are all empty."""
    return make(model, awaiting=True) if model is Command else make(model)


either_way = pytest.mark.parametrize("update", [by_queryset, by_sql])


def each_model(chosen: Sequence[type[Guarded]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("model", chosen, ids=[model.__name__ for model in chosen])


def each_column(chosen: Sequence[tuple[type[Guarded], str]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("model", "name"), chosen, ids=[f"{model.__name__}.{name}" for model, name in chosen])


# What is declared.


def test_the_guarded_tables_are_the_facts_and_the_replay_record() -> None:
    facts = "Conversation Turn Block BlockEvent Interaction InteractionOption InteractionTransition Command DomainEvent OutboxEntry"
    assert {model.__name__ for model in GUARDED} == {*facts.split(), "ReplayRecord"}
    assert {model.__name__ for model in GUARDED if issubclass(model, Fact)} == set(facts.split())


@each_model(GUARDED)
def test_every_column_is_declared_or_known_to_change(model: type[Guarded]) -> None:
    held = {*model.frozen, *model.write_once}
    changing = MUTABLE.get(model.__name__, set())
    stamps = set(guards.STAMP) if model.redactable else set()
    assert held | changing | stamps == {field.attname for field in model._meta.concrete_fields}
    assert not held & changing
    assert not set(model.frozen) & set(model.write_once)


@each_column(TEXTS)
def test_a_redactable_column_is_a_text_that_is_never_null(model: type[Guarded], name: str) -> None:
    field = model._meta.get_field(name)
    assert field.get_internal_type() == "TextField"
    assert not field.null


@each_model(REDACTABLE)
def test_a_guarded_text_has_its_stamp_beside_it(model: type[Guarded]) -> None:
    assert set(guards.STAMP) < {field.attname for field in model._meta.concrete_fields}


# Frozen columns.


@pytest.mark.django_db
@either_way
@each_column(FROZEN)
def test_a_frozen_column_never_changes(model: type[Guarded], name: str, update: Update) -> None:
    row = make(model)
    refused(update, row, **{name: another(row, name)})


@pytest.mark.django_db
@each_column([(model, name) for model, name in FROZEN if not model._meta.get_field(name).null and name != "id"])
def test_a_frozen_column_is_never_emptied(model: type[Guarded], name: str) -> None:
    refused(by_sql, make(model), **{name: None})


@pytest.mark.django_db
@either_way
@each_model(GUARDED)
def test_a_column_that_changes_takes_no_frozen_one_along(model: type[Guarded], update: Update) -> None:
    changing = sorted(MUTABLE.get(model.__name__, set()))
    row = make(model)
    refused(update, row, **{name: getattr(row, name) for name in changing}, **{model.frozen[1]: another(row, model.frozen[1])})


@pytest.mark.django_db
def test_what_the_runtime_changes_may_change() -> None:
    turn = TurnFactory.create()
    turn.reduce()
    turn.memory, turn.lease_token = '{"asked":"date"}', 7
    turn.save()
    Conversation.objects.filter(pk=turn.conversation_id).update(last_ordinal=4, lease_token=2, title="Rome in June")
    assert Turn.objects.get().lease_token == 7


@pytest.mark.django_db
@each_model([model for model in GUARDED if model not in NO_UPDATE])
def test_an_update_that_changes_nothing_passes(model: type[Guarded]) -> None:
    row = make(model)
    by_queryset(row, {name: getattr(row, name) for name in model.frozen})


@pytest.mark.django_db
@each_model(NO_UPDATE)
def test_some_rows_refuse_even_an_update_that_changes_nothing(model: type[Guarded]) -> None:
    row = make(model)
    refused(by_queryset, row, **{model.frozen[1]: getattr(row, model.frozen[1])})


@pytest.mark.django_db
def test_a_refusal_rolls_back_the_whole_statement() -> None:
    first, second = BlockFactory.create(), BlockFactory.create()
    with pytest.raises(IntegrityError, match="turnframe: UPDATE of turnframe_block is refused"), transaction.atomic():
        Block.objects.update(digest="0")
    assert {block.digest for block in Block.objects.all()} == {first.digest, second.digest}


@pytest.mark.django_db
def test_saving_a_changed_fact_is_refused_too() -> None:
    block = BlockFactory.create()
    block.body = "another"
    with pytest.raises(IntegrityError, match="turnframe: "), transaction.atomic():
        block.save()
    with pytest.raises(IntegrityError, match="turnframe: "), transaction.atomic():
        Block.objects.bulk_update([block], ["body"])
    with pytest.raises(IntegrityError, match="turnframe: "), transaction.atomic():
        Block.objects.bulk_create([block], update_conflicts=True, update_fields=["body"], unique_fields=["id"])


# Write-once columns.


@pytest.mark.django_db
@either_way
@each_column(WRITE_ONCE)
def test_a_write_once_column_is_written_once(model: type[Guarded], name: str, update: Update) -> None:
    row = unwritten(model)
    update(row, {name: first_value(row, name)})
    row.refresh_from_db()
    refused(update, row, **{name: another(row, name)})
    field = row._meta.get_field(name)
    refused(update, row, **{name: None if field.null else ""})
    if field.get_internal_type() in {"CharField", "TextField"}:
        refused(update, row, **{name: ""})


@pytest.mark.django_db
@each_column(WRITE_ONCE)
def test_a_write_once_column_takes_no_frozen_one_along(model: type[Guarded], name: str) -> None:
    row = unwritten(model)
    refused(by_queryset, row, **{name: first_value(row, name), model.frozen[-1]: another(row, model.frozen[-1])})


# The door.


def emptied(model: type[Guarded], **changes: Any) -> dict[str, Any]:
    """Return the one update that redacts a row, with ``changes`` made to it."""
    return dict.fromkeys(model.redactable, "") | DOOR | changes


@pytest.mark.django_db
@either_way
@each_model(REDACTABLE)
def test_the_door_empties_every_guarded_text_of_a_row_with_its_stamp(model: type[Guarded], update: Update) -> None:
    row: Any = make(model)
    before = {name: getattr(row, name) for name in model.frozen if name not in model.redactable}
    update(row, emptied(model))
    row = model._base_manager.get(pk=row.pk)
    assert [getattr(row, name) for name in model.redactable] == [""] * len(model.redactable)
    assert row.is_redacted
    assert {name: getattr(row, name) for name in before} == before


@pytest.mark.django_db
@either_way
@each_model(REDACTABLE)
def test_the_door_works_once(model: type[Guarded], update: Update) -> None:
    row = make(model)
    by_queryset(row, emptied(model))
    later = NOW + datetime.timedelta(days=1)
    refused(update, row, **emptied(model, redacted_at=later, redaction_authority="somebody else"))
    refused(update, row, redacted_at=later)
    refused(update, row, redaction_authority="somebody else")
    refused(update, row, redacted_at=None, redaction_authority=None)
    for name in model.redactable:
        refused(update, row, **{name: "written back"})
    refused(update, row, **dict.fromkeys(model.redactable, "written back"), redacted_at=None, redaction_authority=None)


@pytest.mark.django_db
@either_way
@each_column(TEXTS)
def test_the_door_opens_only_for_all_texts_emptied_and_both_stamps(model: type[Guarded], name: str, update: Update) -> None:
    row = make(model)
    if name in model.frozen:
        refused(update, row, **{name: ""})
        refused(update, row, **dict.fromkeys(model.redactable, ""))
    refused(update, row, **DOOR)
    refused(update, row, **emptied(model, redaction_authority=None))
    refused(update, row, **emptied(model, redaction_authority=""))
    refused(update, row, **emptied(model, redacted_at=None))
    refused(update, row, **emptied(model, **{name: getattr(row, name)}))
    refused(update, row, **emptied(model, **{name: "[redacted]"}))
    refused(update, row, **emptied(model, **{name: " "}))
    refused(by_sql, row, **emptied(model, **{name: None}))


@pytest.mark.django_db
@each_column([(model, name) for model, name in FROZEN if model.redactable and name not in model.redactable])
def test_the_door_lets_no_other_frozen_column_through(model: type[Guarded], name: str) -> None:
    row = make(model)
    refused(by_queryset, row, **emptied(model, **{name: another(row, name)}))


@pytest.mark.django_db
@each_column(WRITE_ONCE)
def test_the_door_lets_no_write_once_column_change(model: type[Guarded], name: str) -> None:
    row = unwritten(model)
    by_queryset(row, {name: first_value(row, name)})
    row.refresh_from_db()
    refused(by_queryset, row, **emptied(model, **{name: another(row, name)}))


@pytest.mark.django_db
def test_a_title_may_change_until_it_is_redacted() -> None:
    conversation = ConversationFactory.create()
    by_queryset(conversation, {"title": "Rome in June"})
    by_queryset(conversation, emptied(Conversation))
    refused(by_queryset, conversation, title="Rome again")
    by_queryset(conversation, {"last_ordinal": 9})


# Deleting.


@pytest.mark.django_db
@each_model(FACTS)
def test_deleting_a_fact_behind_the_models_is_refused_by_postgresql_alone(model: type[Guarded]) -> None:
    row = make(model)
    if connection.vendor == "postgresql":
        with pytest.raises(IntegrityError, match="turnframe: DELETE of"), transaction.atomic():
            delete(row)
        with pytest.raises(IntegrityError, match="turnframe: DELETE of"), transaction.atomic():
            model._base_manager.filter(pk=row.pk)._raw_delete(connection.alias)
    else:
        delete(row)
        assert not model._base_manager.filter(pk=row.pk).exists()


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["StreamFrame", "ReplayRecord", "ModelCall", "ConversationCase"])
def test_what_retention_deletes_can_be_deleted(name: str) -> None:
    row = make(apps.get_model("turnframe", name))
    delete(row)
    assert not type(row)._base_manager.filter(pk=row.pk).exists()


def test_every_table_has_a_factory_here() -> None:
    assert set(apps.get_app_config("turnframe").get_models()) - set(FACTORIES) == {apps.get_model("turnframe", "Counter")}


# Installing.


def drop(name: str, table: str) -> None:
    where = f' ON "{table}"' if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(f'DROP TRIGGER "{name}"{where}')


@pytest.mark.django_db
def test_a_migrated_database_has_every_guard() -> None:
    assert guards.missing(connection) == []
    assert len(guards.wanted(connection)) == (len(GUARDED) if connection.vendor == "sqlite" else len(GUARDED) + len(FACTS))


@pytest.mark.django_db
def test_equal_guards_are_left_alone(count_statements: Counting) -> None:
    with count_statements() as statements:
        assert guards.install(connection) == []
    assert len(statements.work) == 1, statements


@pytest.mark.django_db
def test_a_dropped_guard_is_missed_and_made_again() -> None:
    drop("turnframe_guard_block", "turnframe_block")
    assert guards.missing(connection) == ['UPDATE on "turnframe_block"']
    block = BlockFactory.create()
    by_queryset(block, {"question": "changed meanwhile"})
    assert guards.install(connection) == ['UPDATE on "turnframe_block"']
    refused(by_queryset, block, question="changed again")
    assert guards.missing(connection) == []


@pytest.mark.django_db
def test_a_guard_of_another_form_is_missed_and_replaced() -> None:
    drop("turnframe_guard_block", "turnframe_block")
    weaker = 'CREATE TRIGGER "turnframe_guard_block" BEFORE UPDATE ON "turnframe_block" FOR EACH ROW WHEN (OLD."body" <> NEW."body")'
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"{weaker} EXECUTE FUNCTION turnframe_refuse()")
        else:
            cursor.execute(f"{weaker} BEGIN SELECT RAISE(ABORT, 'turnframe: no'); END")
    assert guards.missing(connection) == ['UPDATE on "turnframe_block"']
    guards.install(connection)
    refused(by_queryset, BlockFactory.create(), digest="0")


@pytest.mark.django_db
def test_a_changed_declaration_is_a_guard_of_another_form(monkeypatch: pytest.MonkeyPatch) -> None:
    block = BlockFactory.create()
    with monkeypatch.context() as changed:
        changed.setattr(Block, "frozen", tuple(name for name in Block.frozen if name != "question"))
        assert guards.install(connection) == ['UPDATE on "turnframe_block"']
        by_queryset(block, {"question": "no longer held"})
    assert guards.install(connection) == ['UPDATE on "turnframe_block"']
    refused(by_queryset, block, question="held again")


@pytest.mark.django_db
def test_a_column_that_is_never_empty_cannot_be_declared_write_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Turn, "write_once", (*Turn.write_once, "lease_token"))
    with pytest.raises(ImproperlyConfigured, match=r"Turn\.lease_token is never empty"):
        guards.wanted(connection)


@pytest.mark.django_db
def test_a_database_without_known_guards_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "vendor", "oracle")
    with pytest.raises(NotSupportedError, match="SQLite or PostgreSQL"):
        guards.install(connection)


@pytest.mark.django_db
@pytest.mark.skipif(databases.VENDOR != "postgresql", reason="SQLite has no disabled triggers")
def test_a_disabled_guard_is_missed_and_made_again() -> None:
    with connection.cursor() as cursor:
        cursor.execute('ALTER TABLE "turnframe_turn" DISABLE TRIGGER USER')
    assert guards.missing(connection) == ['UPDATE on "turnframe_turn"', 'DELETE on "turnframe_turn"']
    guards.install(connection)
    assert guards.missing(connection) == []
    refused(by_queryset, TurnFactory.create(), input="")


@pytest.mark.django_db
def test_a_table_that_is_not_there_misses_no_guard() -> None:
    model = apps.get_model("turnframe", "ReplayRecord")
    with connection.cursor() as cursor:
        cursor.execute(f'DROP TABLE "{model._meta.db_table}"')
    assert guards.missing(connection) == []
    assert guards.install(connection) == []


@pytest.mark.django_db
def test_a_router_that_keeps_the_tables_elsewhere_keeps_the_guards_away(settings: Any) -> None:
    class Elsewhere:
        def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool | None:
            return False if app_label == "turnframe" else None

    settings.DATABASE_ROUTERS = [Elsewhere()]
    assert guards.wanted(connection) == []
    assert guards.install(connection) == []


@pytest.mark.django_db(transaction=True)
def test_a_flush_empties_every_table_and_keeps_the_guards() -> None:
    for model in FACTORIES:
        make(model)
    call_command("flush", interactive=False, verbosity=0, stdout=io.StringIO())
    assert {model.__name__ for model in FACTORIES if model._base_manager.exists()} == set()
    assert guards.missing(connection) == []
    refused(by_queryset, BlockFactory.create(), body="")


@pytest.mark.django_db
def test_a_refusal_names_its_trigger_where_the_database_can_say_so() -> None:
    block = BlockFactory.create()
    with pytest.raises(DatabaseError) as refusal, transaction.atomic():
        by_queryset(block, {"body": ""})
    cause: Any = refusal.value.__cause__
    if connection.vendor == "postgresql":
        assert (cause.diag.table_name, cause.diag.constraint_name) == ("turnframe_block", "turnframe_guard_block")
    else:
        assert cause.sqlite_errorname == "SQLITE_CONSTRAINT_TRIGGER"
