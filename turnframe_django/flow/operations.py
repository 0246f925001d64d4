"""Operations: a request that means several commands, or other ones in other states."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeAlias

from turnframe_django.flow.commands import Command, M, S
from turnframe_django.flow.data import Data, documentation_of, snake, words_of
from turnframe_django.flow.text import Text


@dataclass(frozen=True, slots=True)
class OperationDeclaration:
    """The class keywords of an operation, and its docstring."""

    key: str
    opens: bool
    words: Text
    documentation: str


class Operation(Data, Generic[M, S]):
    """Something a user may ask for. Fields are its arguments; its docstring is what a model reads.

    Class keywords: ``key``, by default the class name in snake case; ``opens`` for one whose first command opens a record; ``words`` for
    a reader, by default the first line of the docstring.
    """

    declared: ClassVar[OperationDeclaration]

    def __init_subclass__(cls, *, key: str = "", opens: bool = False, words: Text = "") -> None:
        super().__init_subclass__()
        documentation = documentation_of(cls)
        key = key or snake(cls.__name__)
        cls.declared = OperationDeclaration(key, opens, words or words_of(documentation, key), documentation)

    def compile(self, state: S, /) -> Sequence[Command[M, S]]:
        """Return the commands this means for a record in ``state``; none when nothing would change. Pure.

        Raise ``Rejected`` to refuse. An opening operation is given None.
        """
        raise NotImplementedError


#: What a model may propose: a command as it stands, or an operation.
Request: TypeAlias = Command[M, S] | Operation[M, S]
AnyRequest: TypeAlias = Command[Any, Any] | Operation[Any, Any]
RequestType: TypeAlias = type[Command[Any, Any]] | type[Operation[Any, Any]]
