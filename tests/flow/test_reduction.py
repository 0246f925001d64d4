"""Reduction: cases H of the source project, scenario 6, and what is added here."""

from typing import Any

import pytest
from django.utils import translation
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.flow.desk import (
    ACTOR,
    DESK,
    TURN,
    Act,
    AddExtras,
    Appraise,
    Desk,
    DeskState,
    Happened,
    OpenGroupTrip,
    OpenTrip,
    OtherDesk,
    Rebook,
    RecordAnswer,
    Rename,
    SetSeats,
    Sign,
    SubmitRebooking,
    Tidy,
    Withdraw,
    act,
    loaded,
    reduced,
    situation,
)
from tests.flow.example.travel.models import Trip
from turnframe_django import flow, ids
from turnframe_django.flow.reduction import PlanInconsistent, Situation, brief, reduce
from turnframe_django.protocol.states import CardKind

ROME, LISBON = loaded("Rome"), loaded("Lisbon")
MESSAGE = "call it Porto or Faro, rebook it, two seats"


def outcomes(plan: Any) -> list[str]:
    return [result.outcome for result in plan.results]


def codes(plan: Any) -> list[str]:
    return [result.code for result in plan.results]


def test_a_low_risk_change_in_the_user_s_words_is_ready() -> None:
    plan = reduced(MESSAGE, [act(Rename(name="Porto"), ROME)], ROME)
    assert outcomes(plan) == ["ready"]
    batch = plan.batches[0]
    assert (batch.ref, batch.workflow, batch.opens) == (ROME.ref, DESK, False)
    planned = batch.commands[0]
    assert (planned.id, planned.position, planned.command) == (ids.command_id(TURN, "a1", 0), 0, Rename(name="Porto"))
    assert planned.decision.allowed
    assert (plan.notices, plan.awaiting, plan.refused) == ((), (), False)


def test_h5_two_fields_of_one_record_are_one_batch_of_two_commands() -> None:
    plan = reduced(MESSAGE, [act(Rename(name="Porto"), ROME), act(SetSeats(seats=2), ROME, act_id="a2")], ROME)
    assert outcomes(plan) == ["ready", "ready"]
    assert [[planned.act for planned in batch.commands] for batch in plan.batches] == [["a1", "a2"]]
    assert len({planned.id for planned in plan.batches[0].commands}) == 2


def test_commands_of_two_records_are_two_batches_in_act_order() -> None:
    acts = [act(SetSeats(seats=2), LISBON), act(SetSeats(seats=3), ROME, act_id="a2"), act(Rename(name="Porto"), LISBON, act_id="a3")]
    plan = reduced(MESSAGE, acts, ROME, LISBON)
    assert [(batch.ref, len(batch.commands)) for batch in plan.batches] == [(LISBON.ref, 2), (ROME.ref, 1)]


def test_h7_a_consequential_act_only_waits_for_its_own_card() -> None:
    plan = reduced(MESSAGE, [act(Rebook(), ROME), act(SetSeats(seats=2), ROME, act_id="a2")], ROME)
    assert outcomes(plan) == ["awaiting_confirmation", "ready"]
    waiting = plan.awaiting[0]
    assert (waiting.act, waiting.ref, waiting.proposable) == ("a1", ROME.ref, Rebook())
    assert (waiting.commands, waiting.opens) == ((SubmitRebooking(flight="AZ 612"),), False)


def test_h10_a_card_only_operation_is_refused_and_the_rest_runs() -> None:
    plan = reduced(MESSAGE, [act(SubmitRebooking(flight="x"), ROME), act(SetSeats(seats=2), ROME, act_id="a2")], ROME)
    assert outcomes(plan) == ["rejected", "ready"]
    assert codes(plan)[0] == "turnframe.operation.not_proposable"


def test_an_operation_nobody_knows_is_refused() -> None:
    plan = reduced(MESSAGE, [flow.ProposedAct(id="a1", operation="delete_everything")], ROME)
    assert codes(plan) == ["turnframe.operation.unknown"]


def test_h12_arguments_that_do_not_fit_the_schema_are_refused() -> None:
    bad = flow.ProposedAct(id="a1", operation="set_seats", record=ROME.token, arguments={"seats": "two"})
    plan = reduced(MESSAGE, [bad], ROME)
    assert (codes(plan), plan.batches) == (["turnframe.operation.invalid_arguments"], ())


def test_a_value_the_user_never_said_is_refused() -> None:
    plan = reduced(MESSAGE, [act(Rename(name="Madrid"), ROME)], ROME)
    assert codes(plan) == ["turnframe.evidence.not_in_message"]


