"""What the models of sent and stored data share: strict types, closed members, text forms of ids and times.

Bodies are written by the server and kept for ever, so a reader takes exactly what a writer wrote. Models here read JSON text
(``model_validate_json``) after ``codec`` has refused what pydantic lets through: NaN, duplicate keys, lone surrogates.
"""

from typing import Annotated, ClassVar, Self

from pydantic import BaseModel, ConfigDict, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

_HEX = "[0-9a-f]"

#: A UUID in its usual lower-case form.
WireId = Annotated[str, StringConstraints(pattern=f"^{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}$")]
#: A moment as ``times.rfc3339`` writes it.
WireTime = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$")]
#: Text with at least one character.
Words = Annotated[str, StringConstraints(min_length=1)]
#: A stable code, dotted and lower-case.
Code = Annotated[str, StringConstraints(min_length=1, max_length=120, pattern=r"^[a-z][a-z0-9_.:-]*$")]


class Wire(BaseModel):
    """A part of a stored body. An optional member is absent or holds a value; null stands only where ``nullable`` names it."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)

    nullable: ClassVar[frozenset[str]] = frozenset()

    @model_validator(mode="after")
    def _absent_is_not_null(self) -> Self:
        for name in self.model_fields_set - self.nullable:
            if getattr(self, name) is None:
                raise PydanticCustomError("null_member", "An optional member is absent, not null.")
        return self
