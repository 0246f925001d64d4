"""The app's configuration."""

from django.apps import AppConfig


class DeskConfig(AppConfig):
    """Tables are made from the models as they stand: the app has no migrations."""

    name = "tests.desk"
    label = "desk"
    default_auto_field = "django.db.models.BigAutoField"
