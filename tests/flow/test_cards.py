"""Cards: what an author may write, and what is built of it."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import translation
from django.utils.functional import lazy

from tests.flow.adopter import trips
from tests.flow.desk import ACTOR, DESK, Act, DeskState, Rename, Sign, SubmitRebooking, Withdraw
from turnframe_django import codec, flow
from turnframe_django.flow.cards import CardError, action_class, build, preview_digest, problems, stored_request
from turnframe_django.flow.targets import CaseRef
from turnframe_django.protocol.cards import InteractionView
from turnframe_django.protocol.states import ActionClass, CardKind, Risk

REF = CaseRef("flow", "trip", "1", 3)
YES, NO = flow.confirm("Yes", Withdraw()), flow.decline("No", reason=200)


def card(*options: flow.Option, kind: Any = "confirm_command", **changes: Any) -> flow.Card:
    title = changes.pop("title", "Withdraw it?")
    return flow.Card("withdraw", kind, title, options=options or (YES, NO), **changes)


def refusal(made: flow.Card, **arguments: Any) -> str:
    with pytest.raises(CardError) as caught:
        build(made, REF, **arguments)
    return str(caught.value)


def test_a_built_card_shows_no_action() -> None:
    built = build(card(body="It cannot be undone."), REF)
    assert built.payload == {
        "title": "Withdraw it?",
        "body": "It cannot be undone.",
        "options": [
            {"option_id": "confirm", "label": "Yes", "style": "primary", "freeform": {"mode": "forbidden"}},
            {"option_id": "decline", "label": "No", "style": "secondary", "freeform": {"mode": "optional", "max_len": 200}},
        ],
    }
    assert [option.action for option in built.options] == [{"op": "confirm_commands"}, {"op": "decline_commands"}]
    assert built.options[0].commands == (Withdraw(),)
    assert codec.decode(built.payload_text) == built.payload


def test_a_built_card_fits_the_wire() -> None:
    payload = build(card(body="It cannot be undone."), REF).payload
    around: dict[str, codec.Json] = {
        "interaction_id": "00000000-0000-7000-8000-000000000001",
        "kind": "confirm_command",
        "blocking": True,
        "case_ref": {"engine": "flow", "name": "trip", "case_id": "1", "revision": 3},
        "expires_at": None,
    }
    InteractionView.model_validate_json(codec.encode({**around, **payload}))


def test_defaults_are_the_careful_ones() -> None:
    built = build(card(), REF)
    assert (built.expires_in, built.blocking, built.binds_to_revision) == (timedelta(hours=24), True, True)
    assert (built.on_failure, built.text_policy, built.kind) == ("fail", "never", CardKind.CONFIRM_COMMAND)


def test_a32_a_card_that_declares_no_risk_counts_as_irreversible() -> None:
    assert build(card(), REF).risk is Risk.IRREVERSIBLE
    assert build(card(risk="reversible_low_risk"), REF).risk is Risk.REVERSIBLE_LOW_RISK


def test_a24_a_boolean_card_has_exactly_two_options() -> None:
    two = [flow.apply("Yes", Rename(name="Rome")), flow.dismiss("No")]
    assert list(problems(card(*two, kind="boolean"))) == []
    for options in (two[:1], [*two, flow.dismiss("Later", id="later")]):
        assert "exactly two" in refusal(card(*options, kind="boolean"))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ([NO, flow.dismiss("Later")], "confirms or applies"),
        ([YES, flow.confirm("Sure", Withdraw(), id="sure")], "declines"),
        ([YES, flow.confirm("Sure", Withdraw()), NO], "'confirm'"),
        ([flow.confirm("Yes"), NO], "confirms no command"),
        ([flow.confirm(" ", Withdraw()), NO], "needs a label"),
        ([flow.confirm("Yes", Withdraw(), id="Yes!"), NO], "no option id"),
        ([flow.confirm("Yes", Withdraw(), id="x" * 65), NO], "no option id"),
        ([flow.confirm("Yes", Withdraw(), style="loud"), NO], "no style"),  # type: ignore[arg-type]
        ([YES, flow.decline("No", reason=0)], "between 1 and"),
        ([YES, flow.decline("No", reason=10_001)], "between 1 and"),
        ([YES, *[flow.decline("No", id=f"n{number}") for number in range(20)]], "at most 20"),
        ([flow.confirm("Yes", Sign()), NO], "no qualified_signature"),
    ],
)
def test_a_card_that_could_not_be_answered_is_refused(options: list[flow.Option], told: str) -> None:
    assert told in refusal(card(*options))


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"title": " "}, "needs a title"),
        ({"on_failure": "ignore"}, "on_failure"),
        ({"risk": "mild"}, "no risk"),
        ({"expires_in": None}, "must expire"),
        ({"expires_in": timedelta(0)}, "expires in"),
        ({"expires_in": timedelta(seconds=-1)}, "expires in"),
        ({"expires_in": timedelta(days=367)}, "expires in"),
    ],
)
def test_a_card_outside_the_limits_is_refused(changes: dict[str, Any], told: str) -> None:
    assert told in refusal(card(**changes))


@pytest.mark.parametrize("key", ["", "Withdraw", "a b", "x" * 101])
def test_a_key_is_a_plain_word(key: str) -> None:
    assert "no key" in " ".join(problems(flow.Card(key, "confirm_command", "?", options=[YES, NO])))


@pytest.mark.parametrize("kind", [kind for kind in CardKind if kind not in ("confirm_command", "boolean")])
def test_a_kind_that_comes_later_is_refused_by_name(kind: CardKind) -> None:
    assert f"kind {kind} cannot be raised yet" in refusal(card(kind=kind.value))


@pytest.mark.parametrize("kind", ["multi_select", "popup"])
def test_a29_a_kind_there_is_not_is_refused(kind: str) -> None:
    assert "no card of kind" in refusal(card(kind=kind))


def test_a_boolean_card_may_stand_for_ever_because_it_authorises_nothing() -> None:
    made = card(flow.apply("Yes", Rename(name="Rome")), flow.dismiss("No"), kind="boolean", expires_in=None)
    assert build(made, REF).expires_in is None


def test_a_boolean_card_is_no_consent_to_a_grave_command() -> None:
    assert "a boolean card is no explicit_click for Withdraw" in refusal(card(YES, flow.dismiss("No"), kind="boolean"))


def test_a_policy_of_the_author_s_is_judged_at_the_click_and_not_here() -> None:
    class Depends(Act, risk="destructive"):
        """Harmless at times."""

        def policy(self, trip: DeskState | None, actor: flow.Actor) -> flow.Policy:
            return flow.Policy("read_only")

    assert list(problems(card(flow.confirm("Yes", Depends()), flow.dismiss("No"), kind="boolean"))) == []


def test_a_card_that_runs_another_workflow_s_command_is_refused() -> None:
    foreign = card(flow.confirm("Yes", trips.RenameTrip(name="x")), flow.apply("Or", trips.RenameTrip(name="y"), id="or"), NO)
    told = refusal(foreign, known=DESK.known)
    assert "Option 'confirm' names RenameTrip" in told
    assert "Option 'or' names RenameTrip" in told
    assert build(card(), REF, known=DESK.known).key == "withdraw"


def test_an_applied_request_is_stored_with_its_arguments() -> None:
    option = flow.apply("Rename", Rename(name="Rome"), freeform="name", max_len=80)
    built = build(card(option, NO), REF).options[0]
    assert built.action == {"op": "apply_operation", "operation": "rename", "arguments": {"name": "Rome"}, "freeform_argument": "name"}
    assert (built.option_id, built.freeform_mode, built.freeform_max_len) == ("rename", "required", 80)
    assert flow.apply("Rename", Rename(name="Rome"), freeform="name", required=False).freeform_mode == "optional"


def test_a_free_text_goes_to_an_argument_that_exists() -> None:
    with pytest.raises(TypeError, match="nmae"):
        flow.apply("Rename", Rename(name="Rome"), freeform="nmae")


def test_the_user_s_text_replaces_the_one_argument_and_nothing_else() -> None:
    action = flow.apply("Rename", Rename(name="Rome"), freeform="name").action
    assert stored_request(action, DESK.request, "Lisbon") == Rename(name="Lisbon")
    assert stored_request(action, DESK.request) == Rename(name="Rome")
    fixed = flow.apply("Rebook", SubmitRebooking(flight="AZ")).action
    assert stored_request(fixed, DESK.request, "other") == SubmitRebooking(flight="AZ")


def test_a_stored_request_that_no_longer_fits_is_rejected_and_no_error() -> None:
    for action, code in (
        ({"op": "apply_operation", "operation": "gone", "arguments": {}, "freeform_argument": None}, "turnframe.operation.unknown"),
        (
            {"op": "apply_operation", "operation": "rename", "arguments": {"old": 1}, "freeform_argument": None},
            "turnframe.operation.invalid_arguments",
        ),
    ):
        with pytest.raises(flow.Rejected) as caught:
            stored_request(action, DESK.request)  # type: ignore[arg-type]
        assert caught.value.code == code


def test_only_confirming_and_applying_can_authorise() -> None:
    options = [YES, NO, flow.apply("Rename", Rename(name="x")), flow.dismiss("Later")]
    assert [action_class(option.action) for option in options] == [
        ActionClass.CONFIRMS_COMMANDS,
        ActionClass.NO_COMMANDS,
        ActionClass.APPLIES_OPERATION,
        ActionClass.NO_COMMANDS,
    ]


def test_texts_are_settled_in_the_language_of_the_turn() -> None:
    title = lazy(lambda: {"it": "Ritirare?"}.get(translation.get_language() or "", "Withdraw?"), str)()
    with translation.override("it"):
        assert build(card(title=title), REF).payload["title"] == "Ritirare?"
    with translation.override("en"):
        assert build(card(title=title), REF).payload["title"] == "Withdraw?"


def test_a_number_in_a_phrase_is_written_as_the_language_writes_it() -> None:
    with translation.override("it"):
        assert build(card(title=flow.phrase("Pay {price}?", price=Decimal("9.50"))), REF).payload["title"] == "Pay 9,50?"


def test_nothing_on_a_card_is_invisible() -> None:
    option = flow.confirm("Y\u200bes", Withdraw())
    payload: Any = build(card(option, NO, title="a\u202eb\nc", body="d\u2066e\nf"), REF).payload
    assert payload["title"] == "a\\u{202E}b\\u{000A}c"
    assert payload["body"] == "d\\u{2066}e\nf"
    assert payload["options"][0]["label"] == "Y\\u{200B}es"


def test_a_preview_is_pinned_by_its_digest() -> None:
    first, second = (build(card(), REF, state=DeskState(name=name)).preview_digest for name in ("Rome", "Lisbon"))
    assert len(first) == 64
    assert first != second
    assert first == preview_digest([Withdraw()], DeskState(name="Rome"))
    assert build(card(flow.confirm("Yes", SubmitRebooking(flight="x")), NO), REF, state=DeskState()).preview_digest == ""
    assert preview_digest([Withdraw()], None) == ""


def test_the_same_card_is_the_same_bytes() -> None:
    assert build(card(), REF).payload_text == build(card(), REF).payload_text
    assert ACTOR.account not in build(card(), REF).payload_text
