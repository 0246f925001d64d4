"""Asking for consent: what a waiting act means now, and the card that says exactly that.

The author's card is used where it confirms these very commands; otherwise code writes one that names each command and its values, so that
nobody consents to something a card does not say.
"""

from collections.abc import Collection, Sequence
from typing import Any

from django.utils.translation import gettext as _

from turnframe_django.flow.cards import Card, Style, confirm, decline
from turnframe_django.flow.commands import AnyCommand, Command
from turnframe_django.flow.data import fields_of
from turnframe_django.flow.operations import AnyRequest
from turnframe_django.flow.text import fill, shown, visible

#: The longest reason a user may give when declining a card that code wrote, in characters.
LONGEST_REASON = 500


def recompile(request: AnyRequest, state: Any, *, unasked: Collection[type[AnyCommand]] = ()) -> tuple[AnyCommand, ...]:
    """Return the commands that ``request`` means for a record in ``state``, without those that would change nothing.

    ``unasked`` are commands kept without asking whether they are needed. Raises ``Rejected``, and ``TypeError`` where an author's
    ``compile`` returned something else than commands.
    """
    # What an author's code really returned, whatever its annotation says.
    commands: tuple[Any, ...] = (request,) if isinstance(request, Command) else tuple(request.compile(state))
    strange = [type(command).__qualname__ for command in commands if not isinstance(command, Command)]
    if strange:
        raise TypeError(f"{type(request).__qualname__} compiled to {', '.join(strange)}; only commands run.")
    return tuple(
        command for command in commands if command.declared.opens or state is None or type(command) in unasked or command.needed(state)
    )


def confirmation_card(request: AnyRequest, commands: Sequence[AnyCommand], state: Any, label: str = "") -> Card:
    """Return the card that asks for consent to ``commands``: the author's if it confirms exactly these, else one that code writes.

    ``label`` is what a reader knows the record by; the card that code writes names it first.
    """
    if state is not None:
        for command in commands:
            card = command.confirm_card(state)
            if card is not None and _confirms_exactly(card, commands):
                return card
    return _written(request, commands, label)


def _confirms_exactly(card: Card, commands: Sequence[AnyCommand]) -> bool:
    confirming = [option for option in card.options if option.op == "confirm_commands"]
    applying = any(option.op == "apply_operation" for option in card.options)
    return bool(confirming) and not applying and all(option.commands == tuple(commands) for option in confirming)


def _written(request: AnyRequest, commands: Sequence[AnyCommand], label: str) -> Card:
    grave = any(command.declared.policy.risk in ("destructive", "irreversible") for command in commands)
    style: Style = "danger" if grave else "primary"
    return Card(
        f"confirm:{request.declared.key}",
        "confirm_command",
        fill(_("Please confirm: {words}"), {"words": request.declared.words}),
        body="\n".join([*([visible(label)] if label.strip() else []), *(_line(command) for command in commands)]),
        options=[confirm(_("Confirm"), *commands, style=style), decline(_("Not now"), reason=LONGEST_REASON)],
    )


def _line(command: AnyCommand) -> str:
    words = str(command.declared.words)
    values = [f"{info.title or name.replace('_', ' ')}: {shown(getattr(command, name))}" for name, info in fields_of(type(command)).items()]
    return f"{words} ({'; '.join(values)})" if values else words