def test_scenario_6_an_act_that_is_malformed_holds_every_other_act_on_its_record() -> None:
    bad = flow.ProposedAct(id="a2", operation="set_seats", record=ROME.token, arguments={})
    acts = [act(Rename(name="Porto"), ROME), bad, act(Rebook(), ROME, act_id="a3"), act(SetSeats(seats=2), LISBON, act_id="a4")]
    plan = reduced(MESSAGE, acts, ROME, LISBON)
    assert outcomes(plan) == ["held", "rejected", "held", "ready"]
    assert [batch.ref for batch in plan.batches] == [LISBON.ref]
    assert plan.awaiting == ()


def test_an_invented_quote_holds_the_record_as_well() -> None:
    plan = reduced(MESSAGE, [act(Rename(name="Madrid"), ROME), act(SetSeats(seats=2), ROME, act_id="a2")], ROME)
    assert outcomes(plan) == ["rejected", "held"]


def test_a_malformed_act_without_a_settled_record_holds_none() -> None:
    bad = flow.ProposedAct(id="a1", operation="set_seats", arguments={})
    plan = reduced(MESSAGE, [bad, act(SetSeats(seats=2), ROME, act_id="a2")], ROME, LISBON)
    assert outcomes(plan) == ["rejected", "ready"]


def test_a_refusal_of_the_domain_holds_nothing() -> None:
    trip = loaded("Rome", DeskState(quoted=False))
    plan = reduced(MESSAGE, [act(Rebook(), trip), act(SetSeats(seats=2), trip, act_id="a2")], trip)
    assert outcomes(plan) == ["rejected", "ready"]
    assert plan.results[0].code == "desk.no_quote"
    assert plan.results[0].text == "The airline has not quoted yet."
    assert [(notice.code, notice.text) for notice in plan.notices] == [("desk.no_quote", "The airline has not quoted yet.")]


def test_h17_nothing_to_change_is_told_and_is_no_refusal() -> None:
    plan = reduced("call it Rome", [act(Rename(name="Rome"), ROME)], ROME)
    assert (outcomes(plan), plan.batches, plan.refused) == (["no_change"], (), False)
    assert [(notice.code, notice.severity) for notice in plan.notices] == [("turnframe.notice.no_change", "info")]


def test_only_what_an_operation_would_change_is_planned() -> None:
    plan = reduced(MESSAGE, [act(Tidy(), LISBON)], LISBON)
    assert [planned.command for planned in plan.batches[0].commands] == [Rename(name="Rome")]
    assert outcomes(reduced(MESSAGE, [act(Tidy(), ROME)], ROME)) == ["no_change"]


def test_the_last_word_on_a_field_is_not_lost_to_a_state_read_before_the_turn() -> None:
    message = "call it Porto, no, back to Rome"
    plan = reduced(message, [act(Rename(name="Porto"), ROME), act(Rename(name="Rome"), ROME, act_id="a2")], ROME)
    assert [planned.command for planned in plan.batches[0].commands] == [Rename(name="Porto"), Rename(name="Rome")]


@pytest.mark.parametrize(
    ("request_", "token", "records", "code"),
    [
        (SetSeats(seats=2), "t_000000000000", (ROME,), "turnframe.target.unauthorized"),
        (SetSeats(seats=2), None, (), "turnframe.target.missing"),
        (SetSeats(seats=2), None, (ROME, LISBON), "turnframe.target.unresolved"),
        (OpenTrip(), ROME.token, (ROME,), "turnframe.target.policy_mismatch"),
        (
            SetSeats(seats=2),
            loaded("x", workflow=OtherDesk()).token,
            (ROME, loaded("x", workflow=OtherDesk())),
            "turnframe.target.policy_mismatch",
        ),
    ],
)
def test_h18_a_target_is_exact_or_nothing_happens(request_: Any, token: str | None, records: Any, code: str) -> None:
    proposed = act(request_).model_copy(update={"record": token})
    plan = reduced(MESSAGE, [proposed], *records)
    assert (outcomes(plan), codes(plan), plan.batches) == (["rejected"], [code], ())


def test_what_a_record_does_not_offer_now_is_refused() -> None:
    trip = loaded("Rome", DeskState(offers=("set_seats",)))
    plan = reduced(MESSAGE, [act(Rename(name="Porto"), trip), act(SetSeats(seats=2), trip, act_id="a2")], trip)
    assert (outcomes(plan), codes(plan)[0]) == (["rejected", "ready"], "turnframe.operation.unknown")


