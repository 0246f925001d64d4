"""The settings of the tests: the demo's, with the database of this pass, a test host app, and nothing slow.

No interpreter is set: a test that sends text says who reads it.
"""

from demo_project.settings import *  # noqa: F403
from demo_project.settings import INSTALLED_APPS as DEMO_APPS
from tests import databases

DEBUG = False
ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1"]
INSTALLED_APPS = [*(app for app in DEMO_APPS if app != "daphne"), "tests.desk"]
DATABASES = {"default": databases.database()}
MIGRATION_MODULES = {"desk": None}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
AIRLINE_DELAY = 0
TURNFRAME = {}
