"""The demo's database is named by a URL."""

import pytest

from demo_project import databases


def test_a_url_of_postgresql_names_everything():
    entry = databases.from_url("postgresql://desk:p%40ss@db.example:5433/travel?sslmode=require")
    assert entry == {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "travel",
        "USER": "desk",
        "PASSWORD": "p@ss",
        "HOST": "db.example",
        "PORT": "5433",
        "OPTIONS": {"sslmode": "require"},
    }


def test_a_socket_is_named_by_its_folder():
    entry = databases.from_url("postgresql://postgres@/travel?host=/run/postgresql")
    assert (entry["HOST"], entry["PORT"], entry["OPTIONS"]) == ("/run/postgresql", "", {})


@pytest.mark.parametrize(
    ("url", "path"),
    [("sqlite:////srv/desk.sqlite3", "/srv/desk.sqlite3"), ("sqlite:///desk.sqlite3", "desk.sqlite3")],
    ids=["absolute", "relative"],
)
def test_a_file_of_sqlite_takes_concurrent_writers(url: str, path: str):
    entry = databases.from_url(url)
    assert entry["NAME"] == path
    assert entry["OPTIONS"]["transaction_mode"] == "IMMEDIATE"


def test_another_database_is_refused():
    with pytest.raises(ValueError, match="mysql"):
        databases.from_url("mysql://desk@localhost/travel")
