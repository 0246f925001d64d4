"""The guards: triggers by which the database itself refuses to rewrite a fact, on SQLite and on PostgreSQL.

What is held is declared on the models (``Guarded``). The triggers are compared after every ``migrate`` and made again where they differ,
because SQLite drops them when a migration rebuilds a table, and PostgreSQL when it drops a column that they name. While a guard names a
column, PostgreSQL refuses to change its type and SQLite to drop it, so a migration that alters a guarded table begins with ``LiftGuards()``
and ends with ``InstallGuards()``.

A refusal is an ``IntegrityError`` whose text begins with ``turnframe:``. DELETE is refused on PostgreSQL only: on SQLite ``flush`` deletes
row by row, and there the models hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, cast

from django.apps import apps as installed_apps
from django.apps.registry import Apps
from django.core.exceptions import ImproperlyConfigured
from django.db import NotSupportedError, connections, models, router
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from turnframe_django import codec
from turnframe_django.models.fact import Fact, Guarded

APP_LABEL: Final = "turnframe"
_EMPTY: Final = "''"
STAMP: Final = ("redacted_at", "redaction_authority")

# One function serves every table: the condition stands in each trigger, so an update that breaks nothing never calls it.
_FUNCTION: Final = """CREATE OR REPLACE FUNCTION turnframe_refuse() RETURNS trigger LANGUAGE plpgsql AS $turnframe$
BEGIN
  RAISE EXCEPTION 'turnframe: % of % is refused, its rows are written once', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'check_violation', SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME, CONSTRAINT = TG_NAME;
