"""Registration: what can be known to be wrong with a workflow is said when the site starts, not in a customer's turn.

Annotations are resolved here and not when a class is written, so an author may name what is defined further down. Everything wrong with a
workflow is reported at once.
"""

import enum
import inspect
import re
import sys
import types
import typing
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeVar, get_args, get_origin

from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from pydantic import BaseModel

from turnframe_django import registry
from turnframe_django.flow import arguments
from turnframe_django.flow.commands import LONGEST_CODE, Command
from turnframe_django.flow.data import own_annotations, type_arguments
from turnframe_django.flow.events import Event, check_templates
from turnframe_django.flow.operations import Operation, RequestType
from turnframe_django.flow.phases import Ownership, Phase
from turnframe_django.flow.view import check
from turnframe_django.flow.workflow import AnyWorkflow, Workflow
from turnframe_django.protocol.states import OriginKind

W = TypeVar("W", bound=type[Workflow[Any, Any]])

NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
_KEY: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
_CODE: Final = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)*")
#: The journal keeps "workflow.command" in so many characters.
_LONGEST_NAME: Final = 120
#: A conversation's own cards use this name (docs/protocol.md, "Interaction block").
_RESERVED_NAMES: Final = frozenset({"conversation"})
_REQUIRED_HOOKS: Final = ("visible_to", "snapshot", "project")
_HOOKS: Final = (*_REQUIRED_HOOKS, "label", "artifacts", "account_of", "revision_of", "set_revision", "blank")
_COMMAND_HOOKS: Final = ("execute", "policy", "needed", "confirm_card", "preview", "outgoing")


class RegistrationError(ImproperlyConfigured):
    """A workflow that cannot be registered; the message lists every reason."""


def register(cls: W) -> W:
    """Register a workflow, or refuse it with everything that is wrong. Use it as a decorator.

    Raises ``RegistrationError``, and ``AlreadyRegistered`` when a name, key or code is taken.
    """
    owner = f"{cls.__module__}.{cls.__qualname__}"
    if not apps.apps_ready:
        raise RegistrationError(f"{owner} is registered before the apps are loaded; write it in a workflows.py and import it no earlier.")
    _refuse(owner, _problems_of_class(cls))
    workflow = cls()
    _refuse(owner, _problems_of_opening(workflow))
    with registry.all_or_nothing():
        registry.add("workflow", workflow.name, workflow, owner=owner)
        for request in (*workflow.operations, *workflow.commands):
            registry.add("request", request.declared.key, request, owner=f"{owner} ({request.__qualname__})")
        for event in workflow.events:
            registry.add("event", event.declared.code, event, owner=f"{owner} ({event.__qualname__})")
    return cls


def _refuse(owner: str, problems: Iterator[str]) -> None:
    found = list(dict.fromkeys(problems))
    if found:
        raise RegistrationError("\n".join([f"{owner} cannot be registered:", *(f"- {line}" for line in found)]))


def _problems_of_opening(workflow: AnyWorkflow) -> Iterator[str]:
    # Where a record can be opened, project(None) decides what is on offer, so it must hold from the start.
    if any(request.declared.opens for request in workflow.operations):
        try:
            view = workflow.project(None)
        except Exception as error:
            yield f"project(None) raised {type(error).__name__}: {error}"
            return
        for violation in check(view, workflow.known):
            yield f"project(None): {violation.code} {violation.detail}".strip()


def _problems_of_class(cls: type[Workflow[Any, Any]]) -> Iterator[str]:
    yield from _problems_of_identity(cls)
    bound = type_arguments(cls, Workflow)
    if len(bound) != 2 or not isinstance(bound[0], type) or not isinstance(bound[1], type) or not issubclass(bound[1], BaseModel):
        yield "Write flow.Workflow[Model, State]; State is a pydantic model."
        return
    lists = {name: getattr(cls, name) for name in ("operations", "commands", "events")}
    wanted: dict[str, tuple[type, ...]] = {"operations": (Command, Operation), "commands": (Command,), "events": (Event,)}
    misplaced = False
    for name, members in lists.items():
        for member in members:
            if not (isinstance(member, type) and issubclass(member, wanted[name])):
                misplaced = True
                yield f"{name}: {_named(member)} is no {' or '.join(kind.__name__ for kind in wanted[name])} class."
    if misplaced:
        return
    yield from _repeated((*lists["operations"], *lists["commands"]), "key")
    yield from _repeated(lists["events"], "code")
    for event in lists["events"]:
        yield from _problems_of_event(event)
    for request in (*lists["operations"], *lists["commands"]):
        yield from _problems_of_request(request, cls, bound, proposable=request in lists["operations"])


