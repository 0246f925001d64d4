"""The settings of a benchmark: those of the tests, the tables of the naive baseline, and connections from a pool.

A turn gives its connection back while a model works; without a pool that would measure how long PostgreSQL takes to start a process.
"""

from tests import databases
from tests.settings import *  # noqa: F403
from tests.settings import DATABASES, INSTALLED_APPS, MIGRATION_MODULES

INSTALLED_APPS = [*INSTALLED_APPS, "tests.benchmarks.host"]
MIGRATION_MODULES = {**MIGRATION_MODULES, "benchmark_host": None}
ROOT_URLCONF = "tests.benchmarks.urls"
TURNFRAME = {"INTERPRETER": "tests.benchmarks.operations.interpreter"}
if databases.VENDOR == "postgresql":
    # One connection, so that its process is the one whose processor time is read.
    DATABASES["default"]["OPTIONS"]["pool"] = {"min_size": 1, "max_size": 1}
