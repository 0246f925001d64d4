"""The English of the travel desk: what one part of a message asks for, in the words it was said in.

Each rule is a whole-part pattern and the operation it means. A value is never made up: it is a span of the user's own words, or nothing is
read. Every quantifier that can meet another one is bounded, and the parts are short, so no text makes a pattern slow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Final, Literal

from demo_project.spoken_dates import read_date

Span = tuple[int, int]

#: The longest name, extra or payer that is read, in characters.
LONGEST_VALUE: Final = 80
#: The longest list in one part ("a bag, breakfast and insurance"); a longer one is not read.
LONGEST_LIST: Final = 8


@dataclass(frozen=True, slots=True)
class Value:
    """One argument: what it is worth, and the words it rests on."""

    value: str
    quote: str


@dataclass(frozen=True, slots=True)
class Request:
    """What a part asks for: an operation, its arguments, the words that name the record, and words that stay unread beside it."""

    operation: str
    arguments: dict[str, Value] = field(default_factory=dict)
    target: str = ""
    left: str = ""
    corrects: bool = False


_PREFIX: Final = re.compile(
    r"(?:(?:(?P<corrects>actually|no|sorry|i\s+mean|correction|wait)|hi|hello|hey|ok|okay|please|and|also|then|now|so|well|great|thanks|yes|yeah|just|only|but|"
    r"kindly|next|first|finally|(?:can|could|would|will)\s+you|(?:i|we)\s+(?:want|need|wish)\s+(?:you\s+)?to|(?:i|we)\s*(?:'d|\s+would)\s+like\s+(?:you\s+)?to|"
    r"let's|let\s+us|let\s+me|go\s+ahead\s+and|it\s+is\s+time\s+to)(?:\s*[,:]\s*|\s+|$))",
    re.IGNORECASE,
)
_SUFFIX: Final = re.compile(r"(?:[\s,]+(?:please|thanks|thank\s+you|for\s+me|for\s+us|as\s+well|too|instead)|[\s.!,;:]+)$")
_HOWEVER: Final = re.compile(
    r"\b(?:if|unless|or|because|but|when|instead|rather|until|while|though|although|only|don't|not|maybe|perhaps|actually|never)\b"
)
_GAP: Final = re.compile(r"\s{4}")
_NO_NAME: Final = re.compile(r"(?:a|an|off|up|back|out|something|anything|whatever|someone|me|it|that|this|you|to|the\s+same)\b")
_QUOTED: Final = re.compile(r"\"[^\"]+\"|“[^”]+”|«[^»]+»|‘[^']+'|'[^']+'|[‘'][^‘]+'")
_ARTICLE: Final = re.compile(r"(?:(?:a|an|the|some|one|my|our|another)\s+)?(?:extra\s*(?:called|named|:)\s*)?", re.IGNORECASE)
_NO_EXTRA: Final = re.compile(
    r"(?:name|title|date|day|payer|trip|it|that|this|them|these|those|more|another|something|anything|one|to|me|extra|extras)\b",
    re.IGNORECASE,
)
_COUNTED: Final = re.compile(r"(?:an?|the|some|one|two|three|four|five|six|my|our|another|extra|\d{1,2})\s", re.IGNORECASE)
_KNOWN_EXTRA: Final = re.compile(
    r".{0,60}\b(?:bags?|baggage|luggage|suitcases?|seats?|legroom|breakfast|lunch|dinner|meals?|insurance|wi-?fi|lounge|transfer|taxi|car|pet|dog|cat|bike|skis?|boarding|parking)",
    re.IGNORECASE,
)
_NOBODY: Final = re.compile(
    r"(?:i|we|he|she|they|you|it|that|this|who|whoever|someone|somebody|anyone|anybody|everyone|everybody|nobody|none|no\s*-?one|not|never)\b",
    re.IGNORECASE,
)
_AND: Final = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+", re.IGNORECASE)
_PAID_BY: Final = re.compile(r"\s+(?:paid|covered)\s+(?:for\s+)?by\s+", re.IGNORECASE)
_ON_DAY: Final = re.compile(r"(?:\s*,)?\s+(?=(?:on|for|leaving|from|starting|departing)\s)", re.IGNORECASE)

_BY_ORDER: Final = re.compile(
    r"(?:the|my|our)\s+(?:(?:(?:very\s+)?(?P<first>first|oldest)|(?P<last>last|newest|latest)|(?P<unnamed>unnamed|nameless)|(?P<other>other))\s+(?:trip|one)"
    r"|(?P<without>trip|one)\s+without\s+a\s+name)",
    re.IGNORECASE,
)

_IT: Final = r"(?P<target>it|this|that|(?:the|my|our|this)\s+(?:[^,]{1,80}?\s+)?trip)"
_RECORD: Final = r"(?P<target>[^,]{1,100}?)"
_NAME: Final = r"(?P<name>\S.*)"
_DATE: Final = r"(?P<date>\S.{0,60})"
_QUOTED_FLIGHT: Final = r"the\s+(?:quoted|offered|new)\s+(?:flight|price|fare)"
_BE: Final = r"(?:is|should\s+be|will\s+be|shall\s+be)"
_CALLED: Final = rf"(?:\s+(?:called|named|titled|to|with\s+the\s+name)\s*:?\s*{_NAME})?"

_RULES: Final = [
    (operation, re.compile(pattern, re.IGNORECASE))
    for operation, pattern in (
        (
            "open_trip",
            r"(?:(?:start|open|create|begin|plan|make|set\s+up|book|add|arrange|(?:i|we)\s+(?:want|need)|(?:i|we)\s*(?:'d|\s+would)\s+like)\s+(?:me\s+|us\s+|up\s+)?)?"
            rf"(?:a|an|another|one\s+more)\s+(?:brand\s+)?(?:new\s+)?(?:trip|journey|holiday|vacation){_CALLED}",
        ),
        ("open_trip", rf"(?:(?:start|open|create|add)\s+)?new\s+trip{_CALLED}"),
        ("withdraw_trip", rf"(?:withdraw(?:\s+from)?|cancel|delete|abandon|call\s+off)\s+(?!that$|this$){_RECORD}"),
        ("withdraw_trip", rf"(?:drop|scrap|remove)\s+(?!it$|that$|this$){_RECORD}"),
        ("withdraw_trip", rf"call\s+{_IT}\s+off"),
        ("withdraw_trip", r"withdraw"),
        ("ask_for_rebooking", rf"re-?book(?:\s+to\s+{_QUOTED_FLIGHT})?"),
        ("ask_for_rebooking", rf"(?:re-?book|book)\s+{_RECORD}(?:\s+(?:to|on|onto|with|at)\s+{_QUOTED_FLIGHT})?"),
        (
            "ask_for_rebooking",
            rf"(?:ask\s+for|request|order|do|make|start)\s+(?:the|a|my|our)?\s*re-?booking(?:\s+(?:of|for)\s+{_RECORD})?",
        ),
        (
            "ask_for_rebooking",
            r"ask\s+the\s+airline(?:\s+again|\s+for\s+(?:the|a)\s+re-?booking|"
            rf"(?:\s+again)?\s+to\s+re-?book(?:\s+{_RECORD})?)?",
        ),
        ("ask_for_rebooking", rf"(?:move|switch|change)\s+{_RECORD}\s+to\s+the\s+(?:quoted|offered|new)\s+flight"),
        (
            "ask_for_rebooking",
            r"(?:take|accept|book|use|go\s+(?:ahead\s+)?(?:with|for))\s+the\s+(?:quoted\s+|offered\s+|new\s+)?"
            r"(?:quote|flight|offer|price|fare)",
        ),
        ("ask_for_rebooking", r"(?:ask|try)\s+(?:it\s+|them\s+)?again"),
        (
            "set_date",
            r"(?:set|change|move|make|update|put|shift|push|bring|postpone|reschedule)\s+(?:the|its|my|our)\s+(?:(?:departure|travel|trip|trip's|leaving)\s+)?"
            rf"(?:date|day|departure)(?:\s+(?:of|for)\s+{_RECORD})?(?:\s+(?:to\s+be|to|on|for|as|be)\s+|\s*:\s*){_DATE}",
        ),
        (
            "set_date",
            r"(?:set|move|shift|push|put|postpone|reschedule|schedule|change|date|make)\s+"
            rf"{_RECORD}\s+(?:to|for|on|until|be\s+on)\s+{_DATE}",
        ),
        ("set_date", rf"make\s+(?:it\s+)?{_DATE}"),
        (
            "set_date",
            r"(?:(?:i|we)\s*(?:'m|'re|'ll|\s+am|\s+are|\s+will)?\s+)?(?:leave|leaving|go|going|depart|departing|travel|travell?ing|fly|flying|set\s+off|set\s+out)\s+(?:on\s+)?"
            rf"{_DATE}",
        ),
        ("set_date", rf"(?:the|its|our|my)\s+(?:(?:departure|travel|trip)\s+)?(?:date|departure|day)\s*(?:{_BE}|:|=)\s*(?:on\s+)?{_DATE}"),
        ("set_date", rf"{_IT}\s*(?:'s|{_BE}|starts|leaves|begins|departs)\s+(?:on\s+)?{_DATE}"),
        ("set_date", rf"(?:(?:departure\s+)?date\s*:\s*|on\s+|for\s+)?{_DATE}"),
        ("rename_trip", rf"(?:re-?name|call|name|title|retitle)\s+{_RECORD}\s+(?:to|as|into)(?:\s+|\s*:\s*){_NAME}"),
        ("rename_trip", rf"(?:re-?name|call|name|title|retitle)\s+{_IT}(?:\s+|\s*:\s*){_NAME}"),
        (
            "rename_trip",
            rf"(?:set|change|make|update|put|edit)\s+(?:the|its|my|our)\s+(?:trip\s+|trip's\s+)?(?:name|title)(?:\s+of\s+{_RECORD})?(?:\s+(?:to\s+be|to|as|be)\s+|\s*:\s*){_NAME}",
        ),
        ("rename_trip", rf"(?:the|its|my\s+trip's|the\s+trip's)\s+(?:new\s+)?(?:name|title)\s*(?:{_BE}|:|=)\s*{_NAME}"),
        ("rename_trip", rf"{_IT}\s*(?:'s|{_BE})\s+(?:called|named)\s+{_NAME}"),
        ("rename_trip", rf"(?:re-?name\s+to|(?:name|title)\s*:)\s*{_NAME}"),
        ("rename_trip", rf"give\s+{_IT}\s+the\s+(?:name|title)\s*:?\s*{_NAME}"),
        (
            "set_payer",
            r"(?P<payer>[^,]{1,80}?)(?:\s+pays|\s+will\s+pay|'ll\s+pay|\s+is\s+paying|\s+should\s+pay|\s+covers|\s+will\s+cover)\s+"
            r"(?:for\s+)?(?P<extra>.+)",
        ),
        ("set_payer", r"(?:let|have)\s+(?P<payer>[^,]{1,80}?)\s+(?:pay|cover)\s+(?:for\s+)?(?P<extra>.+)"),
        ("set_payer", r"(?:set|make|change)\s+(?:the\s+)?payer\s+(?:of|for)\s+(?P<extra>.{1,80}?)\s+(?:to\s+be|to|as|be)\s+(?P<payer>.+)"),
        ("set_payer", r"(?:make|set)\s+(?P<payer>[^,]{1,80}?)\s+(?:as\s+)?(?:the\s+)?payer\s+(?:of|for)\s+(?P<extra>.+)"),
        ("set_payer", rf"the\s+payer\s+(?:of|for)\s+(?P<extra>.{{1,80}}?)\s+{_BE}\s+(?P<payer>.+)"),
        ("set_payer", rf"(?P<extra>.{{1,80}}?)\s+(?:{_BE}|are|gets?)\s+(?:paid|covered)\s+(?:for\s+)?by\s+(?P<payer>.+)"),
        ("set_payer", r"(?:charge|bill|put)\s+(?P<extra>.{1,80}?)\s+(?:to|on)\s+(?P<payer>.+)"),
        ("set_payer", rf"(?P<extra>the\s.{{1,80}}?)\s+{_BE}\s+on\s+(?P<payer>.+)"),
        ("add_extra", rf"(?:add|include|throw\s+in)\s+(?P<items>.+?)(?:\s+(?:as\s+an\s+extra|to\s+{_IT}))?"),
        (
            "add_extra",
            r"(?:(?:i|we)\s*(?:'d|\s+would)\s+like|(?:i|we)\s+(?:want|need)|have|get|order|book)\s+(?:to\s+have\s+)?(?P<wanted>.+)",
        ),
    )
]


def read_part(message: str, plain: str, start: int, end: int, today: date, *, bare_dates: bool = True) -> list[Request]:
    """Return what the part ``message[start:end]`` asks for, or nothing.

    ``plain`` is the message with plain apostrophes, of the same length. A day that stands alone counts as a request unless ``bare_dates``
    is false. More than one request comes from a list ("a bag and breakfast") and is about one record.
    """
    # Nobody writes a request with wide gaps in it, and the patterns would try every way to share a gap out.
    if _GAP.search(plain, start, end):
        return []
    start, corrects = _without_prefix(plain, start, end)
    end = _without_suffix(plain, start, end)
    if start >= end:
        return []
    for position, (operation, rule) in enumerate(_RULES):
        if not bare_dates and position == _BARE_DATE:
            continue
        if found := rule.fullmatch(plain, start, end):
            requests = list(_requests(operation, found, message, plain, today, corrects))
            if requests:
                return requests
    return []


_BARE_DATE: Final = max(position for position, (operation, _) in enumerate(_RULES) if operation == "set_date")


def goes_on(message: str, plain: str, together: Span, added: Span, today: date) -> bool:
    """Say whether the words ``added`` at the end of the span ``together`` belong to the request before them."""
    requests = read_part(message, plain, *together, today)
    if not requests:
        return False
    words = plain[added[0] : added[1]].strip()
    match requests[0].operation:
        case "set_date":
            return True
        case "add_extra":
            return bool(_COUNTED.match(words) or _KNOWN_EXTRA.fullmatch(words))
        case "set_payer":
            return words.casefold().startswith(("the ", "a ", "an ", "my "))
        case "rename_trip" | "open_trip":
            return looks_like_a_name(words) and read_date(words, today) is None
    return False


def looks_like_a_name(words: str) -> bool:
    """Say whether a few words are written as a proper name: each begins with a capital or is one of the small words names carry."""
    listed = words.split()
    small_words = {"of", "in", "to", "the", "and", "de", "la", "le", "del", "di", "da", "du", "am", "an", "&", "-", "for", "with", "at"}
    return 0 < len(listed) <= 5 and not listed[0].islower() and all(not word[0].islower() or word in small_words for word in listed)


def names_no_record(target: str) -> bool:
    """Say whether the words stand for whichever record is meant ("it", "the trip", nothing) rather than for one by name."""
    return target.casefold() in {"", "it", "this", "that", "trip", "the trip", "my trip", "our trip", "this trip", "that trip"}


def which_record(target: str) -> Literal["first", "last", "unnamed", "other"] | None:
    """Return how the words choose a record without its name: "the oldest trip", "the last one", "the trip without a name"."""
    match found.lastgroup if (found := _BY_ORDER.fullmatch(target.strip())) else None:
        case "first" | "last" | "other" as which:
            return which
        case "unnamed" | "without":
            return "unnamed"
    return None


def record_name(target: str) -> str:
    """Return the label in words that name a record: "the Lisbon trip" and "my trip to Lisbon" both name "Lisbon"."""
    words = re.sub(r"^(?:the|my|our|this)\s+", "", target.strip(), flags=re.IGNORECASE)
    words = re.sub(r"^trip\s+(?:(?:to|called|named)\s+)?|\s+trip$", "", words, flags=re.IGNORECASE)
    return words.strip("\"'“”«»‘ ")


def _without_prefix(plain: str, start: int, end: int) -> tuple[int, bool]:
    corrects = False
    for _ in range(6):
        found = _PREFIX.match(plain, start, end)
        if not found or found.end() >= end:
            break
        start, corrects = found.end(), corrects or bool(found["corrects"])
    return start, corrects


def _without_suffix(plain: str, start: int, end: int) -> int:
    for _ in range(4):
        found = _SUFFIX.search(plain[start:end])
        if not found:
            break
        end = start + found.start()
    return end


def _requests(operation: str, found: re.Match[str], message: str, plain: str, today: date, corrects: bool) -> Iterator[Request]:
    groups = found.groupdict()
    target = groups.get("target") or ""
    if operation == "set_date":
        words = message[found.start("date") : found.end("date")]
        if (day := read_date(words, today)) is not None:
            yield Request(operation, {"date": Value(day.isoformat(), words)}, target, corrects=corrects)
    elif operation in {"open_trip", "rename_trip"}:
        if not groups.get("name"):
            yield Request(operation, target=target)
        elif (name := _name(plain, *_split_day(plain, *found.span("name"), today))) is not None:
            left = message[_split_day(plain, *found.span("name"), today)[1] : found.end("name")].strip(" ,")
            yield Request(operation, {"name": _value(message, name)}, target, left, corrects)
    elif operation == "set_payer":
        payer = _payer(plain, *found.span("payer"))
        extras = [_extra(plain, *span) for span in _listed(plain, *found.span("extra"))]
        if payer and extras and all(extras):
            for extra in extras:
                yield Request(operation, {"extra": _value(message, extra or (0, 0)), "payer": _value(message, payer)}, corrects=corrects)
    elif operation == "add_extra":
        yield from _additions(found, message, plain, target)
    else:
        yield Request(operation, target=target)


def _additions(found: re.Match[str], message: str, plain: str, target: str) -> Iterator[Request]:
    """Read a list of extras, each with its payer where one is named; one that cannot be read spoils the list."""
    wanted = "wanted" in found.groupdict()
    requests: list[Request] = []
    for start, end in _listed(plain, *found.span("wanted" if wanted else "items")):
        paid = _PAID_BY.search(plain, start, end)
        item_end = paid.start() if paid else end
        extra = _extra(plain, start, item_end)
        payer = _payer(plain, paid.end(), end) if paid else None
        said = plain[start:item_end]
        plausible = (
            _KNOWN_EXTRA.fullmatch(said) if wanted else _COUNTED.match(said) or not said[:1].isupper() or _KNOWN_EXTRA.fullmatch(said)
        )
        if extra is None or (paid and payer is None) or not (plausible or _QUOTED.fullmatch(said)):
            return
        requests.append(Request("add_extra", {"name": _value(message, extra)}, target))
        if payer:
            requests.append(Request("set_payer", {"extra": _value(message, extra), "payer": _value(message, payer)}, target))
    yield from requests


def _value(message: str, span: Span) -> Value:
    words = message[span[0] : span[1]]
    return Value(words, words)


def _split_day(plain: str, start: int, end: int, today: date) -> Span:
    """Leave out a day at the end of a name ("Lisbon on 12 May"), because a name does not hold one."""
    for found in _ON_DAY.finditer(plain, start, end):
        if read_date(re.sub(r"^\w+\s+(?:on\s+)?", "", plain[found.end() : end]), today) is not None:
            return start, found.start()
    return start, end


def _unquoted(plain: str, start: int, end: int) -> tuple[Span, bool]:
    while start < end and plain[start] in " \t,:;.!\u00a0":
        start += 1
    while end > start and plain[end - 1] in " \t,:;.!\u00a0":
        end -= 1
    if _QUOTED.fullmatch(plain, start, end):
        return (start + 1, end - 1), True
    return (start, end), False


def _name(plain: str, start: int, end: int) -> Span | None:
    (start, end), quoted = _unquoted(plain, start, end)
    words = plain[start:end]
    if not words.strip() or len(words) > LONGEST_VALUE:
        return None
    if quoted:
        return start, end
    if len(words.split()) > 8 or "?" in words or _HOWEVER.search(words) or _NO_NAME.match(words) or words[0] in '"“«‘':
        return None
    return start, end


def _extra(plain: str, start: int, end: int) -> Span | None:
    if found := _ARTICLE.match(plain, start, end):
        start = found.end()
    (start, end), quoted = _unquoted(plain, start, end)
    words = plain[start:end]
    if not words.strip() or len(words) > 60:
        return None
    if not quoted and (_is_no_extra(words) or _HOWEVER.search(words) or re.search(r"\b(?:for|as|with|by)\s", words)):
        return None
    return start, end


def _is_no_extra(words: str) -> bool:
    listed = words.split()
    opens_badly = _NO_EXTRA.match(words) and not words.casefold().startswith("extra ")
    return len(listed) > 6 or bool(opens_badly) or bool(_NO_EXTRA.fullmatch(listed[-1]))


def _payer(plain: str, start: int, end: int) -> Span | None:
    (start, end), quoted = _unquoted(plain, start, end)
    words = plain[start:end].split()
    if not words or end - start > LONGEST_VALUE or len(words) > 4:
        return None
    if quoted:
        return start, end
    relation = words[0].casefold() in {"my", "our", "the"} and len(words) > 1
    named = all(word[0].isupper() for word in words) or len(words) == 1
    if _NOBODY.match(plain, start, end) or _HOWEVER.search(plain, start, end) or not (relation or named) or not words[0][0].isalpha():
        return None
    return start, end


def _listed(plain: str, start: int, end: int) -> list[Span]:
    """Return the members of a list, keeping what stands in quotation marks whole; nothing when it is too long."""
    quoted = [found.span() for found in _QUOTED.finditer(plain, start, end)]
    members: list[Span] = []
    for found in _AND.finditer(plain, start, end):
        if any(a < found.end() and found.start() < b for a, b in quoted):
            continue
        members.append((start, found.start()))
        start = found.end()
    return [*members, (start, end)] if len(members) < LONGEST_LIST else []
