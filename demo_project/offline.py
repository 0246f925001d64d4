"""The demo's interpreter: reads plain English with rules and proposes what a model would, so that the demo needs no key and no network.

Like a model it is not trusted: what it returns is a proposal, checked against what is on offer and against the user's own words. It reads
the operations of the travel desk, one request a clause. Whatever it cannot read it hands back as not understood, and it prefers that to a
guess: questions, conditions, negations, alternatives and names of records it does not see are never acted on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Final, Literal

from pydantic import JsonValue

from demo_project.phrases import Request, Value, goes_on, looks_like_a_name, names_no_record, read_part, record_name, which_record
from demo_project.sentences import Part, parts, straight
from turnframe_django import flow

#: How many parts of one message are read, and about how many acts; the rest is handed back as one. A turn runs 32 commands at most.
MOST_PARTS: Final = 120
#: The longest words handed back as not understood, in characters.
LONGEST_WORDS: Final = 500

_COURTESY: Final = re.compile(
    r"(?:(?:hi|hello|hey|good\s+(?:morning|afternoon|evening)|dear\s+\w{1,20}|there|many\s+thanks|thanks|thank\s+you|cheers|please|ok|okay|great|perfect|lovely|"
    r"bye|goodbye|again|so\s+much|very\s+much)[\s,.!:]*){1,6}",
    re.IGNORECASE,
)
_RETRACTION: Final = re.compile(
    r"(?:(?:no|oh|hmm|wait|sorry|actually|on\s+second\s+thoughts?|but|please|well|ah)[\s,]+){0,5}(?:never\s*mind|forget\s+(?:it|that|about\s+it|about\s+that|all\s+of\s+"
    r"(?:it|that))|scratch\s+that|leave\s+(?:it|that|this|everything|things)(?:\s+(?:alone|be|as\s+(?:it|they)\s+(?:is|are|was|were)))?|ignore\s+(?:it|that|this)|"
    r"(?:cancel|undo|drop)\s+that|stop|wait|no|nope|(?:or\s+)?not|don't|do\s+not|not\s+really|just\s+kidding|on\s+second\s+thoughts?)(?:[\s,]+(?:please|thanks|thank\s+you))?[\s.!]*",
    re.IGNORECASE,
)
_CORRECTION: Final = re.compile(r"(?:oh|ah|hmm|but)?[\s,]*(?:no|wait|sorry|actually|i\s+mean|rather)\b", re.IGNORECASE)
_ANYTHING: Final = re.compile(r"\b(?:do|change|touch)\s+(?:it|that|this|so|anything|any\s+of)\b", re.IGNORECASE)
_MENTIONS: Final = {
    "open_trip": re.compile(r"\b(?:start|open|create|begin|new)\b.{0,40}\btrip\b", re.IGNORECASE),
    "rename_trip": re.compile(r"\b(?:re-?nam\w*|nam\w+|name|call\w*|title)\b", re.IGNORECASE),
    "set_date": re.compile(r"\b(?:date|day|mov\w+|leav\w+|depart\w*|shift)\b", re.IGNORECASE),
    "add_extra": re.compile(r"\b(?:add\w*|includ\w+|extras?)\b", re.IGNORECASE),
    "set_payer": re.compile(r"\b(?:pay\w*|payer|charg\w+|bill)\b", re.IGNORECASE),
    "ask_for_rebooking": re.compile(r"\b(?:re-?book\w*|airline|book\w*|submit|send|ask)\b", re.IGNORECASE),
    "withdraw_trip": re.compile(r"\b(?:withdraw\w*|cancel\w*|delet\w+|call\s+it\s+off)\b", re.IGNORECASE),
}
#: What the asks of a record are about, by the operation that answers them.
_ASKS: Final = {
    "rename_trip": re.compile(r"\b(?:name|called)\b", re.IGNORECASE),
    "set_date": re.compile(r"\b(?:date|day|leave|depart\w*)\b", re.IGNORECASE),
}
#: Words that change what is there already, so that they answer no ask.
_CHANGES: Final = re.compile(
    r"\b(?:re-?name|retitle|change|move|shift|push|bring|put|postpone|reschedule|update|edit|instead|new\s+(?:name|title))\b", re.IGNORECASE
)
_ANSWERS_NOTHING: Final = frozenset(
    (
        "both",
        "all",
        "neither",
        "none",
        "either",
        "yes",
        "no",
        "ok",
        "okay",
        "sure",
        "yep",
        "nope",
        "maybe",
        "please",
        "thanks",
        "stop",
        "help",
        "cancel",
        "confirm",
        "what",
        "why",
        "undo",
    )
)

Why = Literal["no_operation", "unclear"]


@dataclass(slots=True)
class _Read:
    """What became of one part: an act, or words handed back."""

    words: str
    operation: str = ""
    record: str | None = None
    arguments: dict[str, Value] = field(default_factory=dict)
    why: Why = "no_operation"
    asked_by: str | None = None

    def withdraw(self) -> None:
        """Turn the act back into words, because the user took it back."""
        self.operation, self.why = "", "unclear"


class OfflineInterpreter:
    """An interpreter in the sense of the ``INTERPRETER`` setting. It holds nothing between turns."""

    async def interpret(self, brief: flow.Brief) -> flow.Proposal:
        """Return the proposal for ``brief``: acts in the order of the words, only operations on offer, each value with its quote."""
        return _Reading(brief).proposal()


class _Reading:
    """One message against one brief."""

    def __init__(self, brief: flow.Brief) -> None:
        self.brief = brief
        self.message = brief.message
        self.plain = straight(brief.message)
        self.today = date.fromisoformat(brief.today) if brief.today else date.min
        self.starts = {operation.key for operation in brief.starts}
        self.offers = {record.token: {operation.key for operation in record.operations} for record in brief.records}
        self.found: list[_Read] = []

    def proposal(self) -> flow.Proposal:
        """Read the whole message."""
        listed, rest = self._parts()
        for part in listed:
            if len(self.found) >= MOST_PARTS:
                rest = self.message[part.start :].strip()
                break
            if _COURTESY.fullmatch(self.plain, part.start, part.end) and len(listed) > 1:
                continue
            self._read(part, alone=len(listed) == 1)
        if rest or not self.found:
            self.found.append(_Read(rest or self.message.strip()))
        self._point_at_who_asked()
        acts = [read for read in self.found if read.operation]
        return flow.Proposal(
            acts=[
                flow.ProposedAct(id=f"a{number}", operation=read.operation, record=read.record, arguments=_arguments(read.arguments))
                for number, read in enumerate(acts, 1)
            ],
            not_understood=[
                flow.NotUnderstood(words=read.words[:LONGEST_WORDS], reason=read.why)
                for read in self.found
                if not read.operation and read.words
            ],
        )

    def _parts(self) -> tuple[list[Part], str]:
        listed: list[Part] = []
        for part in parts(self.message, self._stands_alone, self._goes_on):
            if len(listed) == MOST_PARTS:
                return listed, self.message[part.start :].strip()
            listed.append(part)
        return listed, ""

    def _stands_alone(self, start: int, end: int) -> bool:
        return bool(
            read_part(self.message, self.plain, start, end, self.today, bare_dates=False)
            or _RETRACTION.fullmatch(self.plain, start, end)
            or _COURTESY.fullmatch(self.plain, start, end)
        )

    def _goes_on(self, together: tuple[int, int], added: tuple[int, int]) -> bool:
        return goes_on(self.message, self.plain, together, added, self.today)

    def _read(self, part: Part, *, alone: bool) -> None:
        words = self.message[part.start : part.end]
        if _RETRACTION.fullmatch(self.plain, part.start, part.end):
            self._take_back(set(_MENTIONS))
        if part.negated:
            anything = _ANYTHING.search(self.plain, part.start, part.end)
            self._take_back({key for key, mention in _MENTIONS.items() if anything or mention.search(self.plain, part.start, part.end)})
        if part.doubtful:
            self.found.append(_Read(words, why="unclear"))
            return
        requests = read_part(self.message, self.plain, part.start, part.end, self.today) or (self._bare_name(part) if alone else [])
        if not requests:
            if _CORRECTION.match(self.plain, part.start, part.end):
                self._take_back(set(_MENTIONS))
            self.found.append(_Read(words))
        for request in requests:
            self._propose(request, words, answers=self._answers(request, part, alone=alone))

    def _propose(self, request: Request, words: str, *, answers: bool) -> None:
        opened = next((read for read in self.found if read.operation == "open_trip"), None)
        if request.operation == "open_trip":
            on_offer = "open_trip" in self.starts
            self.found.append(_Read(words, "open_trip" if on_offer else "", arguments=request.arguments))
        elif opened and names_no_record(request.target):
            if request.operation == "rename_trip" and not opened.arguments:
                opened.arguments, opened.words = request.arguments, f"{opened.words}, {words}"
            else:  # the trip is not there yet, and an older one must not take its place
                self.found.append(_Read(words, why="unclear"))
        else:
            self._propose_for_record(request, words, answers=answers)
        if request.left:
            self.found.append(_Read(request.left))

    def _propose_for_record(self, request: Request, words: str, *, answers: bool) -> None:
        token, why = self._record(request)
        if why:
            self.found.append(_Read(words, why=why))
            return
        asked_by = self._asking(request.operation) if token is None and answers else None
        if request.corrects:
            earlier = [read for read in self.found if read.operation == request.operation and read.record == token]
            if earlier and request.operation in {"rename_trip", "set_date"}:
                self.found.remove(earlier[-1])
                asked_by = earlier[-1].asked_by
        self.found.append(_Read(words, request.operation, token, request.arguments, asked_by=asked_by))

    def _record(self, request: Request) -> tuple[str | None, Why | None]:
        """Return the token of the record that is meant, or why there is none.

        No token and no reason: the runtime is to find the only one.
        """
        offering = [token for token, keys in self.offers.items() if request.operation in keys]
        if names_no_record(request.target):
            if not offering:
                return None, "no_operation"
            return (offering[0], None) if len(self.offers) == 1 else (None, None)
        name = record_name(request.target).casefold()
        named = [record.token for record in self.brief.records if record.label.casefold() == name]
        if not named and (chosen := self._by_order(request.target)):
            named = [chosen]
        offering_named = [token for token in named if token in offering]
        if len(offering_named) == 1:
            return offering_named[0], None
        return None, "no_operation" if named and not offering_named else "unclear"

    def _by_order(self, target: str) -> str | None:
        """Return the token of the record that "the first trip", "the last trip", "the unnamed trip" or "the other trip" means.

        The records are oldest first. The other of two is the one this message has not named yet, or else the older one. Beside a trip that
        is only being started the words could mean that one, so they choose none.
        """
        records = self.brief.records
        if not records or any(read.operation == "open_trip" for read in self.found):
            return None
        match which_record(target):
            case "first":
                return records[0].token
            case "last":
                return records[-1].token
            case "unnamed":
                unnamed = [record.token for record in records if any(map(_ASKS["rename_trip"].search, record.needs))]
                return unnamed[0] if len(unnamed) == 1 else None
            case "other" if len(records) == 2:
                mentioned = {read.record for read in self.found if read.operation and read.record}
                others = [record.token for record in records if record.token not in mentioned]
                return others[0] if others else None
        return None

    def _answers(self, request: Request, part: Part, *, alone: bool) -> bool:
        """Say whether the request can answer what a record asks: it corrects nothing, and a day without a verb is the whole message."""
        if request.operation not in _ASKS or request.corrects or _CHANGES.search(self.plain, part.start, part.end):
            return False
        return alone or bool(read_part(self.message, self.plain, part.start, part.end, self.today, bare_dates=False))

    def _asking(self, operation: str) -> str | None:
        """Return the token of the one record that asks for what ``operation`` gives."""
        asking = [
            record.token
            for record in self.brief.records
            if operation in self.offers[record.token] and any(map(_ASKS[operation].search, record.needs))
        ]
        return asking[0] if len(asking) == 1 else None

    def _point_at_who_asked(self) -> None:
        """Give the acts that name no record the one that asked, unless the message as a whole would then speak of several."""
        acts = [read for read in self.found if read.operation and read.operation != "open_trip"]
        meant = {read.record for read in acts if read.record} | {read.asked_by for read in acts if read.asked_by}
        if len(meant) == 1:
            for read in acts:
                read.record = read.record or read.asked_by

    def _bare_name(self, part: Part) -> list[Request]:
        """Read "Lisbon" as the answer to the only record whose open question asks for the name.

        The label of a record is no such answer: it rather says which record is meant.
        """
        words = self.message[part.start : part.end].rstrip(" .!")
        records = self.brief.records
        asked = self._asking("rename_trip") is not None and any(
            record.needs and _ASKS["rename_trip"].search(record.needs[0]) for record in records
        )
        if any(record.label.casefold() == record_name(words).casefold() for record in records) or which_record(words):
            return []
        if not asked or not looks_like_a_name(words) or words.split()[0].casefold().strip(",") in _ANSWERS_NOTHING:
            return []
        if _COURTESY.fullmatch(words):
            return []
        return [Request("rename_trip", {"name": Value(words, words)})]

    def _take_back(self, operations: Iterable[str]) -> None:
        for read in self.found:
            if read.operation in operations:
                read.withdraw()


def _arguments(values: dict[str, Value]) -> dict[str, JsonValue]:
    return {key: {"value": value.value, "quote": value.quote} for key, value in values.items()}
