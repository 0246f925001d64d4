"""Bodies: strict when they are written, never lost when they are read."""

from typing import Any, Literal
from uuid import UUID

import pytest

from turnframe_django import codec
from turnframe_django.protocol import blocks
from turnframe_django.protocol.blocks import BUILT_IN, BlockBody, BlockKind, InvalidBlock, RedactedBlock, UnknownBlock
from turnframe_django.protocol.turns import redacted_body

BLOCK = UUID("01890000-0000-7000-8000-000000000001")
ID = "01890000-0000-7000-8000-000000000002"
ARTIFACT = {"artifact_id": "itinerary", "label": "Itinerary", "media_type": "application/pdf", "url": "/itinerary/1/"}
CARD: dict[str, Any] = {
    "interaction_id": ID,
    "kind": "confirm_command",
    "blocking": True,
    "case_ref": {"engine": "flow", "name": "trip", "case_id": "1", "revision": 3},
    "title": "Rebook?",
    "options": [
        {"option_id": "confirm", "label": "Rebook", "style": "primary", "freeform": {"mode": "forbidden"}},
        {"option_id": "decline", "label": "Not now", "style": "secondary", "freeform": {"mode": "optional", "max_len": 200}},
    ],
    "expires_at": "2026-12-01T09:30:00.000000Z",
}
BODIES: dict[str, dict[str, Any]] = {
    "answer": {"text": "At nine.", "status": "answered", "basis": "current_committed_state", "question_id": "u1"},
    "transition": {"text": "What should it be called?"},
    "receipt": {
        "receipt": {
            "receipt_id": ID,
            "event_ids": [ID],
            "severity": "success",
            "title": "Trip renamed",
            "body": "It is now called Rome.",
            "status_code": "trip.renamed",
            "artifact_refs": [ARTIFACT],
        }
    },
    "notice": {
        "code": "turnframe.notice.no_change",
        "severity": "info",
        "text": "Nothing to change.",
        "details": {"ids": [ID], "by": None},
    },
    "interaction": {"interaction": CARD},
    "artifact": {"artifact": ARTIFACT},
    "view": {"name": "result_cards", "version": 1, "data": {"rows": [1, 2.5, None]}},
}


def test_there_is_a_body_for_every_kind() -> None:
    assert set(BODIES) == set(BUILT_IN)


@pytest.mark.parametrize("kind", BODIES)
def test_a_body_is_written_once_and_read_as_what_it_was(kind: str) -> None:
    version, text = blocks.block_text(kind, BLOCK, BODIES[kind])
    assert version == 1
    assert codec.decode(text) == {**BODIES[kind], "block_id": str(BLOCK), "kind": kind, "schema_version": 1}
    body = blocks.read_body(text)
    assert isinstance(body, BlockBody)
    assert (body.kind, body.block_id, body.schema_version) == (kind, str(BLOCK), 1)
    assert blocks.words_of(body)
    assert blocks.validate_body(kind, 1, codec.decode(text)) == body  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", BODIES)
def test_a_member_nobody_declared_is_never_stored(kind: str) -> None:
    with pytest.raises(InvalidBlock, match="extra_forbidden"):
        blocks.block_text(kind, BLOCK, {**BODIES[kind], "action": "x"})


@pytest.mark.parametrize("kind", BODIES)
def test_a_body_without_its_members_is_never_stored(kind: str) -> None:
    with pytest.raises(InvalidBlock, match="missing"):
        blocks.block_text(kind, BLOCK, {})


def changed(path: str, value: Any) -> dict[str, Any]:
    def put(node: Any, steps: list[str]) -> Any:
        if not steps:
            return value
        if isinstance(node, list):
            index = int(steps[0])
            return [put(item, steps[1:]) if number == index else item for number, item in enumerate(node)]
        return {**node, steps[0]: put(node.get(steps[0]), steps[1:])}

    made: dict[str, Any] = put(BODIES, path.split("/"))
    return made


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("transition/text", ""),
        ("transition/text", 1),
        ("transition/text", None),
        ("transition/facts_used", None),
        ("receipt/receipt/event_ids", []),
        ("receipt/receipt/event_ids", ["x"]),
        ("receipt/receipt/receipt_id", ID.upper() if ID.upper() != ID else "A" + ID[1:]),
        ("receipt/receipt/severity", "critical"),
        ("receipt/receipt/status_code", "Not a code"),
        ("notice/severity", "loud"),
        ("interaction/interaction/options", []),
        ("interaction/interaction/options/0/action", {"op": "confirm_commands"}),
        ("interaction/interaction/options/1/option_id", "confirm"),
        ("interaction/interaction/options/0/style", "loud"),
        ("interaction/interaction/options/0/freeform/max_len", 0),
        ("interaction/interaction/kind", "multi_select"),
        ("interaction/interaction/case_ref/revision", -1),
        ("interaction/interaction/case_ref/revision", "3"),
        ("interaction/interaction/expires_at", "2026-12-01T09:30:00Z"),
        ("interaction/interaction/body", None),
        ("interaction/interaction/blocking", 1),
        ("artifact/artifact/media_type", "pdf"),
        ("view/version", 0),
        ("view/name", "Result Cards"),
    ],
)
def test_a_value_that_its_kind_does_not_allow_is_never_stored(path: str, value: Any) -> None:
    kind = path.split("/", 1)[0]
    with pytest.raises(InvalidBlock):
        blocks.block_text(kind, BLOCK, changed(path, value)[kind])


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "a\x00", "\ud83d", {1: 2}])
def test_what_has_no_canonical_form_is_never_stored(value: Any) -> None:
    with pytest.raises(InvalidBlock, match="canonical"):
        blocks.block_text("view", BLOCK, {**BODIES["view"], "data": {"x": value}})


