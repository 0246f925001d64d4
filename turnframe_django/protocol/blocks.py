"""The blocks of a reply: one strict body per kind and version, and readers that never lose a word.

A body is tagged by ``kind`` and carries ``schema_version``. It is validated once, when its text is made; what is stored later is that
text. Readers of all past versions stay, and a body that no reader knows comes back as ``UnknownBlock`` with its exact text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args
from uuid import UUID

from pydantic import Field, JsonValue, StringConstraints, ValidationError

from turnframe_django import codec
from turnframe_django.codec import CodecError, Json
from turnframe_django.protocol.cards import InteractionView
from turnframe_django.protocol.wire import Code, Wire, WireId, Words

Severity = Literal["info", "success", "warning", "error"]


class InvalidBlock(ValueError):
    """A body that its kind does not allow: an error of whoever wrote it, never of a user. Its message holds no words of the body."""


class BlockBody(Wire):
    """What every body has. A kind of your own subclasses it with ``kind: Literal["…"]`` and ``schema_version: Literal[n]``."""

    kind: str
    block_id: WireId
    schema_version: int


class Citation(Wire):
    """Where a statement of an answer comes from."""

    source: Words
    label: Words
    uri: str | None = None


class AnswerBody(BlockBody):
    """An answer to a question, in words a model may have written."""

    kind: Literal["answer"]
    schema_version: Literal[1]
    text: Words
    status: Literal["answered", "clarification_requested", "unsupported", "source_unavailable", "withheld", "not_written"]
    basis: Literal["current_committed_state", "proposed_state", "committed_state_after_turn", "general_domain_knowledge"] | None = None
    question_id: Words | None = None
    facts_used: list[str] | None = None
    citations: list[Citation] | None = None


class TransitionBody(BlockBody):
    """The words of the reply itself. They introduce what follows and claim nothing of their own."""

    kind: Literal["transition"]
    schema_version: Literal[1]
    text: Words
    facts_used: list[str] | None = None


class ArtifactRef(Wire):
    """A document of a record: the link is the host's own view, which authorises each download."""

    artifact_id: Words
    label: Words
    media_type: Annotated[str, StringConstraints(pattern=r"^[\w.+-]+/[\w.+-]+(;.*)?$")]
    url: Words


class Receipt(Wire):
    """What committed events say happened. Without events there is nothing to receive."""

    receipt_id: WireId
    event_ids: Annotated[list[WireId], Field(min_length=1)]
    severity: Severity
    title: Words
    body: str
    status_code: Code
    artifact_refs: list[ArtifactRef] | None = None


class ReceiptBody(BlockBody):
    """A receipt, written from events alone."""

    kind: Literal["receipt"]
    schema_version: Literal[1]
    receipt: Receipt


class NoticeBody(BlockBody):
    """Something the user must know that is no receipt: a refusal, a replaced card, a thing not understood."""

    kind: Literal["notice"]
    schema_version: Literal[1]
    code: Code
    severity: Severity
    text: Words
    details: dict[str, JsonValue] | None = None


class InteractionBody(BlockBody):
    """A card."""

    kind: Literal["interaction"]
    schema_version: Literal[1]
    interaction: InteractionView


class ArtifactBody(BlockBody):
    """A document to fetch."""

    kind: Literal["artifact"]
    schema_version: Literal[1]
    artifact: ArtifactRef


class ViewBody(BlockBody):
    """Typed data that a tool declared: its own name and version beside those of the block."""

    kind: Literal["view"]
    schema_version: Literal[1]
    name: Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=r"^[a-z0-9]+(?:[._-][a-z0-9]+)*$")]
    version: Annotated[int, Field(ge=1, le=2_147_483_647)]
    data: JsonValue


@dataclass(frozen=True, slots=True)
class UnknownBlock:
    """A body no reader knows: a kind or version from another release, or a text that is no body. ``text`` is what is stored."""

    kind: str
    schema_version: int
    text: str


@dataclass(frozen=True, slots=True)
class RedactedBlock:
    """A body whose words were taken away (``turns.redacted_body``)."""

    kind: str
    block_id: str
    schema_version: int


ReadBlock: TypeAlias = BlockBody | RedactedBlock | UnknownBlock

_KIND_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
#: The largest version that the column of a block's version holds.
LARGEST_VERSION: Final = 32_767


@dataclass(frozen=True)
class BlockKind:
    """A kind of block: a body model for each version ever written, a template, and words for where neither can be shown.

    Only ``answer`` and ``transition`` may hold a model's words; every other kind is the server's alone.
    """

    name: str
    versions: Mapping[int, type[BlockBody]]
    fallback: Callable[[Any], str]
    template: str = field(default="")

    def __post_init__(self) -> None:
        if not _KIND_NAME.fullmatch(self.name):
            raise InvalidBlock(f"{self.name!r} is no name for a kind of block: lower-case letters, digits and _, at most 32.")
        if not self.versions:
            raise InvalidBlock(f"The block kind {self.name!r} has no version.")
        for version, body in self.versions.items():
            if not 1 <= version <= LARGEST_VERSION:
                raise InvalidBlock(f"Version {version} of block kind {self.name!r} is out of range.")
            _check_tag(body, "kind", self.name)
            _check_tag(body, "schema_version", version)
        if not self.template:
            object.__setattr__(self, "template", f"turnframe/blocks/{self.name}.html")

    @property
    def version(self) -> int:
        """The version that is written now."""
        return max(self.versions)


