"""A workflow with one of everything the runtime has to keep: openings, refusals, consents, effects outside, news from outside."""

from datetime import timedelta

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _
from pydantic import BaseModel

from tests.desk.models import Parcel
from turnframe_django import flow
from turnframe_django.codec import Json


class ParcelState(BaseModel, frozen=True):
    """The snapshot."""

    name: str
    weight: int | None
    note: str
    status: Parcel.Status


class ParcelOpened(flow.Event, code="parcel.opened", title=_("Parcel started"), body=_("Its name is {name}.")):
    name: str


class ParcelNamed(flow.Event, code="parcel.named", title=_("Parcel named"), body=_("It is now called {name}.")):
    name: str


class ParcelWeighed(flow.Event, code="parcel.weighed", title=_("Parcel weighed"), body=_("It weighs {weight} kg.")):
    weight: int


class ParcelNoted(flow.Event, code="parcel.noted"):
    """Kept without a receipt."""

    note: str


class ParcelSent(flow.Event, code="parcel.sent", title=_("Parcel sent"), body=_("{name} is with the carrier.")):
    name: str


class ParcelDiscarded(flow.Event, code="parcel.discarded", title=_("Parcel discarded"), severity="warning"):
    """Gone."""


class CarrierAnswered(flow.Event, code="parcel.carrier_answered", title=_("The carrier answered"), severity="info"):
    status: str


class OpenParcel(flow.Command[Parcel, ParcelState], risk="reversible_low_risk", opens=True, words=_("start a parcel")):
    """Start a parcel."""

    name: flow.Quoted[str] | None = None

    def execute(self, parcel: Parcel) -> ParcelOpened:
        parcel.name = self.name or ""
        return ParcelOpened(name=self.name or "…")


class NameParcel(flow.Command[Parcel, ParcelState], risk="reversible_low_risk", words=_("name the parcel")):
    """Give the parcel a name."""

    name: flow.Quoted[str]

    def needed(self, parcel: ParcelState) -> bool:
        return self.name != parcel.name

    def execute(self, parcel: Parcel) -> ParcelNamed:
        parcel.name = self.name
        if self.name == "forbidden":
            raise flow.Rejected("parcel.name_forbidden", _("That name is not allowed."))
        if self.name == "wordless":
            raise flow.Rejected("parcel.name_wordless")
        if self.name == "broken":
            raise RuntimeError("the author's bug")
        return ParcelNamed(name=self.name)


class WeighParcel(flow.Command[Parcel, ParcelState], risk="reversible_low_risk", words=_("say what it weighs")):
    """Say how many kilograms the parcel weighs."""

    weight: int

    def execute(self, parcel: Parcel) -> list[ParcelWeighed | ParcelNoted]:
        parcel.weight = self.weight
        return [ParcelWeighed(weight=self.weight), ParcelNoted(note="weighed")]


class NoteParcel(flow.Command[Parcel, ParcelState], risk="reversible_low_risk", words=_("leave a note")):
    """Leave a note with the parcel."""

    note: flow.Quoted[str]

    def execute(self, parcel: Parcel) -> ParcelNoted:
        parcel.note = self.note
        return ParcelNoted(note=self.note)


class SendParcel(flow.Command[Parcel, ParcelState], risk="external_regulated", confirmation="explicit_click", destination="carrier"):
    name: str

    def preview(self, parcel: ParcelState) -> Json:
        return {"name": parcel.name}

    def confirm_card(self, parcel: ParcelState) -> flow.Card:
        return flow.Card(
            "send_parcel",
            "confirm_command",
            _("Send it now?"),
            options=[flow.confirm(_("Send"), SendParcel(name=self.name)), flow.decline(_("Not now"), reason=20)],
            expires_in=timedelta(minutes=15),
        )

    def execute(self, parcel: Parcel) -> ParcelSent:
        if parcel.note == "no carrier":
            raise flow.Rejected("parcel.no_carrier", _("No carrier takes it."))
        parcel.status = Parcel.Status.SENT
        return ParcelSent(name=self.name)


class AskToSend(flow.Operation[Parcel, ParcelState], words=_("send the parcel")):
    """Send the parcel with the carrier."""

    def compile(self, parcel: ParcelState) -> list[SendParcel]:
        if not parcel.name:
            raise flow.Rejected("parcel.needs_name", _("A parcel without a name cannot be sent."))
        return [SendParcel(name=parcel.name)]


class DiscardParcel(flow.Command[Parcel, ParcelState], words=_("discard the parcel")):
    """Throw the parcel away."""

    def execute(self, parcel: Parcel) -> ParcelDiscarded:
        parcel.status = Parcel.Status.DISCARDED
        return ParcelDiscarded()


