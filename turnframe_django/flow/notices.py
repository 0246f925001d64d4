"""Notices: what a turn has to say that is neither a receipt nor a card. The words are code's own, translated, one sentence a code.

A refusal's notice carries the refusal's code. Notices that share a code are told once, with every different sentence.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from django.utils.translation import gettext_lazy as _

from turnframe_django.codec import Json
from turnframe_django.flow.text import Text, fill, visible

NoticeSeverity: TypeAlias = Literal["info", "warning", "error"]
#: A part of the message that became no act: the user's words, empty where they are not known, and why.
NotUnderstoodPart: TypeAlias = tuple[str, Literal["no_operation", "unclear"]]

_CODE = re.compile(r"[a-z][a-z0-9_.:-]{0,119}")


@dataclass(frozen=True, slots=True)
class Notice:
    """A code, how grave it is, and what the user reads. An author may put some on a view."""

    code: str
    severity: NoticeSeverity
    text: Text
    #: What a client may need beside the words: ids and reasons, never prose.
    details: dict[str, Json] | None = None

    def __post_init__(self) -> None:
        if not _CODE.fullmatch(self.code) or self.severity not in get_args(NoticeSeverity):
            raise ValueError(f"A notice {self.code!r} of severity {self.severity!r}: a lower-case code, and info, warning or error.")

    @property
    def shown(self) -> str:
        """The text in the active language, with nothing invisible in it; a dash where an author left it empty."""
        return visible(str(self.text), lines=True) or "—"


#: Why an act was not done. ``{words}`` is what was asked for, as the workflow calls it.
REJECTIONS: Final[Mapping[str, Text]] = {
    "turnframe.operation.unknown": _("That cannot be done here now."),
    "turnframe.operation.not_proposable": _("That can only be done on its own card: {words}."),
    "turnframe.operation.invalid_arguments": _("Not done, because a detail is missing or does not fit: {words}."),
    "turnframe.evidence.not_in_message": _("Not done, because the value is not in your own words: {words}."),
    "turnframe.target.unauthorized": _("That record cannot be found."),
    "turnframe.target.missing": _("There is no record that this can be done to now: {words}."),
    "turnframe.target.unresolved": _("More than one record fits, so nothing was done: {words}."),
    "turnframe.target.policy_mismatch": _("That cannot be done to this record: {words}."),
    "turnframe.policy.human_review_required": _("A qualified person has to decide this: {words}."),
    "turnframe.policy.confirmation_required": _("That needs your confirmation first: {words}."),
    "turnframe.policy.origin_not_admitted": _("That cannot be done on request: {words}."),
    "turnframe.policy.untrusted_origin": _("That cannot be done on request: {words}."),
    "turnframe.interaction.one_at_a_time": _("One confirmation at a time. Please ask for this again afterwards: {words}."),
    "turnframe.interaction.unsupported_kind": _("That needs a kind of confirmation that is not available here: {words}."),
    "turnframe.plan.too_many_commands": _("That is too much for one message, so nothing was done. Please ask for less at a time."),
}

#: Everything else, by code.
NOTICES: Final[Mapping[str, tuple[NoticeSeverity, Text]]] = {
    "turnframe.notice.act_refused": ("warning", _("That was refused, so it was not done: {words}.")),
    "turnframe.notice.no_change": ("info", _("Nothing to change: {words}.")),
    "turnframe.notice.partial_result": ("warning", _("Left undone, because another part of the request was unclear: {words}.")),
    "turnframe.notice.not_understood": ("info", _("This part was not understood.")),
    "turnframe.notice.already_answered": ("info", _("That question was already answered.")),
    "turnframe.notice.instruction_declined": ("info", _("All right, that will not be done.")),
    "turnframe.notice.command_failed": ("warning", _("That was not done.")),
    "turnframe.notice.verification_in_progress": ("info", _("Whether that was done is still being verified.")),
    "turnframe.notice.revision_conflict": ("warning", _("Something changed in the meantime, so this was not done. Please look again.")),
    "turnframe.notice.interaction_unavailable": ("warning", _("The question could not be prepared. Please ask again.")),
    "turnframe.notice.interaction_replaced": ("info", _("An earlier question no longer applies and was withdrawn.")),
    "turnframe.notice.case_refresh_unavailable": ("warning", _("The record could not be read again, so it may look out of date.")),
}

#: By reason, for a part that is told in the user's own words.
NOT_UNDERSTOOD: Final[Mapping[str, Text]] = {
    "no_operation": _("Nothing that can be done here now does this: “{words}”."),
    "unclear": _("This part was not understood: “{words}”."),
}


def notice(code: str, text: Text = "", **values: object) -> Notice:
    """Return the notice of ``code`` in the active language; ``text`` replaces its sentence. Raises ``KeyError`` for an unknown code."""
    severity, sentence = NOTICES[code]
    return Notice(code, severity, str(text) or fill(sentence, values))


def rejection(code: str, text: Text = "", *, words: Text = "") -> Notice:
    """Return the notice of an act refused with ``code``: the domain's own text, else the sentence of the code."""
    if str(text):
        return Notice(code, "warning", str(text))
    return Notice(code, "warning", fill(REJECTIONS.get(code) or NOTICES["turnframe.notice.act_refused"][1], {"words": words}))


def not_understood(parts: Iterable[NotUnderstoodPart]) -> Notice:
    """Return the one notice about the parts that became no act: each in the user's own words, or a plain sentence where there are none."""
    code = "turnframe.notice.not_understood"
    known = list(parts)
    sentences = [fill(NOT_UNDERSTOOD[reason], {"words": words}) for words, reason in known if words.strip()]
    if not sentences and known and all(reason == "no_operation" for _words, reason in known):
        return notice(code, REJECTIONS["turnframe.operation.unknown"])
    return notice(code, "\n".join(dict.fromkeys(sentences)))


def merged(notices: Iterable[Notice]) -> tuple[Notice, ...]:
    """Return one notice per code, in order of first appearance: the gravest severity, and every different sentence."""
    found: dict[str, Notice] = {}
    for item in notices:
        known = found.get(item.code)
        if known is None:
            found[item.code] = Notice(item.code, item.severity, item.shown, item.details)
            continue
        severity = max(known.severity, item.severity, key=("info", "warning", "error").index)
        text = str(known.text)
        if item.shown not in text.split("\n"):
            text = f"{text}\n{item.shown}"
        found[item.code] = Notice(item.code, severity, text, known.details or item.details)
    return tuple(found.values())
