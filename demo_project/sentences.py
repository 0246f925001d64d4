"""Cuts a message into the parts that can each be one request, and says how each part is meant.

It works on spans, so that a part is always the user's own words, and in one pass over the message: nothing here looks back. Whether a part
can be a request at all is asked of the caller, because "name it Salt and Pepper" is one and "name it Salt and add a bag" is two.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

StandsAlone = Callable[[int, int], bool]
GoesOn = Callable[[tuple[int, int], tuple[int, int]], bool]

#: A part longer than this is not read: no request is that long, and it bounds every pattern.
LONGEST_PART: Final = 400

_QUOTED: Final = re.compile(r"\"[^\"\n]{1,200}\"|“[^“”\n]{1,200}”|«[^«»\n]{1,200}»|‘[^‘'\n]{1,200}'(?!\w)|(?<!\w)'[^'\n]{1,200}'(?!\w)")
# A run of marks is taken once and whole, never tried again from within.
_END: Final = re.compile(r"\n|(?<![.!?;…])[.!?;…。！？]++(?=\s|$)|[。！？]")
_ABBREVIATION: Final = re.compile(r"(?:^|\W)(?:St|Mr|Mrs|Ms|Dr|vs|e\.g|i\.e|[A-Z])$")
_JOINT: Final = re.compile(
    r"\s*,\s*(?:(?:and|then|but|or|also|plus)\b\s*){0,3}|\s+(?:(?:and|then|but|or|also|plus)\s+){1,3}|\s+[-–—]\s+", re.IGNORECASE
)
_REQUEST: Final = re.compile(r"\s*(?:(?:please|hi|hello|hey|so|and|ok|okay)[\s,]+){0,4}(?:can|could|would|will)\s+you\b", re.IGNORECASE)
_WONDERING: Final = re.compile(
    r"\s*(?:(?:and|but|so|well|hi|hello|hey|ok|okay)[\s,]+){0,4}(?:(?:should|shall|do(?!\s+not\b)|does|did|is|are|was|were|am|has|had|what|when|where|who|whom|whose|"
    r"why|how|which|if|unless|until|once|whenever|suppose|imagine|provided|maybe|perhaps|might|must|won't|can't)\b|"
    r"(?:can|could|would|will|may|have)\s+(?:i|you|we|they|he|she|it|the|this|that|my|someone|anyone)\b)",
    re.IGNORECASE,
)
_NEGATION: Final = re.compile(
    r"\s*(?:(?:please|but|and|so|ok|okay|actually|i|we|you|just)[\s,]+){0,4}(?:don't|dont|do\s+not|never|not|no\s+need|stop|shouldn't|should\s+not|"
    r"must\s+not|mustn't|won't|can't|cannot|didn't|did\s+not|would\s+not|wouldn't|will\s+not|avoid|refrain)\b",
    re.IGNORECASE,
)
_OR: Final = re.compile(r"\bor\b", re.IGNORECASE)
_FILLER: Final = re.compile(r"\s*(?:actually|sorry|no|wait|oh|ah|ok|okay|well|please|i\s+mean|hmm|so|yes|hi|hello|hey)\s*", re.IGNORECASE)
_INSTEAD: Final = re.compile(r"\s*(?:just|only|instead|rather)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a message: where it stands, and whether it can be a request at all.

    ``doubtful`` parts belong to a question, a condition or a negation and are never acted on; ``negated`` ones open with the negation.
    """

    start: int
    end: int
    doubtful: bool = False
    negated: bool = False


def straight(message: str) -> str:
    """Return the message with typographic apostrophes made plain, character for character, so that spans stay."""
    return message.replace("\u2019", "'").replace("\u02bc", "'")


