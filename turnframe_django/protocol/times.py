"""How a moment is written on the wire: one function, so that every face writes the same bytes."""

from datetime import UTC, datetime


def rfc3339(moment: datetime) -> str:
    """Return ``moment`` in UTC as RFC 3339 text, always with six digits of a second and ``Z``. Raises ``ValueError`` when it is naive."""
    if moment.tzinfo is None:
        raise ValueError("A moment on the wire needs a time zone.")
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
