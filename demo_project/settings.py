"""The demo's settings: SQLite and the in-memory channel layer unless the environment says otherwise.

``TURNFRAME_DATABASE_URL`` names another database, ``TURNFRAME_ALLOWED_HOSTS`` the host names to answer to (comma separated), and
``DJANGO_SECRET_KEY`` a key of your own.
"""

import os
from pathlib import Path
from typing import Any

from django.utils.translation import gettext_lazy as _

from demo_project import databases

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = BASE_DIR / "var"
VAR_DIR.mkdir(exist_ok=True)

SECRET_KEY = os.environ.get("DJANGO_SECRET_KEY", "only-for-the-demo-on-your-own-machine-0123456789")
DEBUG = True
ALLOWED_HOSTS = os.environ.get("TURNFRAME_ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]").split(",")

INSTALLED_APPS = [
    "daphne",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "rest_framework",
    "turnframe_django",
    "demo_project.travel",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "demo_project.urls"
ASGI_APPLICATION = "demo_project.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

DATABASE_URL = os.environ.get("TURNFRAME_DATABASE_URL")
DATABASES: dict[str, dict[str, Any]] = {
    "default": databases.from_url(DATABASE_URL) if DATABASE_URL else databases.sqlite(VAR_DIR / "demo.sqlite3"),
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}

LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("it", _("Italian"))]
LOCALE_PATHS = [BASE_DIR / "demo_project" / "locale"]
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "rest_framework.authentication.SessionAuthentication",
        "rest_framework.authentication.BasicAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
}

#: How long the demo's airline takes to answer, in seconds.
AIRLINE_DELAY = 2

TURNFRAME = {
    "INTERPRETER": "demo_project.offline.OfflineInterpreter",
}
