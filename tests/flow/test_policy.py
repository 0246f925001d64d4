"""Origins, risks and confirmations: cases B of the source project, and what is added here."""

import itertools
import uuid

import pytest

from tests.flow.desk import ACTOR, Act, DeskState, Rename, Withdraw, origin_of
from turnframe_django import flow, ids
from turnframe_django.flow.policy import Decision, Origin, Policy, decide, satisfies
from turnframe_django.protocol.states import ActionClass, CardKind, Confirmation, OriginKind, Risk

DIRECT = Origin(OriginKind.DIRECT_SAFE_USER_ACT)
INTERNAL = Origin(OriginKind.INTERNAL_POLICY)
CALLBACK = Origin(OriginKind.EXTERNAL_CALLBACK, signature_verified=True)


def click(kind: CardKind = CardKind.CONFIRM_COMMAND, action: ActionClass = ActionClass.CONFIRMS_COMMANDS, channel: str = "click") -> Origin:
    return Origin(OriginKind.CONFIRMED_INTERACTION, kind, action, channel)


SELECTION = click(CardKind.SELECT_TARGET, ActionClass.NO_COMMANDS)


class Undeclared(flow.Command[object, DeskState]):  # type: ignore[type-var]
    """Says nothing about its risk."""


def decided(risk: Risk, confirmation: Confirmation, origin: Origin) -> Decision:
    return decide(origin_of(risk, confirmation)(), DeskState(), ACTOR, origin)


def test_b1_a_command_without_a_policy_is_irreversible_and_waits_for_a_click() -> None:
    assert Undeclared.declared.policy == Policy("irreversible", "explicit_click")
    assert decide(Undeclared(), None, ACTOR, DIRECT).code == "turnframe.policy.confirmation_required"
    assert Risk.IRREVERSIBLE.needs_trusted_origin


def test_b3_a_confirmed_click_on_a_conservative_command_is_admitted() -> None:
    assert decide(Undeclared(), None, ACTOR, click()).allowed
    assert decide(Undeclared(), None, ACTOR, click(action=ActionClass.APPLIES_OPERATION)).allowed


def test_b5_a_verified_callback_is_no_explicit_click() -> None:
    decision = decided(Risk.IRREVERSIBLE, Confirmation.EXPLICIT_CLICK, CALLBACK)
    assert (decision.allowed, decision.code) == (False, "turnframe.policy.confirmation_required")
    assert not decided(Risk.IRREVERSIBLE, Confirmation.EXPLICIT_CLICK, INTERNAL).allowed


@pytest.mark.parametrize(
    "confirmation", [Confirmation.QUALIFIED_SIGNATURE, Confirmation.REAUTHENTICATION, Confirmation.HUMAN_PROFESSIONAL_REVIEW]
)
def test_b6_a_verified_callback_is_a_signature_a_reauthentication_and_a_review(confirmation: Confirmation) -> None:
    assert decided(Risk.IRREVERSIBLE, confirmation, CALLBACK).allowed


@pytest.mark.parametrize("risk", list(Risk))
def test_b8_a_click_on_a_selection_card_is_trusted_with_low_risk_only(risk: Risk) -> None:
    assert not SELECTION.is_trusted
    assert decided(risk, Confirmation.NONE, SELECTION).allowed is (risk in (Risk.READ_ONLY, Risk.REVERSIBLE_LOW_RISK))
    assert not decided(risk, Confirmation.EXPLICIT_CLICK, SELECTION).allowed


@pytest.mark.parametrize("confirmation", [Confirmation.REVIEW_CARD, Confirmation.EXPLICIT_CLICK])
@pytest.mark.parametrize("kind", list(CardKind))
def test_b10_a_review_or_a_click_is_satisfied_by_confirming_cards_only(confirmation: Confirmation, kind: CardKind) -> None:
    assert satisfies(click(kind), confirmation) is (kind in (CardKind.CONFIRM_COMMAND, CardKind.REVIEW_CHANGES))


@pytest.mark.parametrize(
    ("confirmation", "only"),
    [(Confirmation.REAUTHENTICATION, CardKind.REAUTHENTICATE), (Confirmation.QUALIFIED_SIGNATURE, CardKind.EXTERNAL_SIGNATURE)],
)
def test_b11_a_proof_is_satisfied_by_its_own_card_or_a_verified_callback(confirmation: Confirmation, only: CardKind) -> None:
    assert [kind for kind in CardKind if satisfies(click(kind), confirmation)] == [only]
    assert satisfies(CALLBACK, confirmation)
    assert not satisfies(INTERNAL, confirmation)
    assert not satisfies(Origin(OriginKind.EXTERNAL_CALLBACK), confirmation)


def test_b13_command_ids_are_positional_and_change_with_act_and_turn() -> None:
    turn, other = uuid.UUID(int=1), uuid.UUID(int=2)
    made = [ids.command_id(turn, "a1", 0), ids.command_id(turn, "a1", 1), ids.command_id(turn, "a2", 0), ids.command_id(other, "a1", 0)]
    assert len(set(made)) == 4
    assert made[0] == ids.command_id(turn, "a1", 0)


def test_b15_risks_are_ordered() -> None:
    names = ["read_only", "reversible_low_risk", "sensitive_data_change", "destructive", "irreversible", "external_regulated"]
    assert [risk.value for risk in sorted(Risk, key=lambda risk: risk.rank)] == names


def test_b16_a_direct_act_of_low_risk_is_allowed() -> None:
    assert decide(Rename(name="x"), DeskState(), ACTOR, DIRECT).allowed


def test_b18_a_review_card_policy_asks_for_a_review_card() -> None:
    assert decided(Risk.SENSITIVE_DATA_CHANGE, Confirmation.REVIEW_CARD, DIRECT).requires is CardKind.REVIEW_CHANGES


