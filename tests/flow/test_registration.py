"""What registration refuses, and how it says so."""

import types
from collections.abc import Iterator, Sequence
from typing import Any, cast

import pytest
from django.apps import apps
from django.utils.translation import gettext_lazy as _
from pydantic import BaseModel

from tests.flow import postponed
from tests.flow.desk import Act, Desk, DeskState, Happened, Rebook, Rename, SubmitRebooking, Withdraw
from tests.flow.example.travel.models import Trip
from turnframe_django import flow, registry
from turnframe_django.flow import arguments
from turnframe_django.flow.registration import RegistrationError
from turnframe_django.registry import AlreadyRegistered


@pytest.fixture(autouse=True)
def empty_registry() -> Iterator[None]:
    with registry.temporary(empty=True):
        yield


def variant(**changes: Any) -> type[Desk]:
    """Return the desk with some attributes changed; None takes an attribute away."""
    return cast("type[Desk]", types.new_class("Variant", (Desk,), {}, lambda body: body.update({"__module__": __name__, **changes})))


def refusal(cls: Any) -> str:
    with pytest.raises(RegistrationError) as caught:
        flow.register(cls)
    assert not registry.workflows()
    return str(caught.value)


def with_command(command: Any, *, proposable: bool = True) -> type[Desk]:
    if proposable:
        return variant(operations=[*Desk.operations, command])
    return variant(commands=[*Desk.commands, command])


def test_a_sound_workflow_is_registered_once_under_all_its_names() -> None:
    assert flow.register(Desk) is Desk
    assert list(registry.workflows()) == ["trip"]
    assert isinstance(registry.workflows()["trip"], Desk)
    assert registry.requests()["submit_rebooking"] is SubmitRebooking
    assert registry.requests()["rebook"] is Rebook
    assert registry.events() == {"desk.happened": Happened}


def test_a_workflow_registered_twice_is_refused() -> None:
    flow.register(Desk)
    with pytest.raises(AlreadyRegistered, match=r"The workflow name 'trip' is taken: tests\.flow\.desk\.Desk, twice"):
        flow.register(Desk)


def test_a_name_taken_by_another_workflow_leaves_nothing_behind() -> None:
    flow.register(Desk)
    other = variant(name="other", operations=[Rename], commands=[])
    with pytest.raises(AlreadyRegistered, match="The request name 'rename' is taken"):
        flow.register(other)
    assert list(registry.workflows()) == ["trip"]


class OtherHappened(flow.Event, code="desk.happened"):
    """The same code."""


class Base(flow.Command[Trip, DeskState], risk="read_only"):
    """The base of commands for one test."""

    def execute(self, trip: Trip) -> OtherHappened:
        return OtherHappened()


class Only(Base, risk="read_only"):
    """The only one."""


def test_an_event_code_taken_by_another_workflow_is_refused() -> None:
    flow.register(Desk)
    other = variant(name="other", operations=[Only], commands=[], events=[OtherHappened])
    with pytest.raises(AlreadyRegistered, match=r"The event name 'desk\.happened' is taken"):
        flow.register(other)


def test_a_key_taken_twice_inside_a_workflow_is_refused() -> None:
    class Again(Act, risk="read_only", key="rename"):
        """Rename once more."""

    assert "'rename' is taken twice: Rename and" in refusal(with_command(Again))
    assert "Withdraw is listed twice" in refusal(with_command(Withdraw, proposable=False))
    assert "'desk.happened' is taken twice" in refusal(variant(events=[Happened, OtherHappened]))


@pytest.mark.parametrize("name", ["", "Trip", "trip-1", "1trip", "t" * 65, "conversation", None, 3])
def test_a_name_is_a_plain_word(name: Any) -> None:
    assert "name " in refusal(variant(name=name))


@pytest.mark.parametrize("version", [0, -1, "1", True, None, 1.0])
def test_a_version_is_a_whole_number_from_one(version: Any) -> None:
    assert f"version {version!r}" in refusal(variant(version=version))


