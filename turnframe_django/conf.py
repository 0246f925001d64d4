"""The settings of the app: one dictionary, ``TURNFRAME``, read through one typed accessor.

Each property is one key, documented where it is declared. Values are read when asked for, so a test that overrides the dictionary needs
nothing else. Unknown keys are refused by a system check.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, cast

from django.conf import settings as django_settings
from django.utils.module_loading import import_string


class Settings:
    """Typed access to ``settings.TURNFRAME``."""

    @classmethod
    def keys(cls) -> frozenset[str]:
        """Return every key that ``TURNFRAME`` may hold; what is derived from one of them is none."""
        return frozenset(name for name, member in vars(cls).items() if isinstance(member, property)) - {"TURN_BUDGET"}

    def _get(self, key: str, default: Any) -> Any:
        return getattr(django_settings, "TURNFRAME", {}).get(key, default)

    @property
    def INTERPRETER(self) -> str | None:
        """Dotted path to the interpreter: a class without arguments, or an instance, with ``async interpret(brief) -> Proposal``.

        Unset, a turn with text is refused with 503 ``assistant_unavailable`` before anything is stored; clicks work.
        """
        return cast("str | None", self._get("INTERPRETER", None))

    @property
    def ACTOR_RESOLVER(self) -> str:
        """Dotted path to ``resolve(user) -> Actor`` for an authenticated user. By default the account is the user."""
        return cast(str, self._get("ACTOR_RESOLVER", "turnframe_django.tenancy.account_is_user"))

    @property
    def MAX_TEXT_LENGTH(self) -> int:
        """Longest message, in characters."""
        return cast(int, self._get("MAX_TEXT_LENGTH", 50_000))

    @property
    def MAX_BODY_BYTES(self) -> int:
        """Longest request body, in bytes."""
        return cast(int, self._get("MAX_BODY_BYTES", 1024 * 1024))

    @property
    def MAX_JSON_DEPTH(self) -> int:
        """Deepest nesting of a request body, in levels."""
        return cast(int, self._get("MAX_JSON_DEPTH", 32))

    @property
    def MAX_COMMANDS(self) -> int:
        """Most commands of one turn; a plan of more is refused whole."""
        return cast(int, self._get("MAX_COMMANDS", 32))

    @property
    def TURN_BUDGET(self) -> timedelta:
        """The turn budget as a duration. No key of its own: set ``TURN_BUDGET_SECONDS``."""
        return timedelta(seconds=self.TURN_BUDGET_SECONDS)

    @property
    def TURN_BUDGET_SECONDS(self) -> float:
        """Wall-clock time a turn may take, in seconds; its lease lasts this and 30 seconds (``LEASE_GRACE``) more."""
        return cast(float, self._get("TURN_BUDGET_SECONDS", 60))

    @property
    def LOCK_WAIT_SECONDS(self) -> float:
        """How long a concurrent twin waits for the first, in seconds, before it is told to retry."""
        return cast(float, self._get("LOCK_WAIT_SECONDS", 5))

    @property
    def STAGE_THREADS(self) -> int:
        """Threads that run the database stages of asynchronous turns; keep it below the size of the connection pool."""
        return cast(int, self._get("STAGE_THREADS", 4))

    @property
    def STAGE_EXECUTOR(self) -> str | None:
        """Dotted path to a callable that returns the ``Executor`` of those stages; unset, a pool of ``STAGE_THREADS``."""
        return cast("str | None", self._get("STAGE_EXECUTOR", None))

    @property
    def OUTBOX_ATTEMPTS(self) -> int:
        """How often a delivery that may be repeated is tried before it is given up."""
        return cast(int, self._get("OUTBOX_ATTEMPTS", 5))


#: What is added to ``TURN_BUDGET`` for a lease.
LEASE_GRACE = timedelta(seconds=30)

settings = Settings()


def load(path: str) -> Callable[..., Any]:
    """Import the object that a setting names. Raises ``ImportError`` when there is none."""
    return cast("Callable[..., Any]", import_string(path))