END $turnframe$"""

_PRESENT_ON_POSTGRESQL: Final = """
SELECT wanted.place, held.tgname, note.description
FROM unnest(%s::text[]) AS wanted(place)
LEFT JOIN pg_catalog.pg_trigger held ON held.tgrelid = to_regclass(wanted.place) AND held.tgenabled IN ('O', 'A')
LEFT JOIN pg_catalog.pg_description note ON note.objoid = held.oid AND note.classoid = 'pg_catalog.pg_trigger'::regclass
WHERE to_regclass(wanted.place) IS NOT NULL"""

_PRESENT_ON_SQLITE: Final = """
SELECT tbl_name, CASE type WHEN 'trigger' THEN name END, sql FROM sqlite_master WHERE type IN ('table', 'trigger')"""

Execute = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Guard:
    """One trigger: its name, the table as SQL writes it, what it refuses, and the statements that make and drop it.

    ``mark`` is what an installed guard is compared by: a digest kept in the trigger's comment on PostgreSQL, the whole text on SQLite.
    """

    name: str
    table: str
    verb: str
    create: tuple[str, ...]
    drop: str
    mark: str

    def __str__(self) -> str:
        return f"{self.verb} on {self.table}"


def guarded_models() -> list[type[Guarded]]:
    """Return the models whose tables are guarded."""
    return [model for model in installed_apps.get_app_config(APP_LABEL).get_models() if issubclass(model, Guarded)]


def wanted(connection: BaseDatabaseWrapper, registry: Apps = installed_apps) -> list[Guard]:
    """Return the guards that ``connection`` should have.

    ``registry`` tells which tables and columns there are: a migration's own when it runs, since the declarations may be ahead of it.
    Raises ``NotSupportedError`` on a database for which no guard is known.
    """
    return [guard for model, table in _tables(connection, registry) for guard in _guards_of(connection, model, table)]


def missing(connection: BaseDatabaseWrapper) -> list[str]:
    """Return the guards that the existing tables lack, or hold in another form, as ``UPDATE on "table"``. One statement."""
    return [str(guard) for guard in _differing(connection, wanted(connection))]


def install(connection: BaseDatabaseWrapper, registry: Apps = installed_apps) -> list[str]:
    """Make the guards that are absent or differ, and return them as ``missing`` names them. Equal ones are left alone."""
    with connection.cursor() as cursor:
        return _make(connection, _differing(connection, wanted(connection, registry)), cursor.execute)


def after_migrate(using: str, apps: Apps = installed_apps, **kwargs: Any) -> None:
    """Install the guards on the database that was just migrated (``post_migrate``)."""
    install(connections[using], apps)


class InstallGuards(Operation):
    """End a migration that alters a guarded table: the guards are back before anything else runs. Backwards it lifts them."""

    reduces_to_sql = True
    reversible = True

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Change nothing: guards are no part of the models' state."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Make the guards that are absent or differ from what ``to_state`` calls for."""
        _install(schema_editor, to_state)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Drop the guards, so that the alterations before this operation can be undone; ``post_migrate`` makes them again."""
        _lift(schema_editor, from_state)

    def describe(self) -> str:
        """Say what the operation does."""
        return "Install the guards of written facts"

    @property
    def migration_name_fragment(self) -> str:
        """Name a migration of this operation alone."""
        return "install_guards"


class LiftGuards(Operation):
    """Begin a migration that alters a guarded table. ``InstallGuards`` ends it, in the same transaction."""

    reduces_to_sql = True
    reversible = True

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Change nothing: guards are no part of the models' state."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Drop the guards."""
        _lift(schema_editor, from_state)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Make the guards of the state that is restored."""
        _install(schema_editor, to_state)

    def describe(self) -> str:
        """Say what the operation does."""
        return "Lift the guards of written facts while their tables are altered"

    @property
    def migration_name_fragment(self) -> str:
        """Name a migration of this operation alone."""
        return "lift_guards"


def _install(editor: BaseDatabaseSchemaEditor, state: ProjectState) -> None:
    called_for = wanted(editor.connection, state.apps)
    # sqlmigrate only prints, so it prints all of them.
    _make(
        editor.connection,
        called_for if editor.collect_sql else _differing(editor.connection, called_for),
        partial(editor.execute, params=None),
    )


def _lift(editor: BaseDatabaseSchemaEditor, state: ProjectState) -> None:
    for guard in wanted(editor.connection, state.apps):
        editor.execute(guard.drop, params=None)


def _make(connection: BaseDatabaseWrapper, absent: list[Guard], execute: Execute) -> list[str]:
    if absent and connection.vendor == "postgresql":
        execute(_FUNCTION)
    for guard in absent:
        for statement in (guard.drop, *guard.create):
            execute(statement)
    return [str(guard) for guard in absent]


def _tables(connection: BaseDatabaseWrapper, registry: Apps) -> Iterable[tuple[type[Guarded], type[models.Model]]]:
    for model in guarded_models():
        try:
            table = registry.get_model(APP_LABEL, model.__name__)
        except LookupError:
            continue
        if router.allow_migrate_model(connection.alias, table) and table._meta.can_migrate(connection):
            yield model, table


def _guards_of(connection: BaseDatabaseWrapper, model: type[Guarded], table: type[models.Model]) -> Iterable[Guard]:
    quote = connection.ops.quote_name
    place, name = quote(table._meta.db_table), f"turnframe_guard_{table._meta.model_name}"
    if connection.vendor == "sqlite":
        when = _violation(model, table, quote, same="IS", differs="IS NOT")
        reason = f"turnframe: UPDATE of {table._meta.db_table} is refused, its rows are written once".replace("'", "''")
        create = f"CREATE TRIGGER {quote(name)} BEFORE UPDATE ON {place} FOR EACH ROW{when} BEGIN SELECT RAISE(ABORT, '{reason}'); END"
        yield Guard(name, place, "UPDATE", (create,), f"DROP TRIGGER IF EXISTS {quote(name)}", create)
    elif connection.vendor == "postgresql":
        when = _violation(model, table, quote, same="IS NOT DISTINCT FROM", differs="IS DISTINCT FROM")
        yield _postgresql_guard(quote(name), place, "UPDATE", when)
        if issubclass(model, Fact):
            yield _postgresql_guard(quote(f"{name}_delete"), place, "DELETE", "")
    else:
        raise NotSupportedError(f"Turnframe keeps its facts in SQLite or PostgreSQL, not in {connection.display_name}.")


def _postgresql_guard(name: str, place: str, verb: str, when: str) -> Guard:
    create = f"CREATE TRIGGER {name} BEFORE {verb} ON {place} FOR EACH ROW{when} EXECUTE FUNCTION turnframe_refuse()"
    mark = codec.digest(_FUNCTION + create)
    return Guard(
        name.strip('"'),
        place,
        verb,
        (create, f"COMMENT ON TRIGGER {name} ON {place} IS '{mark}'"),
        f"DROP TRIGGER IF EXISTS {name} ON {place}",
        mark,
    )


def _violation(model: type[Guarded], table: type[models.Model], quote: Callable[[str], str], *, same: str, differs: str) -> str:
    """Return the WHEN clause that is true of an update to refuse, or nothing where every update is.

    Every comparison is null-safe: a condition that came out as NULL would let the update through.
    """
    if set(model.frozen) >= {field.attname for field in model._meta.concrete_fields}:
        return ""
    columns = {
        attname: quote(cast(str, field.column))
        for field in table._meta.concrete_fields
        for attname in (field.attname,)
        if attname in {*model.frozen, *model.write_once, *model.redactable, *STAMP}
    }

    def only(names: Iterable[str]) -> list[str]:
        return [name for name in names if name in columns]

    def changes(name: str) -> str:
        return f"OLD.{columns[name]} {differs} NEW.{columns[name]}"

    def changes_again(name: str) -> str:
        field = table._meta.get_field(name)
        if not (field.null or field.get_internal_type() in {"CharField", "TextField"}):
            raise ImproperlyConfigured(f"{model.__name__}.{name} is never empty, so it cannot be written once.")
        return f"({changes(name)} AND OLD.{columns[name]} {differs} {'NULL' if field.null else _EMPTY})"

    texts, frozen, write_once, stamp = (only(names) for names in (model.redactable, model.frozen, model.write_once, STAMP))
    held = [changes(name) for name in (*frozen, *stamp)] + [changes_again(name) for name in write_once]
    if not stamp:
        return f" WHEN ({' OR '.join(held)})"
    # A text that may otherwise change stays empty once it was redacted.
    held += [f"(OLD.{columns[STAMP[0]]} {differs} NULL AND {changes(name)})" for name in texts if name not in frozen]
    door = [f"OLD.{columns[name]} {same} NULL AND NEW.{columns[name]} {differs} NULL" for name in stamp]
    door += [f"NEW.{columns[STAMP[1]]} {differs} {_EMPTY}"]
    door += [f"NEW.{columns[name]} {same} {_EMPTY}" for name in texts]
    door += [f"NOT {changes(name)}" for name in frozen if name not in texts]
    door += [f"NOT {changes_again(name)}" for name in write_once if name not in texts]
    return f" WHEN (({' OR '.join(held)}) AND NOT ({' AND '.join(door)}))"


def _differing(connection: BaseDatabaseWrapper, called_for: list[Guard]) -> list[Guard]:
    """Return those of ``called_for`` whose table exists and holds no such guard, or another one."""
    tables, marks = _present(connection, sorted({guard.table for guard in called_for}))
    return [guard for guard in called_for if guard.table in tables and marks.get((guard.table, guard.name)) != guard.mark]


def _present(connection: BaseDatabaseWrapper, places: list[str]) -> tuple[set[str], dict[tuple[str, str], str | None]]:
    """Return which of ``places`` exist, and the mark of each trigger on them by table and name."""
    quote = connection.ops.quote_name
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(_PRESENT_ON_POSTGRESQL, [places])
            found = cursor.fetchall()
        else:
            cursor.execute(_PRESENT_ON_SQLITE)
            found = [(quote(place), name, mark) for place, name, mark in cursor.fetchall()]
    return {place for place, _, _ in found}, {(place, name): mark for place, name, mark in found if name}