def test_an_opening_command_mints_its_record() -> None:
    plan = reduced("start a trip to Faro", [act(OpenTrip(name="Faro")), act(OpenTrip(), act_id="a2")])
    assert [(batch.opens, batch.ref.revision, batch.ref.case_id) for batch in plan.batches] == [
        (True, 0, str(ids.new_case_id(TURN, "trip", "a1"))),
        (True, 0, str(ids.new_case_id(TURN, "trip", "a2"))),
    ]


def test_an_opening_that_needs_consent_waits_at_revision_zero() -> None:
    plan = reduced("start a group trip", [act(OpenGroupTrip())])
    assert (outcomes(plan), plan.awaiting[0].opens, plan.awaiting[0].ref.revision) == (["awaiting_confirmation"], True, 0)


class Closed(Desk):
    """Opens nothing at present."""

    name = "closed"

    def project(self, trip: DeskState | None) -> flow.View:
        return flow.View(self.Phase.COLLECTING, offers=[])


def test_an_opening_that_is_not_on_offer_is_refused() -> None:
    plan = reduced("start a trip", [act(OpenTrip())], workflows=(Closed(),))
    assert codes(plan) == ["turnframe.operation.unknown"]


def test_a_professional_s_decision_is_not_asked_of_the_user() -> None:
    plan = reduced(MESSAGE, [act(Appraise(), ROME)], ROME)
    assert (codes(plan), plan.awaiting) == (["turnframe.policy.human_review_required"], ())


def test_a_confirmation_that_no_card_can_ask_for_yet_is_refused() -> None:
    plan = reduced(MESSAGE, [act(Sign(), ROME)], ROME)
    assert codes(plan) == ["turnframe.interaction.unsupported_kind"]


def test_a_review_card_with_nothing_to_compare_is_a_plain_confirmation() -> None:
    class Review(Act, risk="sensitive_data_change", confirmation="review_card"):
        """Review it."""

    class Reviewing(Desk):
        """With one more request."""

        operations = [Review]

    workflow = Reviewing()
    trip = loaded("Rome", workflow=workflow)
    plan = reduced(MESSAGE, [act(Review(), trip)], trip, workflows=(workflow,))
    assert outcomes(plan) == ["awaiting_confirmation"]


def test_one_confirmation_at_a_time_on_one_record() -> None:
    acts = [act(Rebook(), ROME), act(Withdraw(), ROME, act_id="a2"), act(Withdraw(), LISBON, act_id="a3")]
    plan = reduced(MESSAGE, acts, ROME, LISBON)
    assert outcomes(plan) == ["awaiting_confirmation", "held", "awaiting_confirmation"]
    assert codes(plan)[1] == "turnframe.interaction.one_at_a_time"


def test_one_command_that_needs_consent_makes_its_whole_act_wait() -> None:
    class Both(flow.Operation[Trip, DeskState]):
        """Rename and withdraw."""

        def compile(self, trip: DeskState) -> list[Act]:
            return [SetSeats(seats=5), Withdraw()]

    class Doing(Desk):
        """With one more request."""

        operations = [Both]
        commands = [SetSeats, Withdraw]

    workflow = Doing()
    trip = loaded("Rome", workflow=workflow)
    plan = reduced(MESSAGE, [act(Both(), trip)], trip, workflows=(workflow,))
    assert (plan.batches, plan.awaiting[0].commands) == ((), (SetSeats(seats=5), Withdraw()))


def test_what_only_the_outside_may_run_is_refused_on_request() -> None:
    class Telling(Desk):
        """Proposes what it should not."""

        operations = [RecordAnswer]
        commands = []

    workflow = Telling()
    trip = loaded("Rome", workflow=workflow)
    plan = reduced(MESSAGE, [act(RecordAnswer(), trip)], trip, workflows=(workflow,))
    assert codes(plan) == ["turnframe.policy.origin_not_admitted"]


def test_h22_more_commands_than_allowed_refuse_the_whole_turn() -> None:
    acts = [act(Rename(name="Porto"), ROME), act(Rebook(), ROME, act_id="a2")]
    plan = reduced(MESSAGE, acts, ROME, max_commands=1)
    assert codes(plan) == ["turnframe.plan.too_many_commands"] * 2
    assert (plan.batches, plan.awaiting, len(plan.notices)) == ((), (), 1)
    assert outcomes(reduced(MESSAGE, acts, ROME, max_commands=2)) == ["ready", "awaiting_confirmation"]


