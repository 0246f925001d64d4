"""What passes between code and a model: the brief it is given, and the proposal it returns, which nobody trusts.

Both are strict pydantic models; an unknown member refuses the whole proposal (docs/concepts.md, "What a model may propose").
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints, model_validator

ActId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.:-]{1,64}$")]

#: Most acts and unread parts of one proposal. A plan is bounded by its commands; this bounds what is read at all.
MOST_ACTS = 256


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class OperationBrief(_Strict):
    """An operation a model may propose now. ``arguments`` is a JSON Schema; a quoted value is ``{value, quote}`` there."""

    workflow: str
    key: str
    summary: str
    words: str
    arguments: dict[str, JsonValue]


class RecordBrief(_Strict):
    """A record in view: the token to name it by, where it stands, what it still needs, what may be asked of it."""

    token: str
    workflow: str
    label: str
    phase: str
    needs: list[str]
    operations: list[OperationBrief]


class Brief(_Strict):
    """All that an interpreter is told about a turn. ``today`` is an ISO date; ``starts`` open a record and take no token."""

    message: str
    locale: str
    today: str
    records: list[RecordBrief]
    starts: list[OperationBrief]


class ProposedAct(_Strict):
    """One thing the user seems to ask for. ``id`` is the interpreter's own; ``record`` a token of the brief, or None."""

    id: ActId
    operation: Annotated[str, StringConstraints(max_length=200)]
    record: Annotated[str, StringConstraints(max_length=200)] | None = None
    arguments: dict[str, JsonValue] = Field(default_factory=dict)


class NotUnderstood(_Strict):
    """A part of the message that became no act, in the user's words."""

    words: Annotated[str, StringConstraints(max_length=4_000)]
    reason: Literal["no_operation", "unclear"] = "no_operation"


class Proposal(_Strict):
    """What a model makes of a message. Every act will get exactly one result, so ids are unique."""

    acts: Annotated[list[ProposedAct], Field(max_length=MOST_ACTS)] = Field(default_factory=list)
    not_understood: Annotated[list[NotUnderstood], Field(max_length=MOST_ACTS)] = Field(default_factory=list)

    @model_validator(mode="after")
    def _ids_are_unique(self) -> "Proposal":
        if len({act.id for act in self.acts}) != len(self.acts):
            raise ValueError("Two acts have the same id.")
        return self
