"""S2, API3: what a client adds changes nothing, and an answer shows exactly what the contract names."""

from typing import Any

import pytest

from tests.api.conftest import Api, problem_of, row_counts
from turnframe_django.models import Interaction, InteractionOption

pytestmark = pytest.mark.django_db

EXTRA = [
    "action",
    "value",
    "status",
    "tenant",
    "account",
    "owner",
    "actor",
    "case_revision",
    "payload",
    "payload_hash",
    "kind",
    "resolution",
    "command",
    "arguments",
    "messages",
    "turn_id",
    "ordinal",
    "source",
    "__proto__",
    "constructor",
]


def stored() -> list[Any]:
    return [
        *Interaction.objects.order_by("pk").values_list("status", "payload", "payload_hash", "resolved_option_id"),
        *InteractionOption.objects.order_by("pk").values_list("action", "option_id"),
    ]


@pytest.mark.parametrize("member", EXTRA)
def test_s2_an_extra_member_is_refused_in_every_body(traveller: Api, member: str) -> None:
    conversation, card = traveller.offered()
    before, cards = row_counts(), stored()
    value: Any = {"op": "confirm_commands"}
    turns = f"conversations/{conversation}/turns/"
    refusals = [
        traveller.post("conversations/", {member: value}),
        traveller.post("conversations/", {"cases": [{"name": "parcel", "case_id": "1", member: value}]}),
        traveller.post(turns, {"text": "a", member: value}),
        traveller.post(turns, {"text": "a", "origin": {"name": "parcel", "case_id": "1", member: value}}),
        traveller.click(conversation, card, **{member: value}),
        traveller.click(conversation, card, response={member: value}),
    ]
    for refusal in refusals:
        problem = problem_of(refusal, 400, "invalid_input")
        assert [error["code"] for error in problem["errors"]] == ["unknown_member"]
        assert problem["errors"][0]["pointer"].endswith(f"/{member}")
    assert row_counts() == before
    assert stored() == cards


def members(value: Any, path: str = "") -> set[str]:
    """Every member of a value by its path; ids in place of names are one name."""
    if isinstance(value, list):
        return set().union(*(members(item, path) for item in value)) if value else set()
    if not isinstance(value, dict):
        return set()
    found: set[str] = set()
    for name, member in value.items():
        step = "*" if path.endswith("interaction_states") else name
        found |= {f"{path}/{step}"} | members(member, f"{path}/{step}")
    return found


CARD = {
    f"/interaction{member}"
    for member in (
        "",
        "/blocking",
        "/case_ref",
        "/case_ref/case_id",
        "/case_ref/engine",
        "/case_ref/name",
        "/case_ref/revision",
        "/expires_at",
        "/interaction_id",
        "/kind",
        "/options",
        "/options/freeform",
        "/options/freeform/max_len",
        "/options/freeform/mode",
        "/options/label",
        "/options/option_id",
        "/options/style",
        "/title",
    )
}
STATE = {"/resolved_at", "/resolved_option_id", "/status"}
TURN = {
    "/assistant_turn",
    "/assistant_turn/blocks",
    "/assistant_turn/blocks/block_id",
    "/assistant_turn/blocks/kind",
    "/assistant_turn/blocks/schema_version",
    "/assistant_turn/blocks/text",
    "/assistant_turn/blocks/code",
    "/assistant_turn/blocks/severity",
    *(f"/assistant_turn/blocks{member}" for member in CARD),
    *(
        f"/assistant_turn/blocks/receipt{member}"
        for member in ("", "/body", "/event_ids", "/receipt_id", "/severity", "/status_code", "/title")
    ),
    "/assistant_turn/conversation_id",
    "/assistant_turn/replay_token",
    "/assistant_turn/turn_id",
    "/client_turn_id",
    "/conversation_id",
    "/delivered_at",
    "/error",
    "/input",
    "/input/text",
    "/input/interaction_response",
    "/input/interaction_response/expected_case_revision",
    "/input/interaction_response/interaction_id",
    "/input/interaction_response/option_id",
    "/ordinal",
    "/phase",
    "/received_at",
    "/source",
    "/turn_id",
}
CONVERSATION = {"/conversation_id", "/created_at", "/engine", "/last_activity_at", "/locale", "/title", "/turn_in_progress"}
CASE = {
    *("", "/card", "/label", "/obligations", "/obligations/ask", "/obligations/code"),
    *("/phase", "/phase/key", "/phase/label", "/phase/owner"),
    *("/case_ref", "/case_ref/case_id", "/case_ref/engine", "/case_ref/name", "/case_ref/revision"),
}
PAGE = {"/next", "/results"}
STATES = {"/interaction_states", "/interaction_states/*", *(f"/interaction_states/*{member}" for member in STATE)}
HISTORY = {f"/history{member}" for member in ("", "/at", "/from", "/reason", "/to", "/turn_id")}
ONE_CARD = CARD | STATE | HISTORY | {"/interaction_id", "/resolved_turn_id", "/turn_id"}
DATA = {
    f"/data/{name}"
    for name in ("phase", "from", "to", "reason", "interaction_id", "block_ids", "digest", "replay_token", "ordinal", "source")
}
ALLOWED = {
    "": PAGE | {f"/results{member}" for member in CONVERSATION},
    "{}/": CONVERSATION | STATES | {f"/cases{member}" for member in CASE},
    "{}/turns/": PAGE | STATES | {f"/results{member}" for member in TURN},
    "{}/interactions/": PAGE | {f"/results{member}" for member in ONE_CARD},
}


@pytest.mark.parametrize("path", ALLOWED)
def test_s2_an_answer_shows_what_the_contract_names_and_nothing_else(traveller: Api, path: str) -> None:
    conversation, card = traveller.offered()
    traveller.click(conversation, card)
    other = traveller.open()
    for text in ("start a parcel", "call it Box", "send it"):
        traveller.say(other, text)
    for each in (conversation, other):
        shown = members(traveller.get(f"conversations/{path.format(each)}").json())
        assert shown <= ALLOWED[path], shown - ALLOWED[path]


def test_s2_frames_show_what_the_contract_names_and_nothing_else(traveller: Api) -> None:
    conversation, card = traveller.offered()
    traveller.click(conversation, card)
    for frame in traveller.get(f"conversations/{conversation}/frames/").json()["results"]:
        assert set(frame) == {"at", "data", "seq", "turn_id", "type", "v"}
        if frame["type"] == "turn.received":
            assert set(frame["data"]) == {"input", "ordinal", "source"}
        elif frame["type"] == "block":
            blocks = {name.removeprefix("/assistant_turn/blocks") for name in TURN if name.startswith("/assistant_turn/blocks/")}
            assert members(frame["data"]) <= blocks
        else:
            assert {f"/data{name}" for name in members(frame["data"])} <= DATA


def test_a22_no_answer_shows_what_an_option_does(traveller: Api) -> None:
    conversation, card = traveller.offered()
    answer = traveller.click(conversation, card)
    texts = [answer.content, *(traveller.get(f"conversations/{path.format(conversation)}").content for path in (*ALLOWED, "{}/frames/"))]
    for option in InteractionOption.objects.all():
        assert option.action
        assert all(option.action.encode() not in text for text in texts)
    for text in texts:
        for hidden in (
            b"confirm_commands",
            b"payload_hash",
            b"preview_digest",
            b"lease",
            b"request_digest",
            b"account",
            b"actor",
            b"memory",
        ):
            assert hidden not in text, hidden
