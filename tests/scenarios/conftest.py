"""What the scenarios stand on."""

from turnframe_django.testing.plugin import scenario

__all__ = ["scenario"]
