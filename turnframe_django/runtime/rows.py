"""The one way rows are written and locked: SQL prepared once per model, one INSERT per table.

The ORM compiles a statement anew each time, and that costs more processor time than the statement. The shapes here never change, so each
is built once per model and database. Nothing outside ``runtime`` imports this module.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar
from uuid import UUID

from django.db import connections, models, router
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Field

from turnframe_django.models import Conversation, Counter

M = TypeVar("M", bound=models.Model)

#: Types whose Python value both drivers take as it is.
_PLAIN_TYPES = frozenset(
    {"CharField", "TextField", "BooleanField", "PositiveBigIntegerField", "PositiveIntegerField", "PositiveSmallIntegerField"}
)
#: The same, where the driver knows the type itself.
_PLAIN_ON_POSTGRESQL = _PLAIN_TYPES | {"UUIDField", "DateTimeField", "ForeignKey", "OneToOneField"}

_Converters = list[tuple[int, list[Callable[..., Any]], Any]]


def database() -> str:
    """Return the alias of the database that holds the conversations, and with them every row of the app."""
    return router.db_for_write(Conversation)


def connection() -> BaseDatabaseWrapper:
    """Return this thread's connection to that database."""
    return connections[database()]


def insert(model: type[M], rows: Sequence[M]) -> None:
    """Insert ``rows`` in one statement; an empty list writes nothing.

    Raises ``django.db.IntegrityError`` where a constraint refuses one.
    """
    if not rows:
        return
    db = connection()
    head, placeholders, fields = _prepared_insert(model, db)
    parameters: list[Any] = []
    for row in rows:
        values = row.__dict__
        for attname, field in fields:
            value = values[attname]
            parameters.append(value if field is None else field.get_db_prep_save(value, db))
    with db.cursor() as cursor:
        cursor.execute(head + ",".join([placeholders] * len(rows)), parameters)


def update(row: models.Model, *attnames: str) -> None:
    """Write the named columns of ``row``, which the caller has locked."""
    db = connection()
    sql, fields = _prepared_update(type(row), attnames, db)
    parameters = [field.get_db_prep_save(row.__dict__[field.attname], db) for field in fields]
    with db.cursor() as cursor:
        cursor.execute(sql, parameters)


def select(model: type[M], where: str, parameters: Sequence[Any], *, lock: bool = False, skip_locked: bool = False) -> list[M]:
    """Return the rows of ``model`` for which ``where`` holds, locked when ``lock`` is set.

    ``where`` is SQL written in this package with a placeholder per parameter; it may end in ORDER BY. ``skip_locked`` leaves out rows that
    somebody else holds. On SQLite the transaction already
    holds the only write lock there is.
    """
    db = connection()
    sql, names, converters = _prepared_select(model, where, lock, db)
    if skip_locked and db.features.has_select_for_update_skip_locked:
        sql += " SKIP LOCKED"
    with db.cursor() as cursor:
        cursor.execute(sql, [_plain(value, db) for value in parameters])
        found = cursor.fetchall()
    return [_instance(model, names, converters, record, db) for record in found]


def select_with_clock(model: type[M], where: str, parameters: Sequence[Any]) -> tuple[M, Any] | None:
    """Lock the one row for which ``where`` holds and read the database's clock in the same statement; None when there is no such row."""
    db = connection()
    sql, names, converters = _prepared_select(model, where, True, db, clock=True)
    with db.cursor() as cursor:
        cursor.execute(sql, [_plain(value, db) for value in parameters])
        found = cursor.fetchone()
    if found is None:
        return None
    return _instance(model, names, converters, found[:-1], db), found[-1]


def take(wanted: Mapping[str, int]) -> dict[str, int]:
    """Take ``wanted[scope]`` numbers from each counter and return the first of each.

    The counters are the last locks of a transaction and are taken in one sorted statement, so writers never wait for each other in a
    circle. A counter that does not exist starts at 1.
    """
    items = sorted((scope, count) for scope, count in wanted.items() if count)
    if not items:
        return {}
    db = connection()
    table = db.ops.quote_name(Counter._meta.db_table)
    sql = (
        f"INSERT INTO {table} (scope, value) VALUES {','.join(['(%s, %s)'] * len(items))} "
        f"ON CONFLICT (scope) DO UPDATE SET value = {table}.value + excluded.value RETURNING scope, value"
    )
    with db.cursor() as cursor:
        cursor.execute(sql, [part for item in items for part in item])
        last = dict(cursor.fetchall())
    return {scope: last[scope] - count + 1 for scope, count in items}


