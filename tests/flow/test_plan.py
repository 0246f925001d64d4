"""A plan is held to its own rules before anything runs: cases H2 and H3."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.flow.adopter import trips
from tests.flow.desk import ACTOR, DeskState, Rebook, Rename, SetSeats, Withdraw, act, loaded, reduced
from turnframe_django.flow.plan import ActResult, Plan, PlanInconsistent, validate
from turnframe_django.flow.policy import Origin, decide
from turnframe_django.protocol.states import CardKind, OriginKind

ROME, LISBON = loaded("Rome"), loaded("Lisbon")
PLAN = reduced(
    "Porto, two seats",
    [act(Rename(name="Porto"), ROME), act(SetSeats(seats=2), LISBON, act_id="a2"), act(Rebook(), ROME, act_id="a3")],
    ROME,
    LISBON,
)
ACTS = ["a1", "a2", "a3"]
DIRECT = Origin(OriginKind.DIRECT_SAFE_USER_ACT)


def result(position: int, **changes: Any) -> Plan:
    results = list(PLAN.results)
    results[position] = replace(results[position], **changes)
    return replace(PLAN, results=tuple(results))


def command(**changes: Any) -> Plan:
    first, *others = PLAN.batches
    planned = replace(first.commands[0], **changes)
    return replace(PLAN, batches=(replace(first, commands=(planned,)), *others))


def first_batch(**changes: Any) -> Plan:
    return replace(PLAN, batches=(replace(PLAN.batches[0], **changes), *PLAN.batches[1:]))


def test_a_sound_plan_passes() -> None:
    validate(PLAN, ACTS)


H2: dict[str, Callable[[], Plan]] = {
    "a ready act whose commands are missing": lambda: replace(PLAN, batches=PLAN.batches[1:]),
    "a ready act without an exact target": lambda: result(0, case=None),
    "a ready act on another case than its batch": lambda: result(0, case=LISBON.ref),
    "a command of another workflow": lambda: command(command=trips.RenameTrip(name="x")),
    "a waiting act that waits for nothing": lambda: replace(PLAN, awaiting=()),
    "a refused act that is batched": lambda: result(0, outcome="rejected"),
    "a held act that waits": lambda: result(2, outcome="held"),
    "an act without a result": lambda: replace(PLAN, results=PLAN.results[1:]),
    "an act with two results": lambda: replace(PLAN, results=(*PLAN.results, PLAN.results[0])),
    "a result of no act": lambda: replace(PLAN, results=(*PLAN.results, ActResult("a9", "rejected", "x"))),
    "two batches of one case": lambda: replace(PLAN, batches=(*PLAN.batches, PLAN.batches[0])),
    "an empty batch": lambda: first_batch(commands=()),
    "a batch that opens what exists": lambda: first_batch(opens=True),
    "two acts waiting on one case": lambda: replace(PLAN, awaiting=(*PLAN.awaiting, PLAN.awaiting[0])),
    "a wait without commands": lambda: replace(PLAN, awaiting=(replace(PLAN.awaiting[0], commands=()),)),
}


@pytest.mark.parametrize("broken", H2.values(), ids=H2.keys())
def test_h2_a_plan_that_contradicts_itself_is_refused(broken: Callable[[], Plan]) -> None:
    with pytest.raises(PlanInconsistent):
        validate(broken(), ACTS)


def click(kind: CardKind) -> Origin:
    from turnframe_django.protocol.states import ActionClass

    return Origin(OriginKind.CONFIRMED_INTERACTION, kind, ActionClass.CONFIRMS_COMMANDS)


def test_h3_a_command_with_a_refused_decision_is_not_run() -> None:
    refused = decide(Withdraw(), DeskState(), ACTOR, DIRECT)
    with pytest.raises(PlanInconsistent, match="does not allow it"):
        validate(command(decision=refused), ACTS)


def test_h3_a_decision_its_origin_does_not_satisfy_is_not_believed() -> None:
    allowed = decide(Withdraw(), DeskState(), ACTOR, click(CardKind.CONFIRM_COMMAND))
    validate(command(decision=allowed), ACTS)
    for origin in (DIRECT, click(CardKind.BOOLEAN)):
        with pytest.raises(PlanInconsistent, match="does not allow it"):
            validate(command(decision=replace(allowed, origin=origin)), ACTS)


def test_h3_a_command_decided_twice_is_not_run() -> None:
    doubled = first_batch(commands=PLAN.batches[0].commands * 2)
    with pytest.raises(PlanInconsistent, match="decided 2 times"):
        validate(doubled, ACTS)


def test_every_contradiction_is_told() -> None:
    with pytest.raises(PlanInconsistent) as caught:
        validate(replace(result(0, case=None), awaiting=()), ACTS)
    assert str(caught.value).count(";") >= 2