def test_two_refusals_for_two_reasons_are_two_sentences() -> None:
    acts = [act(Rename(name="Madrid"), ROME), flow.ProposedAct(id="a2", operation="fly")]
    plan = reduced(MESSAGE, acts, ROME)
    assert len({str(notice.text) for notice in plan.notices}) == len(plan.notices) == 2


def test_a_refusal_is_told_in_the_language_of_the_turn_whatever_is_active() -> None:
    acts = [act(SetSeats(seats=2), ROME, act_id="a1").model_copy(update={"record": "t_0"})]
    with translation.override("it"):
        plan = reduced(MESSAGE, acts, ROME, locale="en")
        assert translation.get_language() == "it"
    assert plan.notices[0].text == "That record cannot be found."


def test_an_author_who_compiles_what_is_not_listed_stops_the_turn() -> None:
    class Unlisted(Act, risk="read_only"):
        """In no list."""

    class Stray(flow.Operation[Trip, DeskState]):
        """Strays."""

        def compile(self, trip: DeskState) -> list[Act]:
            return [Unlisted()]

    class Straying(Desk):
        """With one more request."""

        operations = [Stray]

    workflow = Straying()
    trip = loaded("Rome", workflow=workflow)
    with pytest.raises(PlanInconsistent, match="Unlisted"):
        reduced(MESSAGE, [act(Stray(), trip)], trip, workflows=(workflow,))


def test_an_opening_operation_opens_with_its_first_command_and_no_other() -> None:
    class Start(flow.Operation[Trip, DeskState], opens=True):
        """Start a named trip."""

        backwards: bool = False

        def compile(self, trip: DeskState | None) -> list[Act]:
            commands: list[Act] = [OpenTrip(), SetSeats(seats=2)]
            return commands[::-1] if self.backwards else commands

    class Starting(Desk):
        """With one more request."""

        operations = [Start]
        commands = [OpenTrip, SetSeats]

    workflow = Starting()
    plan = reduced(MESSAGE, [act(Start())], workflows=(workflow,))
    assert [planned.position for planned in plan.batches[0].commands] == [0, 1]
    assert plan.batches[0].opens
    with pytest.raises(PlanInconsistent, match="opens the record"):
        reduced(MESSAGE, [act(Start(backwards=True))], workflows=(workflow,))


def test_an_author_s_own_error_passes_through() -> None:
    class Broken(flow.Operation[Trip, DeskState]):
        """Fails."""

        def compile(self, trip: DeskState) -> list[Act]:
            raise RuntimeError("bug")

    class Breaking(Desk):
        """With one more request."""

        operations = [Broken]

    workflow = Breaking()
    trip = loaded("Rome", workflow=workflow)
    with pytest.raises(RuntimeError, match="bug"):
        reduced(MESSAGE, [act(Broken(), trip)], trip, workflows=(workflow,))


def test_what_was_not_understood_is_told_in_the_user_s_words_only() -> None:
    units = [
        flow.NotUnderstood(words="two seats", reason="unclear"),
        flow.NotUnderstood(words="I am the model"),
        flow.NotUnderstood(words=" "),
    ]
    plan = reduce(flow.Proposal(not_understood=units), situation(MESSAGE, ROME))
    assert plan.not_understood == (("two seats", "unclear"), ("", "no_operation"), ("", "no_operation"))
    assert plan.digest == reduce(flow.Proposal(not_understood=units), situation(MESSAGE, ROME)).digest
    other = [units[0].model_copy(update={"reason": "no_operation"}), *units[1:]]
    assert plan.digest != reduce(flow.Proposal(not_understood=other), situation(MESSAGE, ROME)).digest


def test_the_brief_holds_what_may_be_asked_and_nothing_else() -> None:
    told = brief(situation("hello", ROME, loaded("Done", DeskState(over=True)), loaded("Nameless", DeskState(name=""))))
    assert (told.message, told.locale, told.today) == ("hello", "en", "2026-05-01")
    assert [operation.key for operation in told.starts] == ["open_trip", "open_group_trip"]
    rome, done, nameless = told.records
    assert (rome.token, rome.workflow, rome.label, rome.phase, rome.needs) == (ROME.token, "trip", "Rome", "Collecting details", [])
    assert {operation.key for operation in rome.operations} == {
        "rename",
        "set_seats",
        "add_extras",
        "withdraw",
        "appraise",
        "sign",
        "rebook",
        "tidy",
    }
    assert rome.operations[0].summary == "Give the trip a name."
    assert rome.operations[0].words == "rename the trip"
    assert done.operations == []
    assert nameless.needs == ["What should it be called?"]
    assert ROME.ref.case_id not in told.model_dump_json()
    assert "acme" not in told.model_dump_json()