def _check_tag(body: type[BlockBody], member: str, value: object) -> None:
    if get_args(body.model_fields[member].annotation) != (value,):
        raise InvalidBlock(f"{body.__name__}.{member} is not Literal[{value!r}].")


def _card_words(body: InteractionBody) -> str:
    return f"{body.interaction.title} [{' / '.join(option.label for option in body.interaction.options)}]"


def _receipt_words(body: ReceiptBody) -> str:
    return f"{body.receipt.title}. {body.receipt.body}".strip()


_BUILT_IN: tuple[BlockKind, ...] = (
    BlockKind("answer", {1: AnswerBody}, lambda body: str(body.text)),
    BlockKind("transition", {1: TransitionBody}, lambda body: str(body.text)),
    BlockKind("receipt", {1: ReceiptBody}, _receipt_words),
    BlockKind("notice", {1: NoticeBody}, lambda body: str(body.text)),
    BlockKind("interaction", {1: InteractionBody}, _card_words),
    BlockKind("artifact", {1: ArtifactBody}, lambda body: f"{body.artifact.label} ({body.artifact.media_type})"),
    BlockKind("view", {1: ViewBody}, lambda body: f"{body.name} {body.version}"),
)
#: The kinds of the protocol itself. Those of a site are in ``turnframe_django.blocks``.
BUILT_IN: Final[Mapping[str, BlockKind]] = {kind.name: kind for kind in _BUILT_IN}


def validate_body(kind: str, version: int, body: Mapping[str, Json], kinds: Mapping[str, BlockKind] = BUILT_IN) -> BlockBody:
    """Return ``body`` as the model of ``kind`` at ``version``. Raises ``InvalidBlock``."""
    return _validated(kind, version, _encoded(kind, dict(body)), kinds)


def block_text(kind: str, block_id: UUID, body: Mapping[str, Json], kinds: Mapping[str, BlockKind] = BUILT_IN) -> tuple[int, str]:
    """Return the version that is written now and the exact text of a block; ``body`` has neither kind, id nor version.

    Raises ``InvalidBlock`` when the kind is not known or does not allow the body: nothing malformed is ever stored.
    """
    if kind not in kinds:
        raise InvalidBlock(f"There is no block kind {kind!r}.")
    version = kinds[kind].version
    text = _encoded(kind, {**body, "block_id": str(block_id), "kind": kind, "schema_version": version})
    _validated(kind, version, text, kinds)
    return version, text


def read_body(text: str, kinds: Mapping[str, BlockKind] = BUILT_IN) -> ReadBlock:
    """Return what a stored body says. It never raises: what cannot be read is kept and shown as unknown."""
    try:
        tag = codec.decode(text)
    except CodecError:
        return UnknownBlock("", 0, text)
    if not isinstance(tag, dict):
        return UnknownBlock("", 0, text)
    kind, version = tag.get("kind"), tag.get("schema_version")
    if not isinstance(kind, str) or not isinstance(version, int) or isinstance(version, bool):
        return UnknownBlock("", 0, text)
    if tag.keys() == {"block_id", "kind", "redacted", "schema_version"} and tag["redacted"] is True:
        return RedactedBlock(kind, str(tag["block_id"]), version)
    try:
        return _validated(kind, version, text, kinds)
    except InvalidBlock:
        return UnknownBlock(kind, version, text)


def words_of(block: ReadBlock, kinds: Mapping[str, BlockKind] = BUILT_IN) -> str:
    """Return the plain words of a block, for where no template is; empty when there is nothing that may be said."""
    return kinds[block.kind].fallback(block) if isinstance(block, BlockBody) and block.kind in kinds else ""


def _validated(kind: str, version: int, text: str, kinds: Mapping[str, BlockKind]) -> BlockBody:
    model = kinds[kind].versions.get(version) if kind in kinds else None
    if model is None:
        raise InvalidBlock(f"There is no reader of {kind!r} at version {version}.")
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False, include_input=False)
        where = ", ".join("/".join(str(step) for step in fault["loc"]) + f" ({fault['type']})" for fault in faults[:5])
    raise InvalidBlock(f"A block of kind {kind!r} is malformed at {where}.")


def _encoded(kind: str, body: dict[str, Json]) -> str:
    try:
        return codec.encode(body)
    except CodecError as error:
        raise InvalidBlock(f"A block of kind {kind!r} has no canonical form at {error.pointer or '/'} ({error.code}).") from None