def _problems_of_identity(cls: type[Workflow[Any, Any]]) -> Iterator[str]:
    name, version, phase = (getattr(cls, attribute, None) for attribute in ("name", "version", "Phase"))
    if not isinstance(name, str) or not NAME.fullmatch(name) or name in _RESERVED_NAMES:
        yield f"name {name!r}: lower-case letters, digits and _, a letter first, 64 at most, and not reserved."
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        yield f"version {version!r}: a whole number from 1."
    if not (isinstance(phase, type) and issubclass(phase, Phase) and len(phase)):
        yield "Phase: write class Phase(flow.Phase) with at least one phase."
    else:
        yield from _problems_of_phases(phase)
    for hook in _REQUIRED_HOOKS:
        if getattr(cls, hook) is getattr(Workflow, hook):
            yield f"{hook} is missing."
    for hook in _HOOKS:
        if _is_async(getattr(cls, hook)):
            yield f"{hook} may not be async: it runs inside a transaction."


def _problems_of_phases(phase: type[enum.Enum]) -> Iterator[str]:
    for name, member in phase.__members__.items():
        if name != member.name:
            yield f"Phase.{name} is an alias of {member.name}: give each phase its own flow.system() or the like."
        if not isinstance(member.value, Ownership):
            yield f"Phase.{name} is {member.value!r}; use flow.system(), user(), external() or terminal()."


def _problems_of_event(event: type[Event]) -> Iterator[str]:
    code = event.declared.code
    if not _CODE.fullmatch(code) or len(code) > LONGEST_CODE:
        yield f"{event.__qualname__}: code {code!r}: lower-case words joined by dots, {LONGEST_CODE} characters at most."
    if code.startswith("turnframe."):
        yield f"{event.__qualname__}: code {code!r}: turnframe. is reserved."
    if event.declared.severity not in ("info", "success", "warning", "error"):
        yield f"{event.__qualname__}: there is no severity {event.declared.severity!r}."
    problems = list(arguments.check_fields(event, quoted=False))
    yield from problems or check_templates(event)


def _problems_of_request(request: RequestType, cls: type[Workflow[Any, Any]], bound: Sequence[Any], *, proposable: bool) -> Iterator[str]:
    declared, name = request.declared, request.__qualname__
    if not _KEY.fullmatch(declared.key):
        yield f"{name}: key {declared.key!r}: lower-case letters, digits and _, a letter first, 64 at most."
    if len(f"{getattr(cls, 'name', '')}.{declared.key}") > _LONGEST_NAME:
        yield f"{name}: the workflow's name and the key {declared.key!r} have more than {_LONGEST_NAME - 1} characters together."
    base = Command if issubclass(request, Command) else Operation
    for own, other, what in zip(bound, type_arguments(request, base), ("model", "state"), strict=False):
        if isinstance(other, type) and not issubclass(own, other):
            yield f"{name} is for another {what}: {other.__qualname__}, not {own.__qualname__}."
    # -OO strips docstrings; what was checked without it holds with it.
    if proposable and not declared.documentation and sys.flags.optimize < 2:
        yield f"{name} needs a docstring: it is what a model reads."
    fields = list(arguments.check_fields(request, quoted=True))
    yield from fields
    if proposable and not fields:
        try:
            arguments.schema(request)
        except (arguments.UnsupportedField, TypeError, ValueError) as error:
            yield f"{name}: its arguments have no schema: {error}"
    if issubclass(request, Command):
        yield from _problems_of_command(request, cls, proposable=proposable)
    else:
        yield from _problems_of_operation(request, cls)


