"""The app as Django knows it."""

from django.apps import AppConfig


class TravelConfig(AppConfig):
    """The travel desk. Its workflow is found in ``workflows.py``."""

    name = "demo_project.travel"
    label = "travel"
