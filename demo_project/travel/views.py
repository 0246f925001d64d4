"""The page at the root: a conversation, a message box, cards that are answered by plain forms, and the itinerary to download.

Every answer to a form is a redirect, so a reload sends nothing again, and each form carries the key of its turn, so a double submit is one
turn. A refusal is shown in words beside what the user had written.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import LoginView
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.formats import localize
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from demo_project.travel import desk, page
from demo_project.travel.models import Trip
from demo_project.travel.seeds import LOGINS
from turnframe_django.context import Actor
from turnframe_django.exceptions import Problem
from turnframe_django.models import Conversation
from turnframe_django.runtime import open_conversation

SUGGESTIONS = ("Start a trip to Athens", "Start a trip")


class DeskLoginView(LoginView):
    """The login page; on a developer's machine it names the logins of the demo."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add the logins."""
        return super().get_context_data(logins=LOGINS if settings.DEBUG else (), **kwargs)


def actor_of(request: HttpRequest) -> Actor:
    """Return who acts; the view has made sure that somebody is signed in."""
    assert request.user.is_authenticated
    return desk.actor_of(request.user)


@login_required
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """Lead to the newest conversation, or to a first one."""
    newest = Conversation.objects.for_actor(actor_of(request)).latest_first().first()
    if newest is not None:
        return redirect("travel:conversation", newest.pk)
    return render(request, "travel/welcome.html", {"conversations": []})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest) -> HttpResponse:
    """Open a conversation."""
    if request.method != "POST":  # a browser comes back here after signing in again
        return redirect("travel:home")
    return redirect("travel:conversation", open_conversation(actor_of(request)).pk)


@login_required
@require_GET
def conversation(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    """Show a conversation, newest turns unless ``before`` names an ordinal."""
    before = request.GET.get("before", "")
    return _page(request, conversation_id, before=int(before) if before.isascii() and before.isdigit() and len(before) < 10 else None)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def say(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    """Take a message."""
    if request.method != "POST":
        return redirect("travel:conversation", conversation_id)
    text = request.POST.get("text", "").replace("\r\n", "\n")
    return _turn(request, conversation_id, {"text": text}, text)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def answer(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    """Take the answer to a card: which card, which option, the revision that was shown, and words where the option takes them."""
    if request.method != "POST":
        return redirect("travel:conversation", conversation_id)
    revision = request.POST.get("expected_case_revision", "")
    response: dict[str, Any] = {
        "interaction_id": request.POST.get("interaction_id", ""),
        "option_id": request.POST.get("option_id", ""),
        "expected_case_revision": int(revision) if revision.isascii() and revision.isdigit() and len(revision) < 16 else revision,
    }
    words = request.POST.get("freeform_input", "").strip()
    if words:
        response["freeform_input"] = words
    refused = page.RefusedAnswer(response["interaction_id"], response["option_id"], words)
    return _turn(request, conversation_id, {"interaction_response": response}, refused=refused)


@login_required
@require_GET
def itinerary(request: HttpRequest, trip_id: UUID) -> HttpResponse:
    """Send the itinerary of a ticketed trip to its own account; to anybody else there is none."""
    trip = get_object_or_404(Trip.objects.of(actor_of(request).account).prefetch_related("extras"), pk=trip_id, status=Trip.Status.TICKETED)
    quote = trip.quote or {}
    lines = [
        trip.name,
        _("Flight: {flight}").format(flight=quote.get("flight", "—")),
        _("Price: {price}").format(price=quote.get("price", "—")),
        _("Date: {date}").format(date=localize(trip.date) if trip.date else _("open")),
        *(_("Extra: {name} ({payer})").format(name=extra.name, payer=extra.payer or _("not paid yet")) for extra in trip.extras.all()),
    ]
    return HttpResponse(
        "\n".join(lines) + "\n",
        content_type="text/plain; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="itinerary-{slugify(trip.name) or "trip"}.txt"'},
    )


def _turn(
    request: HttpRequest, conversation_id: UUID, body: dict[str, Any], text: str = "", refused: page.RefusedAnswer | None = None
) -> HttpResponse:
    try:
        given = desk.take(actor_of(request), conversation_id, {"client_turn_id": request.POST.get("client_turn_id") or None, **body})
    except Problem as problem:
        status = desk.status_of(problem)
        if status == 404:
            raise Http404 from None
        return _page(request, conversation_id, problem=problem, text=text, refused=refused, status=status)
    return redirect(f"{reverse('travel:conversation', args=[conversation_id])}#turn-{given.turn_id}")


def _page(
    request: HttpRequest,
    conversation_id: UUID,
    *,
    before: int | None = None,
    problem: Problem | None = None,
    text: str = "",
    refused: page.RefusedAnswer | None = None,
    status: int = 200,
) -> HttpResponse:
    actor = actor_of(request)
    found = get_object_or_404(Conversation.objects.for_actor(actor), pk=conversation_id)
    talk = page.read(actor, found, before)
    context = {
        "conversation": found,
        "conversations": page.conversations(actor),
        "talk": talk,
        "problem": desk.sentence_of(problem.code, problem.detail) if problem else "",
        "problem_code": problem.code if problem else "",
        "text": text,
        "refused": refused,
        "refused_block": talk.block_of(refused.card) if refused else None,
        "client_turn_id": uuid4(),
        "suggestions": SUGGESTIONS,
        "answer_url": reverse("travel:answer", args=[found.pk]),
    }
    return render(request, "travel/conversation.html", context, status=status)