def _problems_of_command(command: type[Command[Any, Any]], cls: type[Workflow[Any, Any]], *, proposable: bool) -> Iterator[str]:
    declared, name = command.declared, command.__qualname__
    for hook in _COMMAND_HOOKS:
        if _is_async(getattr(command, hook)):
            yield f"{name}.{hook} may not be async: a command runs in the turn's transaction."
    if not declared.origins:
        yield f"{name}: no origin may run it."
    elif proposable and not declared.origins & {OriginKind.DIRECT_SAFE_USER_ACT, OriginKind.CONFIRMED_INTERACTION}:
        yield f"{name} may be proposed, but its origins let neither a request nor a click run it."
    if declared.destination is not None and not NAME.fullmatch(declared.destination):
        yield f"{name}: destination {declared.destination!r}: lower-case letters, digits and _, a letter first, 64 at most."
    if command.execute is Command.execute:
        yield f"{name} needs execute()."
        return
    events = yield from _returned(command.execute, f"{name}.execute", Event)
    for event in events:
        if not _is_listed(event, cls.events):
            yield f"{name} returns {event.__qualname__}, which is not listed in events."


def _problems_of_operation(operation: type[Operation[Any, Any]], cls: type[Workflow[Any, Any]]) -> Iterator[str]:
    name = operation.__qualname__
    if operation.compile is Operation.compile:
        yield f"{name} needs compile()."
        return
    if _is_async(operation.compile):
        yield f"{name}.compile may not be async: it is pure."
        return
    known = (*cls.operations, *cls.commands)
    commands = yield from _returned(operation.compile, f"{name}.compile", Command)
    for command in commands:
        if not _is_listed(command, known):
            yield f"{name} compiles to {command.__qualname__}, which the workflow does not list."


def _is_listed(named: type, listed: Sequence[type]) -> bool:
    # An annotation may name a base of the author's own: what it stands for is checked when it is returned.
    return any(issubclass(member, named) for member in listed)


def _returned(function: Callable[..., Any], name: str, base: type) -> typing.Generator[str, None, list[type[Any]]]:
    """Yield what is wrong with a return annotation; return the proper subclasses of ``base`` it names."""
    annotation = own_annotations(function).get("return", inspect.Signature.empty)
    if annotation is inspect.Signature.empty:
        yield f"{name} needs a return annotation."
        return []
    holder = types.SimpleNamespace(__annotations__={"return": annotation})
    try:
        hint = typing.get_type_hints(holder, globalns=getattr(function, "__globals__", {}))["return"]
    except (NameError, AttributeError, TypeError, SyntaxError) as error:
        yield f"{name}: its return annotation cannot be resolved at run time: {error}"
        return []
    leaves = list(_leaves(hint))
    if type(None) in leaves:
        yield f"{name} may not return None."
    strange = [leaf for leaf in leaves if not (isinstance(leaf, type) and issubclass(leaf, base)) and leaf is not type(None)]
    for leaf in strange:
        yield f"{name} is annotated to return {_named(leaf)}; it returns one or more {base.__name__}s."
    return [leaf for leaf in leaves if isinstance(leaf, type) and issubclass(leaf, base) and leaf is not base]


def _leaves(hint: Any) -> Iterator[Any]:
    origin = get_origin(hint)
    if isinstance(origin, type) and issubclass(origin, (Command, Operation)):
        yield origin
    elif origin is None or origin is typing.Literal:
        yield hint
    else:
        for argument in get_args(hint):
            if argument is not Ellipsis:
                yield from _leaves(argument)


def _repeated(members: Sequence[Any], attribute: str) -> Iterator[str]:
    seen: dict[str, Any] = {}
    for member in members:
        name = getattr(member.declared, attribute)
        if name in seen:
            who = (
                f"{member.__qualname__} is listed twice" if seen[name] is member else f"{seen[name].__qualname__} and {member.__qualname__}"
            )
            yield f"The {attribute} {name!r} is taken twice: {who}."
        seen.setdefault(name, member)


def _is_async(function: Any) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)


def _named(thing: Any) -> str:
    return getattr(thing, "__qualname__", None) or repr(thing)