def test_a_refusal_does_not_repeat_the_words_of_the_body() -> None:
    with pytest.raises(InvalidBlock) as caught:
        blocks.block_text("notice", BLOCK, {**BODIES["notice"], "severity": "my secret", "text": "my secret"})
    assert "secret" not in str(caught.value)


def test_a22_an_option_shows_no_action() -> None:
    _version, text = blocks.block_text("interaction", BLOCK, BODIES["interaction"])
    assert '"action"' not in text
    assert '"op"' not in text


def test_a29_a_card_for_several_options_is_no_kind() -> None:
    with pytest.raises(InvalidBlock):
        blocks.block_text("interaction", BLOCK, {"interaction": {**CARD, "kind": "multi_select"}})


def test_a34_a_side_that_becomes_empty_is_not_a_side_that_never_was() -> None:
    entries: list[codec.Json] = [
        {"field": "name", "label": "Name", "before": "Rome", "after": None},
        {"field": "date", "label": "Date", "after": "May"},
    ]
    _version, text = blocks.block_text("interaction", BLOCK, {"interaction": {**CARD, "kind": "review_changes", "review_entries": entries}})
    body = blocks.read_body(text)
    assert isinstance(body, blocks.InteractionBody)
    cleared, added = body.interaction.review_entries or []
    assert "after" in cleared.model_fields_set
    assert "before" not in added.model_fields_set
    assert '"after":null,"before":"Rome"' in text
    assert '"before"' not in text.split('"Date"')[0].rsplit("{", 1)[1]


# --- reading what is stored ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind", "version"),
    [
        ('{"kind":"hologram","schema_version":1,"block_id":"x","z":1.50}', "hologram", 1),
        (f'{{"block_id":"{BLOCK}","kind":"transition","schema_version":2,"text":"a"}}', "transition", 2),
        (f'{{"block_id":"{BLOCK}","kind":"transition","schema_version":1,"text":"a","later":1}}', "transition", 1),
        ('{"kind":"transition","schema_version":true}', "", 0),
        ('{"kind":["x"],"schema_version":1}', "", 0),
        ("[]", "", 0),
        ("not json", "", 0),
        ('{"kind":"view","kind":"view"}', "", 0),
        ("", "", 0),
    ],
)
def test_a_body_that_no_reader_knows_is_kept_byte_for_byte(text: str, kind: str, version: int) -> None:
    assert blocks.read_body(text) == UnknownBlock(kind, version, text)
    assert blocks.words_of(blocks.read_body(text)) == ""


def test_a_redacted_body_is_read_as_redacted() -> None:
    assert blocks.read_body(redacted_body("notice", BLOCK, 1)) == RedactedBlock("notice", str(BLOCK), 1)


class FirstChart(BlockBody):
    kind: Literal["chart"]
    schema_version: Literal[1]
    points: list[int]


class SecondChart(BlockBody):
    kind: Literal["chart"]
    schema_version: Literal[2]
    series: list[list[int]]


CHART = BlockKind("chart", {1: FirstChart, 2: SecondChart}, lambda body: f"chart {body.schema_version}")


def test_bodies_of_past_versions_are_still_read() -> None:
    kinds = {**BUILT_IN, "chart": CHART}
    old = f'{{"block_id":"{BLOCK}","kind":"chart","points":[1,2],"schema_version":1}}'
    read = blocks.read_body(old, kinds)
    assert isinstance(read, FirstChart)
    assert blocks.words_of(read, kinds) == "chart 1"
    version, text = blocks.block_text("chart", BLOCK, {"series": [[1], [2]]}, kinds)
    assert version == 2
    assert isinstance(blocks.read_body(text, kinds), SecondChart)


def test_a_kind_nobody_registered_is_not_written() -> None:
    with pytest.raises(InvalidBlock, match="no block kind"):
        blocks.block_text("hologram", BLOCK, {})


@pytest.mark.parametrize("name", ["", "Chart", "chart-x", "c" * 33, "1chart"])
def test_a_kind_has_a_name_that_fits_its_column(name: str) -> None:
    with pytest.raises(InvalidBlock, match="no name"):
        BlockKind(name, {1: FirstChart}, str)


def test_a_kind_and_its_bodies_agree_on_name_and_version() -> None:
    with pytest.raises(InvalidBlock, match="kind is not"):
        BlockKind("graph", {1: FirstChart}, str)
    with pytest.raises(InvalidBlock, match="schema_version is not"):
        BlockKind("chart", {3: FirstChart}, str)
    with pytest.raises(InvalidBlock, match="out of range"):
        BlockKind("chart", {0: FirstChart}, str)
    with pytest.raises(InvalidBlock, match="no version"):
        BlockKind("chart", {}, str)
    assert CHART.template == "turnframe/blocks/chart.html"
