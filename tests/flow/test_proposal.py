"""What a model may return at all."""

from typing import Any

import pytest
from pydantic import ValidationError

from turnframe_django import flow

ACT = {"id": "a1", "operation": "rename"}


@pytest.mark.parametrize(
    "given",
    [
        {"acts": [{**ACT, "confirmed": True}]},
        {"acts": [ACT], "commands": []},
        {"acts": [{**ACT, "id": "a 1"}]},
        {"acts": [{**ACT, "id": ""}]},
        {"acts": [{**ACT, "id": 1}]},
        {"acts": [{**ACT, "record": 1}]},
        {"acts": [{**ACT, "arguments": []}]},
        {"acts": [{**ACT, "operation": "x" * 201}]},
        {"acts": [ACT, ACT]},
        {"acts": [{**ACT, "id": f"a{number}"} for number in range(257)]},
        {"not_understood": [{"words": "x", "reason": "because"}]},
        {"not_understood": ["x"]},
        [],
    ],
)
def test_a_proposal_is_taken_whole_or_not_at_all(given: Any) -> None:
    with pytest.raises(ValidationError):
        flow.Proposal.model_validate(given)


def test_an_empty_proposal_is_one() -> None:
    assert flow.Proposal.model_validate_json("{}") == flow.Proposal(acts=[], not_understood=[])


def test_a_proposal_may_name_no_record_and_no_arguments() -> None:
    proposal = flow.Proposal.model_validate({"acts": [ACT]})
    assert (proposal.acts[0].record, proposal.acts[0].arguments) == (None, {})
