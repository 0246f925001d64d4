"""Migrations and the guards: a guarded table is never altered without its guards coming back in the same migration.

The operations are real: a schema editor rebuilds, retypes, renames and drops, on both databases, and every test undoes what it did.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.management import call_command
from django.db import DatabaseError, IntegrityError, connection, models, transaction
from django.db.migrations import AddField, AlterField, AlterModelTable, CreateModel, Migration, RemoveField, RunPython, RunSQL
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.operations.fields import FieldOperation
from django.db.migrations.operations.models import ModelOperation
from django.db.migrations.operations.special import SeparateDatabaseAndState

from tests import databases
from tests.factories import BlockFactory
from turnframe_django.models import Block, guards
from turnframe_django.models.guards import APP_LABEL, InstallGuards, LiftGuards

#: A longer author: on SQLite the table is rebuilt, on PostgreSQL the column is retyped. The guard names it.
LONGER_AUTHOR = AlterField("block", "author", models.CharField(max_length=16, default="server"))
ONLY_POSTGRESQL = pytest.mark.skipif(databases.VENDOR != "postgresql", reason="SQLite has no schemas and refuses no new type")
ONLY_SQLITE = pytest.mark.skipif(databases.VENDOR != "sqlite", reason="PostgreSQL never rebuilds a table")


def alters_a_guarded_table(operation: Operation) -> bool:
    """Whether the operation may touch a guarded table that is already there. SQL and code may do anything, so they count."""
    if isinstance(operation, SeparateDatabaseAndState):
        return any(alters_a_guarded_table(inner) for inner in operation.database_operations)
    if isinstance(operation, RunSQL | RunPython):
        return True
    if isinstance(operation, CreateModel) or not isinstance(operation, ModelOperation | FieldOperation):
        return False
    name = operation.model_name_lower if isinstance(operation, FieldOperation) else operation.name_lower
    return name in guarded_names()


def guarded_names() -> set[str]:
    return {model._meta.model_name or "" for model in guards.guarded_models()}


def creates_a_guarded_table(operation: Operation) -> bool:
    return isinstance(operation, CreateModel) and operation.name_lower in guarded_names()


def faults(migration: Migration) -> list[str]:
    """Say what is wrong with how a migration treats guarded tables."""
    operations, found = list(migration.operations), []
    altering = any(alters_a_guarded_table(operation) for operation in operations) and not migration.initial
    if altering and not isinstance(operations[0], LiftGuards):
        found.append("It alters a guarded table and does not begin with LiftGuards().")
    if (altering or any(map(creates_a_guarded_table, operations))) and not isinstance(operations[-1], InstallGuards):
        found.append("It touches a guarded table and does not end with InstallGuards().")
    return found


def a_migration(*operations: Operation) -> Migration:
    made = type("Made", (Migration,), {"operations": list(operations)})
    migration = made("9999_made_for_a_test", APP_LABEL)
    assert isinstance(migration, Migration)
    return migration


@contextmanager
def applied(*operations: Operation) -> Iterator[None]:
    """Apply the operations to the database, and undo them at the end."""
    migration, state = a_migration(*operations), MigrationLoader(connection).project_state()
    with connection.schema_editor(atomic=True) as editor:
        migration.apply(state.clone(), editor)
    try:
        yield
    finally:
        with connection.schema_editor(atomic=True) as editor:
            migration.unapply(state.clone(), editor)
        guards.install(connection)


def refused(block: Block, table: str = "turnframe_block", **values: Any) -> None:
    [(name, value)] = values.items()
    with pytest.raises(IntegrityError, match="turnframe: "), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f'UPDATE "{table}" SET "{name}" = %s', [value])


# The tree.


def test_every_migration_that_alters_a_guarded_table_lifts_its_guards_and_installs_them_again() -> None:
    loader = MigrationLoader(None, ignore_no_migrations=True)
    ours = {name: migration for (app, name), migration in loader.disk_migrations.items() if app == APP_LABEL}
    assert "0001_initial" in ours
    assert {name: faults(migration) for name, migration in ours.items() if faults(migration)} == {}


@pytest.mark.parametrize(
    "operations",
    [
        (LONGER_AUTHOR,),
        (LiftGuards(), LONGER_AUTHOR),
        (LONGER_AUTHOR, InstallGuards()),
        (LiftGuards(), InstallGuards(), LONGER_AUTHOR),
        (AlterModelTable("turn", "other"),),
        (RunSQL("UPDATE turnframe_block SET body = ''"),),
        (SeparateDatabaseAndState([LONGER_AUTHOR], []),),
        (CreateModel("Turn", []),),
    ],
)
def test_a_migration_without_the_two_operations_is_found(operations: tuple[Operation, ...]) -> None:
    assert faults(a_migration(*operations))


@pytest.mark.parametrize(
    "operations",
    [
        (LiftGuards(), LONGER_AUTHOR, InstallGuards()),
        (AddField("streamframe", "note", models.TextField(default="")),),
        (CreateModel("Turn", []), InstallGuards()),
    ],
)
def test_a_migration_that_keeps_the_guards_is_left_alone(operations: tuple[Operation, ...]) -> None:
    assert faults(a_migration(*operations)) == []


@pytest.mark.django_db
def test_the_models_have_no_change_without_a_migration() -> None:
    call_command("makemigrations", APP_LABEL, check=True, dry_run=True, verbosity=0, stdout=io.StringIO())


@pytest.mark.django_db(transaction=True)
def test_the_first_migration_prints_every_guard_as_sql() -> None:
    printed = io.StringIO()
    call_command("sqlmigrate", APP_LABEL, "0001", stdout=printed, no_color=True)
    assert printed.getvalue().count("CREATE TRIGGER") == len(guards.wanted(connection))


# The database.


@ONLY_SQLITE
@pytest.mark.django_db(transaction=True)
def test_a_rebuilt_table_has_lost_its_guard_until_migrate_ends() -> None:
    block = BlockFactory.create()
    with applied(LONGER_AUTHOR):
        assert guards.missing(connection) == ['UPDATE on "turnframe_block"']
        call_command("migrate", verbosity=0)
        assert guards.missing(connection) == []
        refused(block, body="another")


@ONLY_POSTGRESQL
@pytest.mark.django_db(transaction=True)
def test_a_guarded_column_cannot_be_retyped_under_its_guard() -> None:
    with pytest.raises(DatabaseError, match="used in a trigger definition"), applied(LONGER_AUTHOR):
        pass
    assert guards.missing(connection) == []


@pytest.mark.django_db(transaction=True)
def test_a_rebuilt_table_is_guarded_from_the_end_of_its_own_migration() -> None:
    block = BlockFactory.create()
    with applied(LiftGuards(), LONGER_AUTHOR, InstallGuards()):
        assert guards.missing(connection) == []
        refused(block, body="another")
        refused(block, author="model")
        call_command("migrate", verbosity=0)
        refused(block, body="another")
        assert Block.objects.get().body == block.body


@pytest.mark.django_db(transaction=True)
def test_a_migration_undone_leaves_the_guards_of_the_tables_before_it() -> None:
    block = BlockFactory.create()
    migration, state = a_migration(LiftGuards(), LONGER_AUTHOR, InstallGuards()), MigrationLoader(connection).project_state()
    with connection.schema_editor(atomic=True) as editor:
        migration.apply(state.clone(), editor)
    with connection.schema_editor(atomic=True) as editor:
        migration.unapply(state.clone(), editor)
    assert guards.missing(connection) == []
    refused(block, body="another")


@pytest.mark.django_db(transaction=True)
def test_a_guarded_column_can_be_dropped_and_the_rest_stays_guarded() -> None:
    with applied(LiftGuards(), RemoveField("block", "question"), InstallGuards()):
        with connection.cursor() as cursor:
            columns = {column.name for column in connection.introspection.get_table_description(cursor, "turnframe_block")}
            assert "question" not in columns
        # The declarations are ahead of the table or behind it, and the guard names what there is.
        state = MigrationLoader(connection).project_state().clone()
        RemoveField("block", "question").state_forwards(APP_LABEL, state)
        assert guards.install(connection, state.apps) == []


@pytest.mark.django_db(transaction=True)
def test_a_column_can_be_added_and_taken_away_again() -> None:
    block = BlockFactory.create()
    with applied(LiftGuards(), AddField("block", "note", models.TextField(default="")), InstallGuards()):
        refused(block, body="another")
    refused(block, body="another")


@pytest.mark.django_db(transaction=True)
def test_a_table_with_another_name_is_guarded_under_it() -> None:
    block, name = BlockFactory.create(), "The Desk's Blocks"
    with applied(LiftGuards(), AlterModelTable("block", name), InstallGuards()):
        refused(block, table=name, body="another")
    refused(block, body="another")


@pytest.mark.django_db(transaction=True)
def test_guards_follow_the_tables_to_zero_and_back() -> None:
    call_command("migrate", APP_LABEL, "zero", verbosity=0)
    assert guards.missing(connection) == []
    call_command("migrate", verbosity=0)
    assert guards.missing(connection) == []
    refused(BlockFactory.create(), body="another")


@ONLY_POSTGRESQL
@pytest.mark.django_db(transaction=True)
def test_guards_stand_in_the_schema_that_the_search_path_names() -> None:
    def run(*statements: str) -> None:
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    run("CREATE SCHEMA tenant", "SET search_path TO tenant")
    try:
        call_command("migrate", verbosity=0)
        assert guards.missing(connection) == []
        refused(BlockFactory.create(), body="another")
        run('DROP TRIGGER "turnframe_guard_block" ON "turnframe_block"')
        assert guards.missing(connection) == ['UPDATE on "turnframe_block"']
        run("SET search_path TO public")
        assert guards.missing(connection) == []
    finally:
        run("SET search_path TO public", "DROP SCHEMA tenant CASCADE")
