"""The app's configuration."""

from django.apps import AppConfig


class HostConfig(AppConfig):
    """Tables are made from the models as they stand: the app has no migrations."""

    name = "tests.benchmarks.host"
    label = "benchmark_host"
    default_auto_field = "django.db.models.BigAutoField"