def test_b20_a_selection_click_on_a_conservative_command_asks_for_a_confirming_card() -> None:
    decision = decide(Undeclared(), None, ACTOR, SELECTION)
    assert (decision.code, decision.requires) == ("turnframe.policy.confirmation_required", CardKind.CONFIRM_COMMAND)


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [(click(), False), (INTERNAL, False), (click(CardKind.EXTERNAL_SIGNATURE), True), (click(CardKind.REAUTHENTICATE), False)],
)
def test_b21_a_signature_policy_takes_the_signature_card_only(origin: Origin, allowed: bool) -> None:
    assert decided(Risk.EXTERNAL_REGULATED, Confirmation.QUALIFIED_SIGNATURE, origin).allowed is allowed


def test_typed_text_never_authorises_a_command() -> None:
    typed = click(channel="model_interpreted")
    assert not typed.is_trusted
    assert not decided(Risk.DESTRUCTIVE, Confirmation.NONE, typed).allowed
    assert not decided(Risk.READ_ONLY, Confirmation.EXPLICIT_CLICK, typed).allowed


def test_no_card_replaces_a_professional() -> None:
    for kind in CardKind:
        assert decided(Risk.READ_ONLY, Confirmation.HUMAN_PROFESSIONAL_REVIEW, click(kind)).code == "turnframe.policy.human_review_required"
    assert decided(Risk.READ_ONLY, Confirmation.HUMAN_PROFESSIONAL_REVIEW, INTERNAL).allowed


def test_a_boolean_card_passes_the_risk_gate_but_is_no_confirmation() -> None:
    boolean = click(CardKind.BOOLEAN, ActionClass.APPLIES_OPERATION)
    assert decided(Risk.DESTRUCTIVE, Confirmation.NONE, boolean).allowed
    assert not decided(Risk.DESTRUCTIVE, Confirmation.EXPLICIT_CLICK, boolean).allowed


def test_news_under_an_unverified_signature_runs_nothing() -> None:
    assert decided(Risk.READ_ONLY, Confirmation.NONE, Origin(OriginKind.EXTERNAL_CALLBACK)).code == "turnframe.policy.untrusted_origin"


def test_an_origin_the_command_does_not_name_is_refused() -> None:
    assert decide(Rename(name="x"), DeskState(), ACTOR, CALLBACK).code == "turnframe.policy.origin_not_admitted"


def test_a_command_that_only_a_click_may_run_waits_for_one() -> None:
    class ClickOnly(Act, risk="read_only", origins=["confirmed_interaction"]):
        """Only from a card."""

    decision = decide(ClickOnly(), DeskState(), ACTOR, DIRECT)
    assert (decision.code, decision.requires) == ("turnframe.policy.confirmation_required", CardKind.CONFIRM_COMMAND)
    assert decide(ClickOnly(), DeskState(), ACTOR, click()).allowed


def test_a_grave_command_that_declares_no_confirmation_still_needs_a_click() -> None:
    decision = decided(Risk.DESTRUCTIVE, Confirmation.NONE, DIRECT)
    assert (decision.code, decision.requires) == ("turnframe.policy.confirmation_required", CardKind.CONFIRM_COMMAND)


class Depends(Act, risk="destructive"):
    """Harmless while nothing is quoted."""

    def policy(self, trip: DeskState | None, actor: flow.Actor) -> flow.Policy:
        if trip is not None and not trip.quoted and "clerk" in actor.roles:
            return flow.Policy("reversible_low_risk")
        return flow.Policy("destructive")


def test_a_policy_may_depend_on_state_and_actor_and_the_reason_says_so() -> None:
    clerk = flow.Actor("acme", "bob", frozenset({"clerk"}))
    assert decide(Depends(), DeskState(quoted=False), clerk, DIRECT).allowed
    assert not decide(Depends(), DeskState(quoted=False), ACTOR, DIRECT).allowed
    assert not decide(Depends(), None, clerk, DIRECT).allowed
    assert "(method)" in decide(Depends(), None, clerk, DIRECT).reason
    assert "(static)" in decide(Withdraw(), None, clerk, DIRECT).reason


def test_confirmation_follows_from_the_risk_unless_it_is_said() -> None:
    assert [Policy(risk.value).confirmation for risk in Risk] == ["none", "none", *["explicit_click"] * 4]
    assert Policy("destructive", "none").confirmation == "none"
    for wrong in ({"risk": "mild"}, {"confirmation": "nod"}):
        with pytest.raises(ValueError, match="is not a valid"):
            Policy(**wrong)  # type: ignore[arg-type]


def test_every_decision_has_a_reason_that_fits_its_column() -> None:
    origins = [DIRECT, INTERNAL, CALLBACK, Origin(OriginKind.EXTERNAL_CALLBACK)]
    origins += [click(kind, action, "model_interpreted") for kind, action in itertools.product(CardKind, ActionClass)]
    for risk, confirmation in itertools.product(Risk, Confirmation):
        command = origin_of(risk, confirmation)()
        for origin in origins:
            decision = decide(command, DeskState(), ACTOR, origin)
            assert 0 < len(decision.reason) <= 200
            assert str(risk) in decision.reason
            assert len(decision.code) <= 64


def test_an_unknown_origin_is_refused_when_the_class_is_written() -> None:
    with pytest.raises(ValueError, match="model_proposed"):

        class Wrong(Act, origins=["model_proposed"]):  # type: ignore[list-item]
            """Names an origin there is not."""


@pytest.mark.parametrize("code", ["", "Trip.Bad", "trip bad", ".a", "a..b", "x" * 101])
def test_a_refusal_has_a_stable_code(code: str) -> None:
    with pytest.raises(ValueError, match="no code"):
        flow.Rejected(code)
