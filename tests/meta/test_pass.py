"""That a pass tests what it says it tests, and that the machinery of the tests itself holds."""

import socket
import warnings

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connection, transaction

from tests import databases
from tests.network import NetworkRefused
from tests.statements import counting
from tests.threads import together


@pytest.mark.django_db
def test_the_rows_are_where_the_pass_says():
    assert connection.vendor == databases.VENDOR
    name = str(connection.settings_dict["NAME"])
    assert databases.RUN in name
    assert "memory" not in name


@pytest.mark.django_db
def test_the_models_and_the_migrations_agree():
    call_command("makemigrations", check_changes=True, dry_run=True, verbosity=0)


@pytest.mark.django_db(transaction=True)
def test_sixteen_threads_that_lock_one_row_take_turns():
    user = get_user_model().objects.create(username="shared")

    def append(number: int) -> int:
        with transaction.atomic():
            locked = get_user_model().objects.select_for_update().get(pk=user.pk)
            locked.first_name += "+"
            locked.save()
        return number

    assert together(16, append) == list(range(16))
    user.refresh_from_db()
    assert user.first_name == "+" * 16


@pytest.mark.django_db(transaction=True)
def test_a_thread_that_fails_answers_with_its_exception():
    def fail(number: int) -> int:
        raise LookupError(number)

    assert [type(answer) for answer in together(2, fail)] == [LookupError, LookupError]


@pytest.mark.django_db
def test_statements_are_counted_without_those_around_them(count_statements):
    users = get_user_model().objects
    with count_statements() as statements, transaction.atomic():
        users.create(username="one")
        list(users.select_for_update())
    assert len(statements) > len(statements.work) == 2, statements
    assert len(statements.writes) == 1, statements


@pytest.mark.django_db
def test_a_count_shows_its_statements():
    with counting() as statements:
        get_user_model().objects.count()
    assert str(statements).startswith("  1. SELECT COUNT(*)")


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("example.com", 80), ("2001:db8::1", 80)], ids=lambda address: address[0])
def test_another_machine_is_out_of_reach(address: tuple[str, int]):
    with pytest.raises(NetworkRefused):
        socket.create_connection(address, timeout=0.01)


def test_this_machine_is_within_reach():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(("localhost", server.getsockname()[1]), timeout=5):
        pass


def test_a_deprecation_is_an_error():
    with pytest.raises(DeprecationWarning):
        warnings.warn("old", DeprecationWarning, stacklevel=1)