def test_two_phases_may_not_be_one() -> None:
    shared = flow.system()

    class Aliased(flow.Phase):
        FIRST = shared
        SECOND = shared

    class Strange(flow.Phase):
        FIRST = "system"

    assert "Phase.SECOND is an alias of FIRST" in refusal(variant(Phase=Aliased))
    assert "Phase.FIRST is 'system'" in refusal(variant(Phase=Strange))
    assert "at least one phase" in refusal(variant(Phase=flow.Phase))


def test_what_an_author_must_write_is_named_when_it_is_missing() -> None:
    class Bare(flow.Workflow[Trip, DeskState]):
        name, version = "bare", 1

        class Phase(flow.Phase):
            ONLY = flow.system()

    told = refusal(Bare)
    assert all(f"{hook} is missing" in told for hook in ("visible_to", "snapshot", "project"))


def test_a_workflow_says_what_it_is_about() -> None:
    class Vague(flow.Workflow):
        name, version = "vague", 1

    assert "Workflow[Model, State]" in refusal(Vague)


def test_a_hook_may_not_be_async() -> None:
    async def snapshot(self: object, trip: Trip) -> DeskState:
        return DeskState()

    assert "snapshot may not be async" in refusal(variant(snapshot=snapshot))


def test_lists_hold_what_they_are_for() -> None:
    assert "commands: Rebook is no Command class" in refusal(variant(commands=[Rebook]))
    assert "events: Rename is no Event class" in refusal(variant(events=[Rename]))
    assert "operations: 3 is no Command or Operation class" in refusal(variant(operations=[3]))


def test_an_operation_needs_a_docstring_and_a_card_only_command_does_not() -> None:
    class Silent(Act, risk="read_only"):
        seats: int = 1

    assert "Silent needs a docstring" in refusal(with_command(Silent))
    flow.register(with_command(Silent, proposable=False))


class OtherState(BaseModel):
    """Another workflow's."""


class OtherTrip(Trip):
    """Another record."""

    class Meta:
        """No table."""

        app_label = "flow_example"
        proxy = True


def test_a_command_for_another_record_is_refused() -> None:
    class Elsewhere(flow.Command[OtherTrip, OtherState], risk="read_only"):
        """For another record."""

        def execute(self, trip: OtherTrip) -> Happened:
            return Happened()

    told = refusal(with_command(Elsewhere))
    assert "Elsewhere is for another model: OtherTrip, not Trip" in told
    assert "Elsewhere is for another state: OtherState, not DeskState" in told


class Unlisted(flow.Event, code="test.unlisted"):
    """Listed nowhere."""


def returning(annotation: Any) -> type[Any]:
    def execute(self: object, trip: Trip) -> Any:
        return Unlisted()

    if annotation is ...:
        del execute.__annotations__["return"]
    else:
        execute.__annotations__["return"] = annotation
    body = {"execute": execute, "__module__": __name__, "__doc__": "Made for one annotation."}
    return types.new_class("Returning", (flow.Command[Trip, DeskState],), {"risk": "read_only"}, lambda namespace: namespace.update(body))


@pytest.mark.parametrize(
    "annotation", [Unlisted, list[Unlisted], Sequence[Happened | Unlisted], "list[Unlisted]", "Unlisted | Happened"], ids=str
)
def test_an_event_that_execute_returns_is_listed(annotation: Any) -> None:
    assert "returns Unlisted, which is not listed in events" in refusal(with_command(returning(annotation)))


@pytest.mark.parametrize(
    ("annotation", "told"),
    [
        (..., "needs a return annotation"),
        (None, "may not return None"),
        (Happened | None, "may not return None"),
        (str, "annotated to return str"),
        ("Missing", "cannot be resolved at run time"),
    ],
)
def test_what_execute_returns_is_annotated_with_events(annotation: Any, told: str) -> None:
    assert told in refusal(with_command(returning(annotation)))


@pytest.mark.parametrize("annotation", [Happened, list[Happened], flow.Event, "list[Happened]"], ids=str)
def test_an_annotation_that_names_listed_events_passes(annotation: Any) -> None:
    flow.register(with_command(returning(annotation)))


