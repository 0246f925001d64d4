"""Which record an act is about."""

import pytest

from tests.flow.desk import DESK, DeskState, OpenTrip, OtherDesk, Rename, Withdraw, loaded
from turnframe_django.flow.targets import CaseRef, resolve

ROME, LISBON = loaded("Rome"), loaded("Lisbon")
CLOSED = loaded("Closed", DeskState(over=True))
OTHER = loaded("Other", workflow=OtherDesk())


def test_a_token_names_exactly_its_record() -> None:
    found = resolve(LISBON.token, Rename, DESK, [ROME, LISBON])
    assert (found.record, found.code) == (LISBON, None)


@pytest.mark.parametrize("token", ["", "t_000000000000", "Rome", ROME.ref.case_id])
def test_anything_but_a_token_of_this_turn_is_unauthorized(token: str) -> None:
    assert resolve(token, Rename, DESK, [ROME]).code == "turnframe.target.unauthorized"


def test_a_token_shared_by_two_records_names_neither() -> None:
    assert resolve(ROME.token, Rename, DESK, [ROME, ROME]).code == "turnframe.target.unauthorized"


def test_without_a_token_the_only_record_that_fits_is_meant() -> None:
    assert resolve(None, Rename, DESK, [ROME, CLOSED, OTHER]).record is ROME


def test_without_a_token_none_or_several_are_never_guessed() -> None:
    assert resolve(None, Rename, DESK, []).code == "turnframe.target.missing"
    assert resolve(None, Rename, DESK, [CLOSED]).code == "turnframe.target.missing"
    assert resolve(None, Rename, DESK, [ROME, LISBON]).code == "turnframe.target.unresolved"


def test_a_record_that_does_not_offer_it_refuses_and_is_still_the_one_meant() -> None:
    found = resolve(CLOSED.token, Rename, DESK, [ROME, CLOSED])
    assert (found.record, found.code) == (CLOSED, "turnframe.operation.unknown")


def test_a_record_of_another_workflow_or_one_to_open_is_a_mismatch() -> None:
    assert resolve(OTHER.token, Withdraw, DESK, [ROME, OTHER]).code == "turnframe.target.policy_mismatch"
    assert resolve(ROME.token, OpenTrip, DESK, [ROME]).code == "turnframe.target.policy_mismatch"


def test_a_case_is_the_same_at_every_revision() -> None:
    ref = CaseRef("flow", "trip", "1", 3)
    assert ref.text() == ref.at(4).text() == "flow/trip/1"
    assert ref.at(4).revision == 4
