"""The decisions read nothing: no database, no web framework, no state machine."""

import subprocess
import sys
from pathlib import Path

PROBE = """
import sys
import turnframe_django.flow
from turnframe_django.flow import claims, reduction, reply
outside = ("rest_framework", "channels", "django_fsm", "django.db", "turnframe_django.models")
print(*sorted(name for name in sys.modules if name.startswith(outside)))
"""


def test_importing_the_decisions_imports_no_database() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PROBE], cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True, timeout=60
    )
    assert ran.stdout.strip() == ""