def test_a_command_executes_and_not_asynchronously() -> None:
    class Idle(flow.Command[Trip, DeskState], risk="read_only"):
        """Does nothing."""

    class Later(flow.Command[Trip, DeskState], risk="read_only"):
        """Does it some time."""

        async def execute(self, trip: Trip) -> Happened:  # type: ignore[override]
            return Happened()

    told = refusal(variant(operations=[*Desk.operations, Idle, Later]))
    assert "Idle needs execute()" in told
    assert "Later.execute may not be async" in told


def test_an_operation_compiles_to_commands_of_its_workflow() -> None:
    class Foreign(flow.Operation[Trip, DeskState]):
        """Compiles to another's."""

        def compile(self, trip: DeskState) -> list[Base]:
            return []

    class Lazy(flow.Operation[Trip, DeskState]):
        """Compiles to nothing."""

    told = refusal(variant(operations=[*Desk.operations, Foreign, Lazy]))
    assert "Foreign compiles to Base, which the workflow does not list" in told
    assert "Lazy needs compile()" in told


def test_fields_that_would_fail_in_a_turn_fail_at_the_start() -> None:
    class Weigh(Act, risk="read_only"):
        """Weigh it."""

        weight: float

    assert "use Decimal" in refusal(with_command(Weigh))


def test_origins_let_somebody_run_what_may_be_proposed() -> None:
    class Outside(Act, risk="read_only", origins=["external_callback"]):
        """Only from outside."""

    class Nobody(Act, risk="read_only", origins=[]):
        """Never."""

    assert "neither a request nor a click" in refusal(with_command(Outside))
    assert "no origin may run it" in refusal(with_command(Nobody, proposable=False))
    flow.register(with_command(Outside, proposable=False))


def test_keys_codes_and_destinations_are_plain_words() -> None:
    class Odd(Act, risk="read_only", key="Set-Name", destination="air line"):
        """Oddly named."""

    class Loud(flow.Event, code="Trip.Loud"):
        """Oddly named."""

    class Ours(flow.Event, code="turnframe.taken"):
        """Takes a reserved code."""

    told = refusal(variant(commands=[*Desk.commands, Odd], events=[Happened, Loud, Ours]))
    assert all(word in told for word in ["key 'Set-Name'", "destination 'air line'", "code 'Trip.Loud'", "turnframe. is reserved"])


def test_a_command_s_full_name_fits_the_journal() -> None:
    class Long(Act, risk="read_only", key="k" * 64):
        """A long key."""

    assert "characters together" in refusal(variant(name="n" * 64, commands=[*Desk.commands, Long]))


def test_a_template_that_asks_for_no_field_is_told_with_its_language() -> None:
    class Named(flow.Event, code="test.named", title=_("Named"), body=_("It is called {nmae}.")):
        """Something got a name."""

        name: str

    assert "Named: body in it: 'It is called {nmae}.' asks for nmae" in refusal(variant(events=[Happened, Named]))


def test_the_view_without_a_record_is_checked_where_one_can_be_opened() -> None:
    def project(self: Desk, trip: DeskState | None) -> flow.View:
        return flow.View(self.Phase.OVER)

    def broken(self: Desk, trip: DeskState) -> flow.View:
        return flow.View(self.Phase.COLLECTING, card=trip.name)  # type: ignore[arg-type]

    assert "project(None): terminal_without_outcome" in refusal(variant(project=project))
    assert "project(None) raised AttributeError" in refusal(variant(project=broken))


def test_everything_wrong_is_told_at_once() -> None:
    told = refusal(variant(name="Trip", version=0, commands=[*Desk.commands, returning(None)]))
    assert told.count("\n- ") == 3
    assert told.startswith("tests.flow.test_registration.Variant cannot be registered:")


def test_a_workflow_is_registered_after_the_apps_are_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apps, "apps_ready", False)
    assert "before the apps are loaded" in refusal(Desk)


def test_annotations_may_be_postponed_and_name_what_is_defined_further_down() -> None:
    flow.register(postponed.SeatWorkflow)
    request = arguments.read(postponed.TakeSeat, {"seat": {"row": 2}, "why": {"value": "view", "quote": "the view"}}, "for the view")
    assert request == postponed.TakeSeat(seat=postponed.Seat(row=2), why="view")
    assert flow.load(postponed.SeatTaken, flow.dump(request.execute(Trip()))) == postponed.SeatTaken(seat=postponed.Seat(row=2))
