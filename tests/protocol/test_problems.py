"""Problems: the table of the contract, and their documents."""

import pytest

from turnframe_django.exceptions import Problem
from turnframe_django.protocol.problems import PROBLEMS, kind_of, problem_document, retry_after

#: The table of the contract.
CONTRACT = {
    400: {"invalid_input", "empty_turn", "text_too_long", "invalid_text"},
    401: {"not_authenticated", "signature_invalid"},
    403: {"permission_denied", "csrf_failed", "reauthentication_required"},
    404: {"not_found"},
    405: {"method_not_allowed"},
    406: {"not_acceptable"},
    409: {
        "turn_in_progress",
        "revision_conflict",
        "interaction_not_active",
        "interaction_resolving",
        "session_conflict",
        "already_complete",
        "too_late",
        "payload_corrupt",
        "cancelled",
    },
    410: {"interaction_expired", "session_expired", "cursor_expired", "definition_retired"},
    413: {"payload_too_large"},
    415: {"unsupported_media_type"},
    422: {
        "unknown_option",
        "freeform_not_allowed",
        "freeform_required",
        "freeform_too_long",
        "idempotency_mismatch",
        "history_limit",
    },
    429: {"throttled"},
    500: {"internal"},
    503: {"assistant_unavailable", "temporarily_unavailable"},
}


def test_every_code_has_its_status() -> None:
    found: dict[int, set[str]] = {}
    for code, kind in PROBLEMS.items():
        found.setdefault(kind.status, set()).add(code)
    assert found == CONTRACT


@pytest.mark.parametrize("code", PROBLEMS)
def test_a_document_says_what_it_is(code: str) -> None:
    document = problem_document(Problem(code))
    assert document == {
        "code": code,
        "detail": PROBLEMS[code].title,
        "status": PROBLEMS[code].status,
        "title": PROBLEMS[code].title,
        "type": f"urn:turnframe:problem:{code}",
    }


def test_a_problems_members_stand_beside_and_never_instead() -> None:
    moved = Problem("revision_conflict", "It moved.", bound=3, current=4)
    moved.members["title"] = "Nothing happened."
    document = problem_document(moved)
    assert (document["bound"], document["current"], document["detail"]) == (3, 4, "It moved.")
    assert document["title"] == PROBLEMS["revision_conflict"].title


def test_the_status_of_a_card_is_not_that_of_the_answer() -> None:
    document = problem_document(Problem("interaction_not_active", status="invalidated"))
    assert (document["status"], document["interaction_status"]) == (409, "invalidated")


def test_titles_are_translated_by_the_face() -> None:
    assert problem_document(Problem("not_found"), str.upper)["title"] == "THERE IS NOTHING HERE."


def test_a_code_nobody_declared_reads_as_internal() -> None:
    assert kind_of("surprise").status == 500
    assert problem_document(Problem("surprise"))["code"] == "internal"


def test_waiting_is_told_apart_from_the_document() -> None:
    problem = Problem("turn_in_progress", retry_after=3)
    assert "retry_after" not in problem_document(problem)
    assert retry_after(problem) == 3
    assert retry_after(Problem("turn_in_progress", retry_after=0)) == 1
    assert retry_after(Problem("temporarily_unavailable")) == 5
    assert retry_after(Problem("not_found")) is None
