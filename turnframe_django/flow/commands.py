"""Commands: the only way a record changes. One small class per capability.

A command's fields are its arguments; ``execute`` changes the locked record and says what happened. Everything else is optional and pure.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeVar

from pydantic import BaseModel

from turnframe_django.codec import Json
from turnframe_django.context import Actor
from turnframe_django.flow.data import Data, documentation_of, snake, words_of
from turnframe_django.flow.events import Event
from turnframe_django.flow.policy import ConfirmationName, OriginName, Policy, RiskName
from turnframe_django.flow.text import Text
from turnframe_django.protocol.states import OriginKind

if TYPE_CHECKING:
    from django.db.models import Model

    from turnframe_django.flow.cards import Card

#: The longest code of a refusal or an event, in characters.
LONGEST_CODE: Final = 100

_CODE = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)*")

#: The author's Django model, and the pydantic snapshot of one of its rows.
M = TypeVar("M", bound="Model")
S = TypeVar("S", bound=BaseModel)


class Rejected(Exception):
    """The domain refuses, for a reason the user may read.

    Raised in ``compile`` the act is not planned; raised in ``execute`` the record's whole batch is rolled back. ``code`` is the author's
    own, ``text`` what the user is told.
    """

    def __init__(self, code: str, text: Text = "") -> None:
        if not _CODE.fullmatch(code) or len(code) > LONGEST_CODE:
            raise ValueError(f"{code!r} is no code: lower-case words joined by dots, {LONGEST_CODE} characters at most.")
        super().__init__(code)
        self.code = code
        self.text = text


@dataclass(frozen=True, slots=True)
class CommandDeclaration:
    """The class keywords of a command, and its docstring."""

    key: str
    policy: Policy
    destination: str | None
    origins: frozenset[OriginKind]
    opens: bool
    words: Text
    documentation: str


class Command(Data, Generic[M, S]):
    """One change to a record. Its docstring is what a model reads when the command is on offer.

    Class keywords: ``risk`` and ``confirmation`` (undeclared: irreversible, an explicit click); ``destination`` sends it through the
    outbox to that sender; ``origins`` that may run it; ``opens`` for a command that opens a record; ``key``, by default the class name in
    snake case; ``words`` for a reader ("rename the trip"), by default the first line of the docstring.
    """

    declared: ClassVar[CommandDeclaration]

    def __init_subclass__(
        cls,
        *,
        risk: RiskName = "irreversible",
        confirmation: ConfirmationName | None = None,
        destination: str | None = None,
        origins: Sequence[OriginName] = ("direct_safe_user_act", "confirmed_interaction", "internal_policy"),
        opens: bool = False,
        key: str = "",
        words: Text = "",
    ) -> None:
        super().__init_subclass__()
        documentation = documentation_of(cls)
        key = key or snake(cls.__name__)
        cls.declared = CommandDeclaration(
            key=key,
            policy=Policy(risk, confirmation),
            destination=destination,
            origins=frozenset(OriginKind(origin) for origin in origins),
            opens=opens,
            words=words or words_of(documentation, key),
            documentation=documentation,
        )

    def policy(self, state: S | None, actor: Actor, /) -> Policy:
        """Return what this costs and needs, for this record and actor. Pure; None stands for a record not opened yet."""
        return self.declared.policy

    def needed(self, state: S, /) -> bool:
        """Return whether anything would change. Pure; not asked of a command that opens a record."""
        return True

    def confirm_card(self, state: S, /) -> "Card | None":
        """Return the card to raise when this waits for a click, or None for a plain one. Pure; not asked of one that opens a record."""
        return None

    def preview(self, state: S, /) -> Json:
        """Return what the user is shown the command will do, or None. Pure: a card pins its digest and the click checks it again."""
        return None

    def execute(self, record: M, /) -> Event | Sequence[Event]:
        """Change the locked record, or rows that belong to it, and return what happened. The runtime saves the record.

        Raise ``Rejected`` to refuse. An opening command receives an unsaved record whose key is derived from the turn.
        """
        raise NotImplementedError

    def outgoing(self, record: M, /) -> object:
        """Return what the destination receives: anything ``flow.dump`` takes. By default the command itself."""
        return self

    @classmethod
    def has_own_policy(cls) -> bool:
        """Whether ``policy`` is a method of the author's, so that it may depend on state and actor."""
        return cls.policy is not Command.policy


AnyCommand = Command[Any, Any]
