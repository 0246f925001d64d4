"""A second workflow over the desk's records, for what parcels do not do: an opening that needs a click, consent to two commands at once,
policies that depend on the record, and phases reached without a click. ``conftest`` registers it for a test that asks.
"""

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _
from pydantic import BaseModel

from tests.desk.models import Parcel
from turnframe_django import flow


class CrateState(BaseModel, frozen=True):
    """The snapshot."""

    name: str
    weight: int | None
    note: str
    status: Parcel.Status


class CrateOpened(flow.Event, code="crate.opened", title=_("Crate started")):
    """It is there."""


class CrateSealed(flow.Event, code="crate.sealed", title=_("Crate sealed")):
    """It is shut."""


class CrateStamped(flow.Event, code="crate.stamped", title=_("Crate stamped")):
    """It has its stamp."""


class CrateOffered(flow.Event, code="crate.offered", title=_("Crate offered")):
    """Somebody has to decide."""


class CrateDone(flow.Event, code="crate.done", title=_("Crate done")):
    """All is over."""


class CrateNoted(flow.Event, code="crate.noted", title=_("Crate noted"), body=_("Note: {note}")):
    note: str


class OpenCrate(flow.Command[Parcel, CrateState], risk="sensitive_data_change", opens=True, words=_("start a crate")):
    """Start a crate."""

    name: flow.Quoted[str]

    def execute(self, crate: Parcel) -> CrateOpened:
        crate.name = self.name
        if self.name == "forbidden":
            raise flow.Rejected("crate.forbidden", _("No crate may have that name."))
        return CrateOpened()


class NoteCrate(flow.Command[Parcel, CrateState], risk="reversible_low_risk", words=_("note something")):
    """Note something on the crate."""

    note: str

    def execute(self, crate: Parcel) -> CrateNoted:
        crate.note = self.note
        return CrateNoted(note=self.note)


class OfferCrate(flow.Command[Parcel, CrateState], risk="reversible_low_risk", words=_("offer the crate")):
    """Offer the crate, so that somebody has to decide."""

    def execute(self, crate: Parcel) -> CrateOffered:
        crate.status = Parcel.Status.OFFERED
        return CrateOffered()


class FinishCrate(flow.Command[Parcel, CrateState], risk="reversible_low_risk", words=_("finish the crate")):
    """Finish the crate."""

    def execute(self, crate: Parcel) -> CrateDone:
        crate.status = Parcel.Status.ARRIVED
        return CrateDone()


class SealCrate(flow.Command[Parcel, CrateState], risk="sensitive_data_change", words=_("seal the crate")):
    """Seal the crate."""

    def needed(self, crate: CrateState) -> bool:
        return crate.note != "sealed"

    def execute(self, crate: Parcel) -> CrateSealed:
        crate.note = "sealed"
        return CrateSealed()


class StampCrate(flow.Command[Parcel, CrateState], words=_("stamp the crate")):
    """Stamp the crate; a watched one only after a professional looked at it."""

    def policy(self, crate: CrateState | None, actor: flow.Actor) -> flow.Policy:
        watched = crate is not None and crate.note == "watched"
        return flow.Policy("sensitive_data_change", "human_professional_review" if watched else "explicit_click")

    def execute(self, crate: Parcel) -> CrateStamped:
        if crate.name == "no ink":
            raise flow.Rejected("crate.no_ink", _("There is no ink."))
        crate.status = Parcel.Status.SENT
        return CrateStamped()


class TidyCrate(flow.Operation[Parcel, CrateState], words=_("tidy the crate")):
    """Tidy the crate: nothing, while there is no note."""

    def compile(self, crate: CrateState) -> list[NoteCrate]:
        if crate.note == "stuck":
            raise flow.Rejected("crate.stuck", _("It is stuck."))
        return [NoteCrate(note="")] if crate.note else []


def decision_card(crate: CrateState) -> flow.Card:
    """Consent to two commands at once; a heavy crate's card comes back after a refusal."""
    return flow.Card(
        "decision",
        "confirm_command",
        _("Seal it and stamp it?"),
        options=[
            flow.confirm(_("Both"), SealCrate(), StampCrate(), id="both"),
            flow.confirm(_("Only seal it"), SealCrate(), id="seal"),
            flow.decline(_("No")),
        ],
        on_failure="restore" if crate.weight else "fail",
    )


def doubt_card(crate: CrateState) -> flow.Card:
    """A question whose answers are an operation, and a command that needs more than a yes.

    Of a heavy crate the card is one that authorises, and stays whatever happens to the crate.
    """
    if crate.weight:
        return flow.Card(
            "doubt",
            "confirm_command",
            _("Seal it?"),
            options=[flow.apply(_("Seal"), SealCrate(), id="seal"), flow.dismiss(_("Skip"))],
            binds_to_revision=False,
        )
    return flow.Card(
        "doubt",
        "boolean",
        _("Tidy it?"),
        options=[flow.apply(_("Yes"), TidyCrate(), id="yes"), flow.apply(_("Seal"), SealCrate(), id="seal")],
    )


class CrateWorkflow(flow.Workflow[Parcel, CrateState]):
    """The workflow of crates."""

    name, version = "crate", 1
    operations = [OpenCrate, NoteCrate, OfferCrate, FinishCrate, SealCrate, TidyCrate]
    commands = [StampCrate]
    events = [CrateOpened, CrateNoted, CrateOffered, CrateDone, CrateSealed, CrateStamped]

    class Phase(flow.Phase):
        STANDING = flow.system(_("Standing"))
        OFFERED = flow.user(_("Waiting for you"))
        STAMPED = flow.external(_("Stamped"))
        DONE = flow.terminal(_("Done"))

    def visible_to(self, actor: flow.Actor) -> QuerySet[Parcel]:
        return Parcel.objects.of(actor.account).exclude(hidden_from=actor.user)

    def snapshot(self, crate: Parcel) -> CrateState:
        return CrateState.model_validate(crate, from_attributes=True)

    def project(self, crate: CrateState | None) -> flow.View:
        if crate is None:
            return flow.View(self.Phase.STANDING)
        if crate.note == "broken":
            return flow.View(self.Phase.OFFERED)
        match crate.status:
            case Parcel.Status.OFFERED:
                return flow.View(self.Phase.OFFERED, card=decision_card(crate))
            case Parcel.Status.DOUBTED:
                return flow.View(self.Phase.OFFERED, card=doubt_card(crate))
            case Parcel.Status.SENT:
                return flow.View(self.Phase.STAMPED)
            case Parcel.Status.ARRIVED:
                return flow.View(self.Phase.DONE, outcome=crate)
        return flow.View(self.Phase.STANDING)