_inserts: dict[tuple[type[models.Model], str], tuple[str, str, list[tuple[str, "Field[Any, Any] | None"]]]] = {}
_updates: dict[tuple[type[models.Model], tuple[str, ...], str], tuple[str, list["Field[Any, Any]"]]] = {}
_selects: dict[tuple[type[models.Model], str, bool, bool, str], tuple[str, list[str], _Converters]] = {}


def _prepared_insert(model: type[M], db: BaseDatabaseWrapper) -> tuple[str, str, list[tuple[str, "Field[Any, Any] | None"]]]:
    key = (model, db.vendor)
    if key not in _inserts:
        plain = _PLAIN_ON_POSTGRESQL if db.vendor == "postgresql" else _PLAIN_TYPES
        fields = model._meta.concrete_fields
        columns = ",".join(_column(field, db) for field in fields)
        _inserts[key] = (
            f"INSERT INTO {db.ops.quote_name(model._meta.db_table)} ({columns}) VALUES ",
            "(" + ",".join(["%s"] * len(fields)) + ")",
            [(field.attname, None if field.get_internal_type() in plain else field) for field in fields],
        )
    return _inserts[key]


def _prepared_update(model: type[models.Model], attnames: tuple[str, ...], db: BaseDatabaseWrapper) -> tuple[str, list["Field[Any, Any]"]]:
    key = (model, attnames, db.vendor)
    if key not in _updates:
        by_name = {field.attname: field for field in model._meta.concrete_fields}
        fields = [by_name[name] for name in attnames]
        assignments = ", ".join(f"{_column(field, db)} = %s" for field in fields)
        primary = model._meta.pk
        _updates[key] = (
            f"UPDATE {db.ops.quote_name(model._meta.db_table)} SET {assignments} WHERE {_column(primary, db)} = %s",
            [*fields, primary],
        )
    return _updates[key]


def _prepared_select(
    model: type[models.Model], where: str, lock: bool, db: BaseDatabaseWrapper, *, clock: bool = False
) -> tuple[str, list[str], _Converters]:
    key = (model, where, lock, clock, db.vendor)
    if key not in _selects:
        fields = model._meta.concrete_fields
        columns = [_column(field, db) for field in fields]
        if clock:
            columns.append("clock_timestamp()" if db.vendor == "postgresql" else "strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now')")
        sql = f"SELECT {', '.join(columns)} FROM {db.ops.quote_name(model._meta.db_table)} WHERE {where}"
        if lock and db.features.has_select_for_update:
            # NO KEY: a row that refers to ours checks our key, and must not wait for a turn that never changes it.
            sql += " FOR NO KEY UPDATE" if db.features.has_select_for_no_key_update else " FOR UPDATE"
        converters: _Converters = []
        for index, field in enumerate(fields):
            # A key is read as the type of what it points at.
            column = field.get_col(model._meta.db_table)
            functions = [*db.ops.get_db_converters(column), *column.get_db_converters(db)]
            if functions:
                converters.append((index, functions, column))
        _selects[key] = (sql, [field.attname for field in fields], converters)
    return _selects[key]


def _column(field: "Field[Any, Any]", db: BaseDatabaseWrapper) -> str:
    assert field.column is not None, "a concrete field has a column"
    return db.ops.quote_name(field.column)


def _instance(model: type[M], names: list[str], converters: _Converters, record: Iterable[Any], db: BaseDatabaseWrapper) -> M:
    values = list(record)
    for index, functions, expression in converters:
        value = values[index]
        for function in functions:
            value = function(value, expression, db)
        values[index] = value
    return model.from_db(db.alias, names, values)


def _plain(value: Any, db: BaseDatabaseWrapper) -> Any:
    # SQLite keeps a UUID as 32 hexadecimal digits and knows no type for it.
    return value.hex if isinstance(value, UUID) and db.vendor == "sqlite" else value
