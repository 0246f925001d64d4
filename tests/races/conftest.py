"""What the races stand on: rows that every connection sees, and an interpreter that every thread may ask."""

from collections.abc import Iterator

import pytest
from django.conf import LazySettings

from tests.desk import workflows as desk
from tests.runtime.readers import SETTING, nothing, reading


@pytest.fixture(autouse=True)
def interpreter(transactional_db: None, settings: LazySettings) -> Iterator[None]:
    """Let the settings' interpreter read, and nothing happen meanwhile."""
    settings.TURNFRAME = SETTING
    desk.SENT.clear()
    desk.ANSWER.clear()
    yield
    reading.during = nothing
