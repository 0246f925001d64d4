"""The adopter's workflow, imported without leaving its names in the registry: the demo's trip has the same ones."""

from turnframe_django import registry

with registry.temporary(empty=True):
    from tests.flow.example.travel import workflows as trips

__all__ = ["trips"]
