"""The workflow: everything about one kind of record in one class, over the author's own Django model.

``project`` is pure. ``visible_to``, ``snapshot``, ``label``, ``artifacts`` and a command's ``execute`` may use the database; only the
runtime calls them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, cast

from pydantic import BaseModel

from turnframe_django.context import Actor
from turnframe_django.flow.commands import Command, M, S
from turnframe_django.flow.data import type_arguments
from turnframe_django.flow.events import Event
from turnframe_django.flow.operations import Operation, RequestType
from turnframe_django.flow.phases import Phase as _Phase
from turnframe_django.flow.text import Text
from turnframe_django.flow.view import View

if TYPE_CHECKING:
    from django.db.models import Model, QuerySet


@dataclass(frozen=True, slots=True)
class Artifact:
    """A document of a record. The block stores the link; the bytes and who may read them are the host's own view at ``url``."""

    id: str
    label: Text
    media_type: str
    url: str


class Workflow(Generic[M, S]):
    """What an author subclasses and registers with ``@flow.register``. There is one instance for the life of the process.

    ``operations`` is the whole surface a model may propose; ``commands`` are reached by cards, operations and callbacks only; ``events``
    are all that may happen.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    Phase: ClassVar[type[_Phase]]
    operations: Sequence[type[Command[M, S]] | type[Operation[M, S]]] = ()
    commands: Sequence[type[Command[M, S]]] = ()
    events: Sequence[type[Event]] = ()

    def visible_to(self, actor: Actor, /) -> "QuerySet[M]":
        """Return the records that ``actor`` may see and talk about: the case directory."""
        raise NotImplementedError

    def label(self, record: M, /) -> str:
        """Return what a reader knows the record by."""
        return str(record)

    def snapshot(self, record: M, /) -> S:
        """Read everything that ``project`` may see."""
        raise NotImplementedError

    def project(self, state: S | None, /) -> View:
        """Return where the record stands. Pure; None stands for a record not opened yet, never for one that is gone."""
        raise NotImplementedError

    def artifacts(self, record: M, /) -> Sequence[Artifact]:
        """Return the record's documents; each is shown once per revision."""
        return ()

    def account_of(self, record: M, /) -> str:
        """Return the account a record belongs to."""
        return str(cast(Any, record).account)

    def revision_of(self, record: M, /) -> int:
        """Return the record's revision."""
        return int(cast(Any, record).revision)

    def set_revision(self, record: M, revision: int, /) -> None:
        """Set the record's revision; the runtime saves it."""
        cast(Any, record).revision = revision

    def blank(self, account: str, case_id: str, /) -> M:
        """Return the unsaved record that an opening command fills."""
        key = cast(Any, self.model)._meta.pk.to_python(case_id)
        return cast(M, cast(Any, self.model)(pk=key, account=account))

    # --- derived ---------------------------------------------------------------------------------------------------------------------

    @cached_property
    def model(self) -> "type[Model]":
        """The author's Django model, from ``Workflow[Model, State]``."""
        return cast("type[Model]", type_arguments(type(self), Workflow)[0])

    @cached_property
    def state_type(self) -> type[BaseModel]:
        """The snapshot's type, from ``Workflow[Model, State]``."""
        return cast(type[BaseModel], type_arguments(type(self), Workflow)[1])

    @cached_property
    def known(self) -> frozenset[RequestType]:
        """Every operation and command of the workflow."""
        return frozenset([*self.operations, *self.commands])

    def on_offer(self, view: View) -> tuple[RequestType, ...]:
        """Return what may be asked of a record with ``view``, in the order of ``operations`` unless the view names its own."""
        return self._offered(view, opens=False)

    def starts(self) -> tuple[RequestType, ...]:
        """Return what may be asked where there is no record: the operations that open one, as far as ``project(None)`` offers them."""
        if not any(request.declared.opens for request in self.operations):
            return ()
        return self._offered(self.project(None), opens=True)

    def proposable(self, key: str) -> RequestType | None:
        """Return the operation or command under ``operations`` with this key, or None."""
        return self._proposable.get(key)

    def command_type(self, key: str) -> type[Command[Any, Any]] | None:
        """Return the command with this key, proposable or not, or None."""
        return self._commands.get(key)

    def command(self, key: str) -> type[Command[Any, Any]]:
        """Return the command with this key. Raises ``KeyError``."""
        return self._commands[key]

    def operation(self, key: str) -> RequestType:
        """Return the operation or command under ``operations`` with this key. Raises ``KeyError``."""
        return self._proposable[key]

    def request(self, key: str) -> RequestType:
        """Return the operation or command with this key, proposable or not. Raises ``KeyError``."""
        return self._proposable[key] if key in self._proposable else self._commands[key]

    def event(self, code: str) -> type[Event]:
        """Return the event with this code. Raises ``KeyError``."""
        return self._events[code]

    def _offered(self, view: View, *, opens: bool) -> tuple[RequestType, ...]:
        if view.offers is None:
            chosen: Sequence[RequestType] = () if view.phase.owner == "terminal" else self.operations
        else:
            chosen = [request for request in view.offers if self._proposable.get(request.declared.key) is request]
        return tuple(request for request in chosen if request.declared.opens is opens)

    @cached_property
    def _proposable(self) -> dict[str, RequestType]:
        return {request.declared.key: request for request in self.operations}

    @cached_property
    def _commands(self) -> dict[str, type[Command[Any, Any]]]:
        every: list[Any] = [*self.operations, *self.commands]
        return {request.declared.key: request for request in every if issubclass(request, Command)}

    @cached_property
    def _events(self) -> dict[str, type[Event]]:
        return {event.declared.code: event for event in self.events}


AnyWorkflow = Workflow[Any, Any]