def parts(message: str, stands_alone: StandsAlone, goes_on: GoesOn) -> Iterator[Part]:
    """Yield the parts of ``message`` in order.

    ``stands_alone`` says whether some words are a request by themselves; ``goes_on`` whether a longer stretch of words is still one request
    when it goes on with the second words ("add a bag and a window seat", "a window seat"). Words that do neither are a part of their own.
    """
    plain = straight(message)
    quoted = [found.span() for found in _QUOTED.finditer(plain)]
    for start, end, asks in _sentences(plain, quoted):
        if end - start > LONGEST_PART:
            yield _trimmed(plain, start, end, doubtful=True)
        else:
            yield from _clauses(plain, start, end, asks, stands_alone, goes_on)


def _sentences(plain: str, quoted: list[tuple[int, int]]) -> Iterator[tuple[int, int, bool]]:
    start, protected = 0, 0
    for found in _END.finditer(plain):
        while protected < len(quoted) and quoted[protected][1] <= found.start():
            protected += 1
        if protected < len(quoted) and quoted[protected][0] <= found.start():
            continue
        if found.group() == "." and _ABBREVIATION.search(plain, max(start, found.start() - 5), found.start()):
            continue
        if plain[start : found.start()].strip():
            yield start, found.start(), "?" in found.group() or "？" in found.group()
        start = found.end()
    if plain[start:].strip():
        yield start, len(plain), False


def _clauses(plain: str, start: int, end: int, asks: bool, stands_alone: StandsAlone, goes_on: GoesOn) -> list[Part]:
    """Cut one sentence at its joints, and glue together again what is one request.

    A question or condition at its head makes the whole sentence doubtful, a negation everything from there to the next "but" or "just",
    and an "or" both its sides.
    """
    asks_politely = bool(_REQUEST.match(plain, start, end))
    wondering = bool(_WONDERING.match(plain, start, end)) and not asks_politely
    negated = False
    found: list[Part] = []
    pieces = _pieces(plain, start, end)
    from_, to, _ = pieces[0]
    either = False
    for piece_start, piece_end, joint in [*pieces[1:], (end, end, "")]:
        opens = bool(_NEGATION.match(plain, piece_start, piece_end) or _WONDERING.match(plain, piece_start, piece_end))
        filler = "," in joint and bool(_FILLER.fullmatch(plain, from_, to))
        continued = not opens and not stands_alone(piece_start, piece_end) and goes_on((from_, piece_end), (piece_start, piece_end))
        if piece_start < piece_end and (filler or continued):
            to = piece_end
            continue
        opens_negated = bool(_NEGATION.match(plain, from_, to))
        negated = negated or opens_negated
        if plain[from_:to].strip():
            asked = bool(_WONDERING.match(plain, from_, to)) and not _REQUEST.match(plain, from_, to)
            either = either or _OR.search(joint) is not None
            found.append(_trimmed(plain, from_, to, doubtful=wondering or negated or asked or either, negated=opens_negated))
            either = _OR.search(joint) is not None
        if "but" in joint.casefold() or _INSTEAD.match(plain, piece_start, piece_end):
            negated = False
        from_, to = piece_start, piece_end
    if asks and not asks_politely and found:
        found[-1] = replace(found[-1], doubtful=True)
    return found


def _pieces(plain: str, start: int, end: int) -> list[tuple[int, int, str]]:
    """Return what stands between the joints, each with the joint before it; a joint inside quotation marks is none."""
    quoted = [found.span() for found in _QUOTED.finditer(plain, start, end)]
    pieces: list[tuple[int, int, str]] = []
    joint = ""
    for found in _JOINT.finditer(plain, start, end):
        if any(a < found.end() and found.start() < b for a, b in quoted):
            continue
        pieces.append((start, found.start(), joint))
        start, joint = found.end(), found.group()
    return [*pieces, (start, end, joint)]


def _trimmed(plain: str, start: int, end: int, *, doubtful: bool, negated: bool = False) -> Part:
    while start < end and plain[start].isspace():
        start += 1
    while end > start and plain[end - 1].isspace():
        end -= 1
    return Part(start, end, doubtful, negated)
