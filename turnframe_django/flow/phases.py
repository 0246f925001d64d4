"""The phases of a workflow: exactly one at a time, each owned by somebody.

The owner says what the view must carry: the user's a card, a terminal one an outcome (``view.py``).
"""

import enum
from dataclasses import dataclass
from typing import Literal, TypeAlias

from turnframe_django.flow.text import Text, visible

Owner: TypeAlias = Literal["system", "user", "external", "terminal"]


@dataclass(frozen=True, eq=False)
class Ownership:
    """Who moves a phase on. Compared by identity: two equal values would make one phase an alias of the other."""

    owner: Owner
    label: Text = ""


def system(label: Text = "") -> Ownership:
    """A phase in which the user talks and code decides."""
    return Ownership("system", label)


def user(label: Text = "") -> Ownership:
    """A phase that waits for the user's answer to a card."""
    return Ownership("user", label)


def external(label: Text = "") -> Ownership:
    """A phase that waits for somebody outside."""
    return Ownership("external", label)


def terminal(label: Text = "") -> Ownership:
    """A phase nothing follows; its view carries an outcome."""
    return Ownership("terminal", label)


class Phase(enum.Enum):
    """What an author's ``class Phase(flow.Phase)`` derives from; the members' values are ``system()``, ``user()`` and so on."""

    @property
    def key(self) -> str:
        """The stable name, as stored and sent."""
        return self.name.lower()

    @property
    def owner(self) -> Owner:
        """Who moves the phase on."""
        owner: Owner = self.value.owner
        return owner

    @property
    def label(self) -> str:
        """What a reader sees, in the active language."""
        return visible(str(self.value.label or self.name.replace("_", " ").capitalize()))
