"""The database of this pass: ``TURNFRAME_TEST_DATABASE`` is ``sqlite`` (the default) or ``postgres``.

Names hold the process id of the run, so that runs in one tree, or on one server, do not meet; pytest-django adds the worker's.
"""

import os
import tempfile
from pathlib import Path
from typing import Any

from demo_project import databases
from tests import postgres

RUN = os.environ.setdefault("TURNFRAME_TEST_RUN", str(os.getpid()))
PASSES = {"sqlite": "sqlite", "postgres": "postgresql"}
#: What ``connection.vendor`` says in this pass.
VENDOR = PASSES[os.environ.get("TURNFRAME_TEST_DATABASE", "sqlite")]


def database() -> dict[str, Any]:
    """The ``DATABASES`` entry of this pass. On PostgreSQL the server runs when this returns."""
    if VENDOR == "postgresql":
        entry = databases.from_url(postgres.address())
        return entry | {"TEST": {"NAME": f"test_turnframe_{RUN}"}}
    # Threads cannot share an in-memory database whose transactions begin IMMEDIATE.
    return databases.sqlite(sqlite_file()) | {"TEST": {"NAME": str(sqlite_file())}}


def sqlite_file() -> Path:
    """The file of this run; a worker's own begins with the same name."""
    return Path(tempfile.gettempdir()) / f"turnframe-test-{RUN}.sqlite3"


def sweep() -> None:
    """Remove what SQLite left beside its files: its write-ahead logs, when a thread died with an open connection."""
    for left in sqlite_file().parent.glob(f"{sqlite_file().name}*"):
        left.unlink(missing_ok=True)
