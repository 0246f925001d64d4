"""Every row there is, so that a test can say that nothing was written, or exactly what was."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.apps import apps
from django.db import connection
from django.db.models import Model

from tests.desk.models import Parcel
from turnframe_django.models import guards
from turnframe_django.models.fact import Guarded

Tables = dict[str, list[dict[str, Any]]]


def everything() -> Tables:
    """Return every row of the app and of the desk, by table."""
    models: list[type[Model]] = [*apps.get_app_config("turnframe").get_models(), Parcel]
    return {model.__name__: list(model._default_manager.order_by("pk").values()) for model in models}


def changed(before: Tables) -> dict[str, int]:
    """Return by how many rows each table grew since ``before``, and 0 for one whose rows are others; untouched tables are left out."""
    after = everything()
    return {name: len(after[name]) - len(rows) for name, rows in before.items() if after[name] != rows}


@contextmanager
def nothing_written() -> Iterator[None]:
    """Hold every table as it is: no row more, none less, none changed."""
    before = everything()
    yield
    assert everything() == before


@contextmanager
def unguarded(model: type[Guarded]) -> Iterator[None]:
    """Lift the database's guards of one table, as somebody with the keys of the database could."""
    table = connection.ops.quote_name(model._meta.db_table)
    held = [guard for guard in guards.wanted(connection) if guard.table == table]
    assert held, f"{table} is not guarded"
    connection.check_constraints()
    with connection.cursor() as cursor:
        for guard in held:
            cursor.execute(guard.drop)
    yield
    connection.check_constraints()
    with connection.cursor() as cursor:
        for guard in held:
            for statement in guard.create:
                cursor.execute(statement)
