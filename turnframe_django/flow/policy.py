"""The two gates before a command: may this origin run a thing of this risk, and has it been confirmed the way its policy asks.

Pure. The decision keeps its reason, so that a stored command says why it was allowed (docs/concepts.md, "Policy"). There is no origin for
"a model proposed it": what a model proposes is at most a direct, safe act of the user.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from turnframe_django.context import Actor
from turnframe_django.protocol.states import ActionClass, CardKind, Confirmation, OriginKind, Risk

if TYPE_CHECKING:
    from turnframe_django.flow.commands import Command

RiskName: TypeAlias = Literal[
    "read_only", "reversible_low_risk", "sensitive_data_change", "destructive", "irreversible", "external_regulated"
]
ConfirmationName: TypeAlias = Literal[
    "none", "review_card", "explicit_click", "reauthentication", "qualified_signature", "human_professional_review"
]
OriginName: TypeAlias = Literal["direct_safe_user_act", "confirmed_interaction", "internal_policy", "external_callback"]
DecisionCode: TypeAlias = Literal[
    "turnframe.policy.allowed",
    "turnframe.policy.confirmation_required",
    "turnframe.policy.human_review_required",
    "turnframe.policy.origin_not_admitted",
    "turnframe.policy.untrusted_origin",
]

#: The card that satisfies a confirmation when its authorising option is clicked; the first kind is the one to raise.
CARDS_FOR: Final[dict[Confirmation, tuple[CardKind, ...]]] = {
    Confirmation.REVIEW_CARD: (CardKind.REVIEW_CHANGES, CardKind.CONFIRM_COMMAND),
    Confirmation.EXPLICIT_CLICK: (CardKind.CONFIRM_COMMAND, CardKind.REVIEW_CHANGES),
    Confirmation.REAUTHENTICATION: (CardKind.REAUTHENTICATE,),
    Confirmation.QUALIFIED_SIGNATURE: (CardKind.EXTERNAL_SIGNATURE,),
}
_AUTHORISING: Final = (ActionClass.CONFIRMS_COMMANDS, ActionClass.APPLIES_OPERATION)


@dataclass(frozen=True, slots=True)
class Policy:
    """What a command risks and what must have happened before it runs.

    Without a confirmation it is ``none`` up to ``reversible_low_risk`` and ``explicit_click`` above; without a risk, irreversible.
    """

    risk: RiskName = "irreversible"
    confirmation: ConfirmationName | None = None

    def __post_init__(self) -> None:
        risk = Risk(self.risk)
        given = Confirmation.EXPLICIT_CLICK if risk.needs_trusted_origin else Confirmation.NONE
        object.__setattr__(self, "risk", risk.value)
        object.__setattr__(self, "confirmation", Confirmation(self.confirmation or given).value)


@dataclass(frozen=True, slots=True)
class Origin:
    """What makes a command run. For a click: the kind of card, what the option does, and how the answer came."""

    kind: OriginKind
    card_kind: CardKind | None = None
    action_class: ActionClass | None = None
    channel: str = "click"
    signature_verified: bool = False

    @property
    def is_authorising_click(self) -> bool:
        """Whether this is a click on an option that authorises commands; typed text never is."""
        return self.kind is OriginKind.CONFIRMED_INTERACTION and self.channel == "click" and self.action_class in _AUTHORISING

    @property
    def is_verified_callback(self) -> bool:
        """Whether this is news from outside under a verified signature."""
        return self.kind is OriginKind.EXTERNAL_CALLBACK and self.signature_verified

    @property
    def is_trusted(self) -> bool:
        """Whether a command above reversible low risk may rest on it; the server issues every such origin."""
        return self.kind is OriginKind.INTERNAL_POLICY or self.is_verified_callback or self.is_authorising_click


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer of both gates. ``requires`` is the kind of card that would change it, where one would.

    ``reason`` names the gate, the policy and where it came from (``static`` or ``method``), and the origin: 200 characters at most.
    """

    allowed: bool
    code: DecisionCode
    reason: str
    risk: Risk
    confirmation: Confirmation
    origin: Origin
    requires: CardKind | None = None


def decide(command: "Command[Any, Any]", state: Any, actor: Actor, origin: Origin) -> Decision:
    """Decide whether ``origin`` may run ``command`` on a record in ``state`` (None: not opened yet). Pure."""
    policy = command.policy(state, actor)
    risk, confirmation = Risk(policy.risk), Confirmation(policy.confirmation or "none")
    source = "method" if type(command).has_own_policy() else "static"
    told = f"risk {risk}, confirmation {confirmation} ({source}); {_named(origin)}"

    def answer(code: DecisionCode, gate: str, requires: CardKind | None = None) -> Decision:
        return Decision(code == "turnframe.policy.allowed", code, f"{gate}; {told}", risk, confirmation, origin, requires)

    if origin.kind is OriginKind.EXTERNAL_CALLBACK and not origin.signature_verified:
        return answer("turnframe.policy.untrusted_origin", "origin gate: signature not verified")
    if origin.kind not in command.declared.origins:
        asks = origin.kind is OriginKind.DIRECT_SAFE_USER_ACT and OriginKind.CONFIRMED_INTERACTION in command.declared.origins
        if not asks:
            return answer("turnframe.policy.origin_not_admitted", "origin gate: not among the command's origins")
        if confirmation is Confirmation.NONE:
            return answer("turnframe.policy.confirmation_required", "origin gate: only a click", CardKind.CONFIRM_COMMAND)
    if not satisfies(origin, confirmation):
        if confirmation is Confirmation.HUMAN_PROFESSIONAL_REVIEW:
            return answer("turnframe.policy.human_review_required", "confirmation gate: no card satisfies it")
        return answer("turnframe.policy.confirmation_required", "confirmation gate: not confirmed so", CARDS_FOR[confirmation][0])
    if risk.needs_trusted_origin and not origin.is_trusted:
        return answer("turnframe.policy.confirmation_required", "risk gate: needs a trusted origin", CardKind.CONFIRM_COMMAND)
    return answer("turnframe.policy.allowed", "allowed")


def satisfies(origin: Origin, confirmation: Confirmation) -> bool:
    """Whether ``origin`` is the confirmation asked for: the very kind of card, or for some a verified callback or internal policy."""
    if confirmation is Confirmation.NONE:
        return True
    if confirmation is Confirmation.HUMAN_PROFESSIONAL_REVIEW:
        return origin.kind is OriginKind.INTERNAL_POLICY or origin.is_verified_callback
    if origin.is_authorising_click:
        return origin.card_kind in CARDS_FOR[confirmation]
    return origin.is_verified_callback and confirmation in (Confirmation.REAUTHENTICATION, Confirmation.QUALIFIED_SIGNATURE)


def admits(origin: Origin, risk: Risk, confirmation: Confirmation) -> bool:
    """Whether both gates pass, the command's own list of origins apart."""
    return satisfies(origin, confirmation) and (not risk.needs_trusted_origin or origin.is_trusted)


def _named(origin: Origin) -> str:
    if origin.kind is not OriginKind.CONFIRMED_INTERACTION:
        return str(origin.kind)
    return f"{origin.channel} on {origin.card_kind}, {origin.action_class}"
