"""For a host's own tests: a scenario to talk through, an interpreter that says what it is told, and a clock that can be moved.

``pytest_plugins = ["turnframe_django.testing.plugin"]`` gives the ``scenario`` fixture.
"""

from turnframe_django.runtime.clock import shifted as later
from turnframe_django.testing.scenario import Scenario, ScenarioFactory
from turnframe_django.understanding.scripted import Act, ScriptedInterpreter, act

__all__ = ["Act", "Scenario", "ScenarioFactory", "ScriptedInterpreter", "act", "later"]
