"""A card as a client sees it (docs/protocol.md, "Interaction block"). The action behind an option never leaves the server."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, JsonValue, model_validator
from pydantic_core import PydanticCustomError

from turnframe_django.protocol.wire import Wire, WireId, WireTime, Words

Kind = Literal[
    "boolean",
    "single_select",
    "freeform",
    "review_changes",
    "confirm_command",
    "select_target",
    "resolve_validation_error",
    "reauthenticate",
    "external_signature",
]


class Freeform(Wire):
    """Whether an option takes text, and how many characters of it."""

    mode: Literal["forbidden", "optional", "required"]
    max_len: Annotated[int, Field(gt=0)] | None = None


class OptionView(Wire):
    """One answer of a card. A label that a model proposed says so and is shown as plain text."""

    option_id: Annotated[str, Field(min_length=1, max_length=64)]
    label: Words
    style: Literal["primary", "secondary", "danger"]
    freeform: Freeform
    label_author: Literal["server", "model"] | None = None


class CaseRefView(Wire):
    """The record a card is about, at the revision it was shown."""

    engine: Literal["flow", "chat"]
    name: Words
    case_id: Words
    revision: Annotated[int, Field(ge=0)]


class ReviewEntry(Wire):
    """One line of what would change. An absent side did not exist; a side that is null was or becomes empty."""

    nullable: ClassVar[frozenset[str]] = frozenset({"before", "after"})

    field: Words
    label: Words
    before: JsonValue = None
    after: JsonValue = None


class InteractionView(Wire):
    """A card: what is asked, of which record, with which answers, until when (``expires_at`` null: no end)."""

    nullable: ClassVar[frozenset[str]] = frozenset({"expires_at"})

    interaction_id: WireId
    kind: Kind
    blocking: bool
    case_ref: CaseRefView
    title: Words
    options: Annotated[list[OptionView], Field(min_length=1)]
    expires_at: WireTime | None
    body: Words | None = None
    review_entries: Annotated[list[ReviewEntry], Field(min_length=1)] | None = None
    freeform_prompt: Words | None = None
    metadata: dict[str, JsonValue] | None = None

    @model_validator(mode="after")
    def _options_are_distinct(self) -> Self:
        if len({option.option_id for option in self.options}) != len(self.options):
            raise PydanticCustomError("duplicate_option", "Two options share an id.")
        return self
