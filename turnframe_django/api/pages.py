"""Paging: what may stand in a query, and the cursors that a client hands back unread.

A cursor names the last row that was seen, so a page costs the same wherever it begins and no row is counted.
"""

import base64
import binascii
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from uuid import UUID

from rest_framework.request import Request

from turnframe_django.codec import LARGEST_INTEGER, is_clean_text
from turnframe_django.exceptions import Problem
from turnframe_django.protocol.inputs import LONGEST_NAME, MOST_ERRORS, invalid

DEFAULT_LIMIT = 50
LARGEST_LIMIT = 200

_DIGITS = re.compile(r"[0-9]{1,16}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_CURSOR_BYTES = 24


def parameters(request: Request, allowed: Iterable[str]) -> dict[str, str]:
    """Return the query parameters. Raises ``invalid_input`` for one that is not in ``allowed`` or is given twice."""
    known, given = set(allowed), dict(request.query_params.lists())
    unknown = [name for name in given if name not in known]
    if unknown:
        raise Problem(
            "invalid_input",
            errors=[
                {
                    "pointer": f"/{name[:LONGEST_NAME]}" if is_clean_text(name) else "",
                    "code": "unknown_parameter",
                    "detail": "This parameter is not known.",
                }
                for name in unknown[:MOST_ERRORS]
            ],
        )
    for name, values in given.items():
        if len(values) > 1:
            raise invalid(f"/{name}", "given_twice", "Give this parameter once.")
    return {name: values[-1] for name, values in given.items()}


def number(query: dict[str, str], name: str, default: int, *, lowest: int = 0, highest: int = LARGEST_INTEGER) -> int:
    """Return the whole number that the query gives for ``name``. Raises ``invalid_input``."""
    text = query.get(name)
    if text is None:
        return default
    if not _DIGITS.fullmatch(text) or not lowest <= int(text) <= highest:
        raise invalid(f"/{name}", "out_of_range", f"A whole number from {lowest} to {highest} is expected.")
    return int(text)


def limit(query: dict[str, str]) -> int:
    """Return how many rows the caller wants: 50 unless said otherwise, 200 at most. Raises ``invalid_input``."""
    return number(query, "limit", DEFAULT_LIMIT, lowest=1, highest=LARGEST_LIMIT)


def cursor_of(at: datetime, row: UUID) -> str:
    """Return the cursor that stands just behind the row of that moment and id."""
    packed = ((at - _EPOCH) // timedelta(microseconds=1)).to_bytes(8, "big") + row.bytes
    return base64.urlsafe_b64encode(packed).decode()


def position(query: dict[str, str]) -> tuple[datetime, UUID] | None:
    """Return the moment and id that the query's ``cursor`` names, or None for the first page. Raises ``invalid_input``."""
    text = query.get("cursor")
    if text is None:
        return None
    try:
        packed = base64.b64decode(text.encode("ascii"), altchars=b"-_", validate=True)
        if len(packed) != _CURSOR_BYTES:
            raise ValueError("wrong length")
        return _EPOCH + timedelta(microseconds=int.from_bytes(packed[:8], "big")), UUID(bytes=packed[8:])
    except (ValueError, OverflowError, binascii.Error):
        raise invalid("/cursor", "invalid_cursor", "This cursor was not made here.") from None