class RecordCarrierAnswer(flow.Command[Parcel, ParcelState], risk="external_regulated", confirmation="none", origins=["external_callback"]):
    status: Parcel.Status

    def execute(self, parcel: Parcel) -> CarrierAnswered:
        if parcel.status == self.status:
            raise flow.Rejected("parcel.already_so", _("The carrier said what was known."))
        parcel.status = self.status
        return CarrierAnswered(status=self.status.value)


class TidyParcel(flow.Command[Parcel, ParcelState], risk="sensitive_data_change", confirmation="none", origins=["internal_policy"]):
    def execute(self, parcel: Parcel) -> ParcelNoted:
        parcel.note = "tidied"
        return ParcelNoted(note="tidied")


def offer_card(parcel: ParcelState) -> flow.Card:
    """The card of a parcel on offer: sent again if the carrier refuses, so it comes back."""
    return flow.Card(
        "offer",
        "confirm_command",
        _("The carrier offers to take it. Send?"),
        options=[flow.confirm(_("Send"), SendParcel(name=parcel.name)), flow.decline(_("No"))],
        on_failure="restore",
    )


def doubt_card() -> flow.Card:
    """A question that authorises nothing and does not run out."""
    return flow.Card(
        "doubt",
        "boolean",
        _("Is it still yours?"),
        options=[
            flow.apply(_("Yes"), NoteParcel(note="mine"), freeform="note", required=False, max_len=10, id="yes"),
            flow.dismiss(_("Skip")),
        ],
        expires_in=None,
    )


@flow.register
class ParcelWorkflow(flow.Workflow[Parcel, ParcelState]):
    """The workflow of parcels."""

    name, version = "parcel", 1
    operations = [OpenParcel, NameParcel, WeighParcel, NoteParcel, AskToSend, DiscardParcel]
    commands = [SendParcel, RecordCarrierAnswer, TidyParcel]
    events = [ParcelOpened, ParcelNamed, ParcelWeighed, ParcelNoted, ParcelSent, ParcelDiscarded, CarrierAnswered]

    class Phase(flow.Phase):
        PACKING = flow.system(_("Packing"))
        OFFERED = flow.user(_("Waiting for you"))
        SENT = flow.external(_("With the carrier"))
        DONE = flow.terminal(_("Done"))

    def visible_to(self, actor: flow.Actor) -> QuerySet[Parcel]:
        return Parcel.objects.of(actor.account).exclude(hidden_from=actor.user)

    def label(self, parcel: Parcel) -> str:
        return str(parcel)

    def snapshot(self, parcel: Parcel) -> ParcelState:
        return ParcelState.model_validate(parcel, from_attributes=True)

    def project(self, parcel: ParcelState | None) -> flow.View:
        if parcel is None:
            return flow.View(self.Phase.PACKING)
        match parcel.status:
            case Parcel.Status.OFFERED:
                return flow.View(self.Phase.OFFERED, card=offer_card(parcel))
            case Parcel.Status.DOUBTED:
                return flow.View(self.Phase.OFFERED, card=doubt_card())
            case Parcel.Status.SENT:
                return flow.View(self.Phase.SENT)
            case Parcel.Status.ARRIVED | Parcel.Status.DISCARDED:
                return flow.View(self.Phase.DONE, outcome=parcel)
        return flow.View(self.Phase.PACKING, obligations=[] if parcel.name else [NEEDS_NAME])

    def artifacts(self, parcel: Parcel) -> list[flow.Artifact]:
        if parcel.weight is None:
            return []
        return [flow.Artifact("label", _("Label"), "application/pdf", f"/labels/{parcel.pk}/")]


NEEDS_NAME = flow.Obligation("name", _("What is the parcel called?"), by=NameParcel)


class CarrierNews(BaseModel):
    """What the carrier posts."""

    parcel: str
    status: Parcel.Status


@flow.callback("carrier")
def carrier_answered(news: CarrierNews) -> flow.Tell:
    """Take the carrier's answer."""
    return flow.Tell(ParcelWorkflow, news.parcel, RecordCarrierAnswer(status=news.status))


#: What was handed to the carrier, and what it says; a test replaces both.
SENT: list[flow.Outgoing] = []
ANSWER: list[flow.SenderResult] = []


@flow.sender("carrier")
def hand_over(outgoing: flow.Outgoing) -> flow.SenderResult:
    """Hand a parcel to the carrier of the tests."""
    SENT.append(outgoing)
    return ANSWER[0] if ANSWER else flow.Completed(remote_ref=f"carrier-{len(SENT)}")
