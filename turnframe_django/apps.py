"""The app: what Django is told when it starts."""

from django.apps import AppConfig
from django.core.checks import register
from django.db.models.signals import post_migrate


class TurnframeConfig(AppConfig):
    """Finds the host's workflows, and puts the guards back after every ``migrate``."""

    name = "turnframe_django"
    label = "turnframe"
    verbose_name = "Turnframe"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from turnframe_django import checks, registry
        from turnframe_django.models import guards

        post_migrate.connect(guards.after_migrate, sender=self, dispatch_uid="turnframe.guards")
        registry.autodiscover()
        register(checks.check_setup)
