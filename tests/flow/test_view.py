"""Views: the ten rules, and cases D of the source project."""

from collections.abc import Sequence
from typing import Any

import pytest
from pydantic import BaseModel

from tests.flow.adopter import trips
from tests.flow.desk import DESK, Outcome, Rename, SubmitRebooking, Withdraw
from turnframe_django import flow
from turnframe_django.flow.view import check


class Phase(flow.Phase):
    SYSTEM = flow.system()
    USER = flow.user()
    EXTERNAL = flow.external()
    TERMINAL = flow.terminal()


def card(**changes: Any) -> flow.Card:
    values: dict[str, Any] = {"options": [flow.confirm("Yes", Withdraw()), flow.decline("No")], **changes}
    return flow.Card("withdraw", values.pop("kind", "confirm_command"), "Withdraw it?", **values)


NAME = flow.Obligation("name", "What should it be called?", by=Rename)


def codes(view: flow.View) -> list[str]:
    return [violation.code for violation in check(view)]


@pytest.mark.parametrize(
    "view",
    [
        flow.View(Phase.SYSTEM),
        flow.View(Phase.SYSTEM, obligations=[NAME]),
        flow.View(Phase.USER, card=card()),
        flow.View(Phase.USER, card=card(), obligations=[NAME]),
        flow.View(Phase.EXTERNAL, obligations=[NAME]),
        flow.View(Phase.TERMINAL, outcome=Outcome()),
    ],
)
def test_a_sound_view_breaks_no_rule(view: flow.View) -> None:
    assert check(view) == []


def test_d2_a_phase_of_the_user_without_a_card() -> None:
    assert codes(flow.View(Phase.USER)) == ["missing_blocking_interaction"]


def test_d4_an_outcome_while_one_obligation_remains() -> None:
    found = check(flow.View(Phase.TERMINAL, outcome=Outcome(), obligations=[NAME]))
    assert [(violation.code, violation.detail) for violation in found] == [("outcome_with_obligations", "1")]


def test_d5_an_external_phase_with_outcome_and_card() -> None:
    assert codes(flow.View(Phase.EXTERNAL, outcome=Outcome(), card=card())) == [
        "outcome_on_non_terminal_phase",
        "blocking_interaction_on_non_user_phase",
    ]


def test_d7_an_obligation_about_an_entity_is_known_by_its_canonical_json() -> None:
    assert flow.Obligation("line", "Who pays?", about={"id": 2}).id == '{"line":{"id":2}}'
    assert NAME.id == '"name"'


class Line(BaseModel):
    id: int


def test_an_obligation_may_be_about_a_model() -> None:
    assert flow.Obligation("line", "Who pays?", about=Line(id=2)).id == '{"line":{"id":2}}'


RULES: Sequence[tuple[str, flow.View]] = [
    ("outcome_with_obligations", flow.View(Phase.TERMINAL, outcome=Outcome(), obligations=[NAME])),
    ("terminal_without_outcome", flow.View(Phase.TERMINAL)),
    ("outcome_on_non_terminal_phase", flow.View(Phase.SYSTEM, outcome=Outcome())),
    ("missing_blocking_interaction", flow.View(Phase.USER)),
    ("blocking_interaction_on_terminal_phase", flow.View(Phase.TERMINAL, outcome=Outcome(), card=card())),
    ("blocking_interaction_on_non_user_phase", flow.View(Phase.SYSTEM, card=card())),
    ("non_blocking_requirement", flow.View(Phase.USER, card=card(blocking=False))),
    ("unanswerable_interaction", flow.View(Phase.USER, card=card(options=[flow.dismiss("Later")]))),
    ("duplicate_obligation", flow.View(Phase.SYSTEM, obligations=[NAME, NAME, NAME])),
    ("obligation_not_serialisable", flow.View(Phase.SYSTEM, obligations=[flow.Obligation("line", "?", about=object())])),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("code", "view"), RULES, ids=[f"{number}-{code}" for number, (code, _view) in enumerate(RULES, 1)])
def test_each_of_the_ten_rules_is_told_by_its_code(code: str, view: flow.View) -> None:
    assert codes(view) == [code]


def test_all_broken_rules_are_told_and_not_the_first_only() -> None:
    worst = flow.View(
        Phase.TERMINAL,
        obligations=[NAME, NAME, flow.Obligation("line", "?", about=1.5)],
        card=card(blocking=False, options=[]),
    )
    assert codes(worst) == [
        "terminal_without_outcome",
        "blocking_interaction_on_terminal_phase",
        "non_blocking_requirement",
        "unanswerable_interaction",
        "duplicate_obligation",
        "obligation_not_serialisable",
    ]


def test_two_obligations_about_different_entities_are_two() -> None:
    assert codes(flow.View(Phase.SYSTEM, obligations=[flow.Obligation("line", "?", about=number) for number in (1, 2)])) == []


def test_what_belongs_to_another_workflow_is_told() -> None:
    view = flow.View(
        Phase.USER,
        card=card(options=[flow.confirm("Yes", trips.RequestRebooking.__new__(trips.RequestRebooking)), flow.decline("No")]),
        obligations=[flow.Obligation("name", "?", by=trips.RenameTrip)],
        offers=[trips.RenameTrip],
    )
    assert [violation.code for violation in check(view, DESK.known)] == ["foreign_request"] * 3
    sound = flow.View(
        Phase.USER, card=card(options=[flow.confirm("Yes", SubmitRebooking(flight="x")), flow.decline("No")]), obligations=[NAME]
    )
    assert check(sound, DESK.known) == []


def test_equal_phases_are_not_one() -> None:
    assert len(Phase) == len({phase.key for phase in Phase}) == 4

    class Twins(flow.Phase):
        FIRST = flow.system("Same")
        SECOND = flow.system("Same")

    assert [phase.name for phase in Twins] == ["FIRST", "SECOND"]


def test_a_phase_has_a_key_an_owner_and_a_label() -> None:
    class Labelled(flow.Phase):
        WITH_AIRLINE = flow.external()
        DONE = flow.terminal("All done")

    assert (Labelled.WITH_AIRLINE.key, Labelled.WITH_AIRLINE.owner, Labelled.WITH_AIRLINE.label) == (
        "with_airline",
        "external",
        "With airline",
    )
    assert Labelled.DONE.label == "All done"
