"""The pytest plugin: ``scenario``, a factory of conversations to talk through. A test that uses it touches the database."""

import pytest

from turnframe_django.testing.scenario import Scenario, ScenarioFactory


@pytest.fixture
def scenario(db: None) -> ScenarioFactory:
    """Return a factory: ``scenario(TripWorkflow, record)`` opens a conversation about a saved or unsaved record, or about none yet."""
    return Scenario
