"""Who acts: the one description of a caller that every face hands to the runtime."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Face: TypeAlias = Literal["api", "socket", "admin", "worker"]


@dataclass(frozen=True, slots=True)
class Actor:
    """A caller: the account that bounds everything, the user inside it, their roles, and the face they came through."""

    account: str
    user: str
    roles: frozenset[str] = field(default_factory=frozenset)
    face: Face = "api"

    def __post_init__(self) -> None:
        if not self.account or not self.user:
            raise ValueError("An actor needs an account and a user.")
