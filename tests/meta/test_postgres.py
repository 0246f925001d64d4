"""A PostgreSQL that does not start ends the run; nothing is left out because of it."""

from pathlib import Path

import pytest

from tests import postgres


@pytest.fixture
def unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(postgres.ADDRESS, raising=False)


def programs(folder: Path, **bodies: str) -> Path:
    """Make programs of the shell that stand in for PostgreSQL's, where any user may run them."""
    for name, body in bodies.items():
        (folder / name).write_text(f"#!/bin/sh\n{body}\n")
        (folder / name).chmod(0o755)
    return folder


@pytest.mark.usefixtures("unset")
@pytest.mark.parametrize(
    ("initdb", "server", "told"),
    [("echo no room; exit 1", "exit 0", "no room"), ("exit 0", "echo in use; exit 1", "in use")],
    ids=["initdb", "start"],
)
def test_a_server_that_does_not_start_is_an_error_that_says_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, initdb: str, server: str, told: str
):
    stand_ins = programs(tmp_path, initdb=initdb, postgres=server, pg_isready="exit 1")
    monkeypatch.setattr(postgres, "_programs", lambda: stand_ins)
    monkeypatch.setattr(postgres._Server, "_reachable", lambda server, found: found)
    monkeypatch.setattr(postgres, "_unprivileged_user", lambda: None)
    with pytest.raises(RuntimeError, match=told):
        postgres.address()


def test_a_server_that_is_named_is_used(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(postgres.ADDRESS, "postgresql://desk@db.example/travel")
    assert postgres.address() == "postgresql://desk@db.example/travel"
