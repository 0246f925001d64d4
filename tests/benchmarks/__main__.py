"""``python -m tests.benchmarks``: measure on a PostgreSQL of its own and on a SQLite file, one after the other, and print the tables.

Ratios hold within a run; milliseconds are those of this machine at this moment.
"""

import argparse
import os
import subprocess
import sys


def main() -> None:
    """Read the arguments; each database is measured by a process of its own, since Django knows one set of settings in each."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--database", choices=("postgres", "sqlite"), help="measure on this one only")
    parser.add_argument("--rounds", type=int, default=8, help="how often the sides take turns (8)")
    parser.add_argument("--requests", type=int, default=15, help="requests of each kind, side and round (15)")
    given = parser.parse_args()
    if given.database is None:
        for database in ("postgres", "sqlite"):
            subprocess.run([sys.executable, "-m", "tests.benchmarks", "--database", database, *sys.argv[1:]], check=True)
        return
    os.environ["TURNFRAME_TEST_DATABASE"] = given.database
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.benchmarks.settings"
    import django

    django.setup()
    from tests.benchmarks import run

    run.on_a_new_database(given.rounds, given.requests)


if __name__ == "__main__":
    main()