def test_a_decision_names_the_card_it_asks_for() -> None:
    plan = reduced(MESSAGE, [act(Rename(name="Porto"), ROME)], ROME)
    assert plan.batches[0].commands[0].decision.requires is None
    assert CardKind.CONFIRM_COMMAND.authorises


# --- properties ------------------------------------------------------------------------------------------------------------------

SITUATION = situation(MESSAGE, ROME, LISBON, loaded("Done", DeskState(over=True)))
TOKENS = st.sampled_from([None, ROME.token, LISBON.token, SITUATION.records[2].token, "t_000000000000", ""])
KEYS = st.sampled_from([*(request.declared.key for request in (*Desk.operations, *Desk.commands)), "fly", ""])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["Porto", "Rome", "Madrid", "", "\ud800", "\x00"]) | st.floats(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["value", "quote", "name"]), inner, max_size=3),
    max_leaves=4,
)
QUOTED = st.fixed_dictionaries(
    {"value": st.sampled_from(["Porto", "Faro", "Madrid"]), "quote": st.sampled_from(["Porto or Faro", "Porto", "no"])}
)
ARGUMENTS = st.dictionaries(st.sampled_from(["name", "seats", "extras", "flight", "x"]), QUOTED | st.integers(0, 3) | VALUES, max_size=3)
ACTS = st.builds(lambda operation, record, arguments: (operation, record, arguments), KEYS, TOKENS, ARGUMENTS)


def proposal_of(made: list[Any]) -> flow.Proposal:
    acts = [
        flow.ProposedAct.model_construct(id=f"a{number}", operation=operation, record=record, arguments=arguments)
        for number, (operation, record, arguments) in enumerate(made)
    ]
    return flow.Proposal.model_construct(acts=acts, not_understood=[])


@settings(max_examples=150, deadline=None)
@given(st.lists(ACTS, max_size=6))
def test_h28_whatever_is_understood_every_act_keeps_exactly_one_result(made: list[Any]) -> None:
    plan = reduce(proposal_of(made), SITUATION)
    assert [result.act for result in plan.results] == [f"a{number}" for number in range(len(made))]
    told = {notice.code for notice in plan.notices}
    assert all(result.code in told for result in plan.results if result.outcome in ("rejected", "held", "no_change"))


@settings(max_examples=75, deadline=None)
@given(st.lists(ACTS, max_size=5))
def test_h27_the_same_turn_reduced_twice_has_the_same_digest(made: list[Any]) -> None:
    turned = [(operation, record, dict(reversed(arguments.items()))) for operation, record, arguments in made]
    first, second = reduce(proposal_of(made), SITUATION), reduce(proposal_of(turned), SITUATION)
    assert first.digest == second.digest
    assert len(first.digest) == 64
    assert (first.results, first.batches, first.awaiting) == (second.results, second.batches, second.awaiting)


def test_another_decision_is_another_digest() -> None:
    digests = {
        reduced(MESSAGE, [act(Rename(name="Porto"), ROME)], ROME).digest,
        reduced(MESSAGE, [act(Rename(name="Faro"), ROME)], ROME).digest,
        reduced(MESSAGE, [act(Rename(name="Porto"), LISBON)], ROME, LISBON).digest,
        reduced(MESSAGE, [], ROME).digest,
        reduced(MESSAGE, [act(Rename(name="Porto"), loaded("Rome", revision=4))], loaded("Rome", revision=4)).digest,
        reduced(MESSAGE, [act(Rename(name="Porto"), ROME)], ROME, turn_id=ids.new_id()).digest,
    }
    assert len(digests) == 6


def test_the_digest_is_of_decisions_and_not_of_the_language() -> None:
    acts = [act(Rename(name="Madrid"), ROME)]
    assert reduced(MESSAGE, acts, ROME, locale="en").digest == reduced(MESSAGE, acts, ROME, locale="it").digest


def test_a_situation_needs_no_locale() -> None:
    bare = Situation(TURN, "acme", ACTOR, "", MESSAGE, (ROME,), (DESK,))
    assert brief(bare).today == ""
    assert (
        reduce(flow.Proposal(acts=[act(AddExtras(extras=["Porto"]), ROME)]), bare).batches[0].commands[0].command.execute(Trip())
        == Happened()
    )
