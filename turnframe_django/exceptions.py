"""The errors of the turn protocol: one class, one stable code for every face.

``docs/protocol.md`` lists the codes; ``protocol/problems.py`` holds their HTTP status and title.
"""

from turnframe_django.codec import Json


class Problem(Exception):
    """A refusal that the caller should read: a stable ``code``, a sentence, and extra members of the problem document.

    It never carries a user's text, a payload or a secret.
    """

    def __init__(self, code: str, detail: str = "", **members: Json) -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail
        self.members: dict[str, Json] = members
        #: Whether this is the stored outcome of an earlier turn under the same key.
        self.replayed = False
