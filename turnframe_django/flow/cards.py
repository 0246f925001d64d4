"""Cards: what an author writes, and the pure building of what is stored and shown.

An option's action is code's, kept on the server; a client sends an option's id and nothing that has a meaning of its own
(docs/concepts.md, "Cards"). The kinds that can be raised are those in ``CREATABLE``.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from datetime import timedelta
from typing import Any, Final, Literal, TypeAlias

from pydantic import ValidationError

from turnframe_django import codec
from turnframe_django.codec import Json
from turnframe_django.flow.commands import AnyCommand, Command, Rejected
from turnframe_django.flow.data import dump, fields_of, load
from turnframe_django.flow.operations import AnyRequest, RequestType
from turnframe_django.flow.policy import CARDS_FOR, RiskName
from turnframe_django.flow.targets import CaseRef
from turnframe_django.flow.text import Text, visible
from turnframe_django.protocol.states import ActionClass, CardKind, Confirmation, Risk

CardKindName: TypeAlias = Literal["confirm_command", "boolean"]
Style: TypeAlias = Literal["primary", "secondary", "danger"]
FreeformMode: TypeAlias = Literal["forbidden", "optional", "required"]
OnFailure: TypeAlias = Literal["fail", "restore"]

#: The kinds of card that can be raised.
CREATABLE: Final = frozenset({CardKind.CONFIRM_COMMAND, CardKind.BOOLEAN})
#: How long a card stands unless it says otherwise.
DEFAULT_EXPIRY: Final = timedelta(hours=24)
SHORTEST_EXPIRY: Final = timedelta(seconds=1)
LONGEST_EXPIRY: Final = timedelta(days=366)
MOST_OPTIONS: Final = 20
LONGEST_FREEFORM: Final = 10_000

_KEY = re.compile(r"[a-z0-9][a-z0-9_.:-]{0,99}")
_OPTION_ID = re.compile(r"[a-z0-9][a-z0-9_.:-]{0,63}")


class CardError(ValueError):
    """A card that could not be answered, or should not be."""


@dataclass(frozen=True, slots=True)
class Option:
    """One answer. Made by ``confirm``, ``decline``, ``apply`` and ``dismiss``, never by hand."""

    id: str
    label: Text
    op: Literal["confirm_commands", "decline_commands", "apply_operation", "dismiss"]
    _: KW_ONLY
    commands: tuple[AnyCommand, ...] = ()
    request: AnyRequest | None = None
    freeform_argument: str | None = None
    freeform_mode: FreeformMode = "forbidden"
    freeform_max_len: int | None = None
    style: Style = "secondary"

    @property
    def action(self) -> dict[str, Json]:
        """The stored action, which never leaves the server."""
        if self.request is None:
            return {"op": self.op}
        return {
            "op": self.op,
            "operation": self.request.declared.key,
            "arguments": dump(self.request),
            "freeform_argument": self.freeform_argument,
        }


def confirm(label: Text, *commands: AnyCommand, style: Style = "primary", id: str = "confirm") -> Option:
    """An option that runs exactly ``commands``, as they are here."""
    return Option(id, label, "confirm_commands", commands=commands, style=style)


def decline(label: Text, *, reason: int | None = None, id: str = "decline") -> Option:
    """An option that drops the waiting commands. ``reason`` lets the user say why, in at most so many characters."""
    mode: FreeformMode = "optional" if reason is not None else "forbidden"
    return Option(id, label, "decline_commands", freeform_mode=mode, freeform_max_len=reason)


def apply(
    label: Text,
    request: AnyRequest,
    *,
    freeform: str | None = None,
    required: bool = True,
    max_len: int = 500,
    id: str = "",
    style: Style = "secondary",
) -> Option:
    """An option that runs an operation or a command as if it had been asked for, compiled when it is clicked.

    ``freeform`` names the argument that the user's text replaces, of at most ``max_len`` characters; not ``required``, the given value
    stands where there is no text.
    """
    if freeform is not None and freeform not in fields_of(type(request)):
        raise TypeError(f"{type(request).__qualname__} has no argument {freeform!r} for a free text.")
    mode: FreeformMode = "forbidden" if freeform is None else "required" if required else "optional"
    return Option(
        id or request.declared.key,
        label,
        "apply_operation",
        request=request,
        freeform_argument=freeform,
        freeform_mode=mode,
        freeform_max_len=None if freeform is None else max_len,
        style=style,
    )


def dismiss(label: Text, *, id: str = "dismiss") -> Option:
    """An option that puts the card away and does nothing."""
    return Option(id, label, "dismiss")


@dataclass(frozen=True, slots=True)
class Card:
    """A question with options that code will understand.

    ``expires_in`` of None is for kinds that authorise nothing. ``binds_to_revision`` ends the card when its record moves. ``on_failure``
    says whether a refused command leaves the card failed or puts it back. Without a ``risk`` it counts as irreversible.
    """

    key: str
    kind: CardKindName
    title: Text
    _: KW_ONLY
    options: Sequence[Option]
    body: Text = ""
    expires_in: timedelta | None = DEFAULT_EXPIRY
    blocking: bool = True
    binds_to_revision: bool = True
    on_failure: OnFailure = "fail"
    risk: RiskName | None = None

    @property
    def commands(self) -> tuple[AnyCommand, ...]:
        """Every command that one of its options confirms, in order."""
        return tuple(command for option in self.options for command in option.commands)


@dataclass(frozen=True, slots=True)
class BuiltOption:
    """An option as it is stored: what is shown, and the action that is not."""

    option_id: str
    label: str
    style: Style
    freeform_mode: FreeformMode
    freeform_max_len: int | None
    action: dict[str, Json]
    commands: tuple[AnyCommand, ...] = ()


@dataclass(frozen=True, slots=True)
class BuiltCard:
    """A card ready to be stored. ``payload`` is all a user may see of it, its identity, status and expiry apart."""

    key: str
    ref: CaseRef
    kind: CardKind
    blocking: bool
    payload: dict[str, Json]
    options: tuple[BuiltOption, ...]
    expires_in: timedelta | None
    risk: Risk
    on_failure: OnFailure
    binds_to_revision: bool
    preview_digest: str
    text_policy: Literal["never"] = field(default="never")

    @property
    def payload_text(self) -> str:
        """The canonical text of the payload, which is stored and hashed."""
        return codec.encode(self.payload, floats=False)


def build(card: Card, ref: CaseRef, *, state: Any = None, known: Collection[RequestType] | None = None) -> BuiltCard:
    """Build ``card`` for the record ``ref`` in ``state``, its texts in the active language.

    ``known`` are the operations and commands of the record's workflow; a card with others is refused. Raises ``CardError``.
    """
    found = [*problems(card), *(foreign(card, known) if known is not None else ())]
    if found:
        raise CardError(f"Card {card.key!r}: {' '.join(found)}")
    options = tuple(_built(option) for option in card.options)
    payload: dict[str, Json] = {"title": visible(str(card.title)), "options": [_shown(option) for option in options]}
    if str(card.body):
        payload["body"] = visible(str(card.body), lines=True)
    return BuiltCard(
        key=card.key,
        ref=ref,
        kind=CardKind(card.kind),
        blocking=card.blocking,
        payload=payload,
        options=options,
        expires_in=card.expires_in,
        risk=Risk(card.risk or "irreversible"),
        on_failure=card.on_failure,
        binds_to_revision=card.binds_to_revision,
        preview_digest=preview_digest(card.commands, state),
    )


def preview_digest(commands: Sequence[AnyCommand], state: Any) -> str:
    """Return the digest of what ``commands`` show of their effect on ``state``; empty when none of them pins anything.

    A card keeps it; under the lock the runtime computes it anew and refuses a click when it differs.
    """
    if state is None:
        return ""
    shown = [(command.declared.key, command.preview(state)) for command in commands]
    pinned: list[Json] = [[key, preview] for key, preview in shown if preview is not None]
    return codec.digest(codec.encode(pinned)) if pinned else ""


def action_class(action: Mapping[str, Json]) -> ActionClass:
    """Return what a stored action does; only confirming and applying can authorise a command."""
    match action.get("op"):
        case "confirm_commands":
            return ActionClass.CONFIRMS_COMMANDS
        case "apply_operation":
            return ActionClass.APPLIES_OPERATION
    return ActionClass.NO_COMMANDS


def stored_request(action: Mapping[str, Json], find: Callable[[str], RequestType], freeform: str | None = None) -> AnyRequest:
    """Return the operation or command that a stored ``apply_operation`` names, with the user's text where the option put it.

    ``find`` looks a key up in the record's workflow and may raise ``LookupError``. Raises ``Rejected`` when the text does not fit, or the
    workflow no longer knows the operation or its arguments.
    """
    arguments = action["arguments"]
    assert isinstance(arguments, dict)
    argument = action.get("freeform_argument")
    if argument is not None and freeform is not None:
        arguments = {**arguments, str(argument): freeform}
    try:
        return load(find(str(action["operation"])), arguments)
    except ValidationError as error:
        raise Rejected("turnframe.operation.invalid_arguments") from error
    except LookupError as error:
        raise Rejected("turnframe.operation.unknown") from error


def problems(card: Card) -> Iterator[str]:
    """Yield why ``card`` cannot be answered, one sentence each; nothing when it can."""
    yield from _problems_of_form(card)
    try:
        kind = CardKind(card.kind)
    except ValueError:
        yield f"There is no card of kind {card.kind!r}."
        return
    if kind not in CREATABLE:
        yield f"A card of kind {kind} cannot be raised yet; {' and '.join(sorted(CREATABLE))} can."
        return
    ops = [option.op for option in card.options]
    if kind is CardKind.BOOLEAN and len(ops) != 2:
        yield "A boolean card has exactly two options."
    if kind is CardKind.CONFIRM_COMMAND:
        if not {"confirm_commands", "apply_operation"} & set(ops):
            yield "A confirm_command card needs an option that confirms or applies something."
        if not {"decline_commands", "dismiss"} & set(ops):
            yield "A confirm_command card needs an option that declines."
    yield from _problems_of_expiry(card.expires_in, kind)
    for option in card.options:
        yield from _problems_of_option(option, kind)


def foreign(card: Card, known: Collection[RequestType]) -> Iterator[str]:
    """Yield what ``card`` would run that its workflow does not list."""
    for option in card.options:
        for request in (*option.commands, *((option.request,) if option.request is not None else ())):
            if type(request) not in known:
                yield f"Option {option.id!r} names {type(request).__qualname__}, which the workflow does not list."


def _problems_of_form(card: Card) -> Iterator[str]:
    if not _KEY.fullmatch(card.key):
        yield f"{card.key!r} is no key: lower-case letters, digits and _ . : - only."
    if not str(card.title).strip():
        yield "A card needs a title."
    if len(card.options) > MOST_OPTIONS:
        yield f"A card has at most {MOST_OPTIONS} options."
    if card.on_failure not in ("fail", "restore"):
        yield f"on_failure is fail or restore, not {card.on_failure!r}."
    if card.risk is not None and card.risk not in list(Risk):
        yield f"There is no risk {card.risk!r}."
    seen: set[str] = set()
    for option in card.options:
        if option.id in seen:
            yield f"Two options are called {option.id!r}."
        seen.add(option.id)


def _problems_of_expiry(expires_in: timedelta | None, kind: CardKind) -> Iterator[str]:
    if expires_in is None:
        if kind.authorises:
            yield f"A card of kind {kind} authorises something, so it must expire."
    elif not SHORTEST_EXPIRY <= expires_in <= LONGEST_EXPIRY:
        yield f"It expires in {expires_in}; between {SHORTEST_EXPIRY.seconds} second and {LONGEST_EXPIRY.days} days is allowed."


def _problems_of_option(option: Option, kind: CardKind) -> Iterator[str]:
    if not _OPTION_ID.fullmatch(option.id):
        yield f"{option.id!r} is no option id: lower-case letters, digits and _ . : - only, 64 at most."
    if not str(option.label).strip():
        yield f"Option {option.id!r} needs a label."
    if option.style not in ("primary", "secondary", "danger"):
        yield f"Option {option.id!r}: there is no style {option.style!r}."
    if option.freeform_max_len is not None and not 1 <= option.freeform_max_len <= LONGEST_FREEFORM:
        yield f"Option {option.id!r}: a free text has between 1 and {LONGEST_FREEFORM} characters."
    if option.op == "confirm_commands" and not option.commands:
        yield f"Option {option.id!r} confirms no command."
    for command in option.commands:
        if not isinstance(command, Command):
            yield f"Option {option.id!r}: only commands can be confirmed; apply() takes an operation."
            continue
        confirmation = Confirmation(command.declared.policy.confirmation or "none")
        if confirmation is Confirmation.NONE or type(command).has_own_policy():
            continue
        if kind not in CARDS_FOR.get(confirmation, ()):
            yield f"Option {option.id!r}: a {kind} card is no {confirmation} for {type(command).__qualname__}."


def _built(option: Option) -> BuiltOption:
    return BuiltOption(
        option_id=option.id,
        label=visible(str(option.label)),
        style=option.style,
        freeform_mode=option.freeform_mode,
        freeform_max_len=option.freeform_max_len,
        action=option.action,
        commands=option.commands,
    )


def _shown(option: BuiltOption) -> dict[str, Json]:
    freeform: dict[str, Json] = {"mode": option.freeform_mode}
    if option.freeform_max_len is not None:
        freeform["max_len"] = option.freeform_max_len
    return {"option_id": option.option_id, "label": option.label, "style": option.style, "freeform": freeform}
