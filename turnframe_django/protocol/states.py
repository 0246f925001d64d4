"""The closed vocabularies of the protocol and the moves they allow.

The transition tables are the specification; the ``@transition`` methods of the models are held to them by a test.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Engine(StrEnum):
    """Which engine decides a case."""

    FLOW = "flow"
    CHAT = "chat"


class TurnPhase(StrEnum):
    """Where a turn stands (docs/concepts.md, "The turn")."""

    RECEIVED = "received"
    REDUCED = "reduced"
    COMMITTED = "committed"
    DELIVERED = "delivered"
    FAILED = "failed"


class TurnSource(StrEnum):
    """Who began a turn."""

    USER = "user"
    CALLBACK = "callback"
    WORKER = "worker"
    OPERATOR = "operator"
    APPLICATION = "application"


class InteractionStatus(StrEnum):
    """Where a card stands (docs/concepts.md, "Cards")."""

    ACTIVE = "active"
    RESOLVING = "resolving"
    RESOLVED = "resolved"
    DECLINED = "declined"
    DISMISSED = "dismissed"
    INVALIDATED = "invalidated"
    EXPIRED = "expired"
    FAILED = "failed"


class CommandStatus(StrEnum):
    """Where a journal entry stands. Nothing is ever pending: a command commits with its effects or not at all."""

    AWAITING_CONFIRMATION = "awaiting_confirmation"
    COMMITTED = "committed"
    FAILED = "failed"
    DROPPED = "dropped"


class OutboxStatus(StrEnum):
    """Where the delivery of an external effect stands."""

    PENDING = "pending"
    DISPATCHING = "dispatching"
    OUTCOME_UNKNOWN = "outcome_unknown"
    COMPLETED = "completed"
    FAILED = "failed"


class Risk(StrEnum):
    """How much a command can hurt, mildest first."""

    READ_ONLY = "read_only"
    REVERSIBLE_LOW_RISK = "reversible_low_risk"
    SENSITIVE_DATA_CHANGE = "sensitive_data_change"
    DESTRUCTIVE = "destructive"
    IRREVERSIBLE = "irreversible"
    EXTERNAL_REGULATED = "external_regulated"

    @property
    def rank(self) -> int:
        """Position in the order of severity, from 0."""
        return list(Risk).index(self)

    @property
    def needs_trusted_origin(self) -> bool:
        """Whether a command of this risk may never run on a user's words alone."""
        return self.rank > Risk.REVERSIBLE_LOW_RISK.rank


class Confirmation(StrEnum):
    """What must have happened before a command runs."""

    NONE = "none"
    REVIEW_CARD = "review_card"
    EXPLICIT_CLICK = "explicit_click"
    REAUTHENTICATION = "reauthentication"
    QUALIFIED_SIGNATURE = "qualified_signature"
    HUMAN_PROFESSIONAL_REVIEW = "human_professional_review"


class OriginKind(StrEnum):
    """What makes a command run. There is none for "a model proposed it"."""

    DIRECT_SAFE_USER_ACT = "direct_safe_user_act"
    CONFIRMED_INTERACTION = "confirmed_interaction"
    INTERNAL_POLICY = "internal_policy"
    EXTERNAL_CALLBACK = "external_callback"


class ActionClass(StrEnum):
    """What a stored option action does: only the first two can authorise a command."""

    CONFIRMS_COMMANDS = "confirms_commands"
    APPLIES_OPERATION = "applies_operation"
    NO_COMMANDS = "no_commands"


class CardKind(StrEnum):
    """The kinds of card. ``multi_select`` is not one: the protocol carries one option."""

    BOOLEAN = "boolean"
    SINGLE_SELECT = "single_select"
    FREEFORM = "freeform"
    REVIEW_CHANGES = "review_changes"
    CONFIRM_COMMAND = "confirm_command"
    SELECT_TARGET = "select_target"
    RESOLVE_VALIDATION_ERROR = "resolve_validation_error"
    REAUTHENTICATE = "reauthenticate"
    EXTERNAL_SIGNATURE = "external_signature"

    @property
    def authorises(self) -> bool:
        """Whether a card of this kind can be the consent to a command."""
        return self in {CardKind.CONFIRM_COMMAND, CardKind.REVIEW_CHANGES, CardKind.REAUTHENTICATE, CardKind.EXTERNAL_SIGNATURE}


#: Cards in these states occupy the blocking slot of their case.
OPEN_INTERACTION: Final = (InteractionStatus.ACTIVE, InteractionStatus.RESOLVING)
#: Cards in these states were answered; a later click gets the bytes of the turn that answered them.
ANSWERED_INTERACTION: Final = (InteractionStatus.RESOLVED, InteractionStatus.DECLINED, InteractionStatus.DISMISSED)

TURN_TRANSITIONS: Final[Mapping[TurnPhase, frozenset[TurnPhase]]] = {
    TurnPhase.RECEIVED: frozenset({TurnPhase.REDUCED, TurnPhase.DELIVERED, TurnPhase.FAILED}),
    TurnPhase.REDUCED: frozenset({TurnPhase.COMMITTED, TurnPhase.DELIVERED, TurnPhase.FAILED}),
    TurnPhase.COMMITTED: frozenset({TurnPhase.DELIVERED}),
    TurnPhase.DELIVERED: frozenset(),
    TurnPhase.FAILED: frozenset(),
}
INTERACTION_TRANSITIONS: Final[Mapping[InteractionStatus, frozenset[InteractionStatus]]] = {
    InteractionStatus.ACTIVE: frozenset(set(InteractionStatus) - {InteractionStatus.ACTIVE}),
    InteractionStatus.RESOLVING: frozenset(
        {
            InteractionStatus.RESOLVED,
            InteractionStatus.DECLINED,
            InteractionStatus.DISMISSED,
            InteractionStatus.FAILED,
            InteractionStatus.ACTIVE,
        }
    ),
    **{status: frozenset() for status in InteractionStatus if status not in {InteractionStatus.ACTIVE, InteractionStatus.RESOLVING}},
}
COMMAND_TRANSITIONS: Final[Mapping[CommandStatus, frozenset[CommandStatus]]] = {
    CommandStatus.AWAITING_CONFIRMATION: frozenset({CommandStatus.COMMITTED, CommandStatus.FAILED, CommandStatus.DROPPED}),
    CommandStatus.COMMITTED: frozenset(),
    CommandStatus.FAILED: frozenset(),
    CommandStatus.DROPPED: frozenset(),
}
OUTBOX_TRANSITIONS: Final[Mapping[OutboxStatus, frozenset[OutboxStatus]]] = {
    OutboxStatus.PENDING: frozenset({OutboxStatus.DISPATCHING}),
    OutboxStatus.DISPATCHING: frozenset({OutboxStatus.PENDING, OutboxStatus.OUTCOME_UNKNOWN, OutboxStatus.COMPLETED, OutboxStatus.FAILED}),
    OutboxStatus.OUTCOME_UNKNOWN: frozenset({OutboxStatus.PENDING, OutboxStatus.COMPLETED, OutboxStatus.FAILED}),
    OutboxStatus.COMPLETED: frozenset(),
    OutboxStatus.FAILED: frozenset(),
}
