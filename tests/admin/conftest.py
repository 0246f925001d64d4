"""What the admin's tests stand on: a conversation in which nearly everything happened, and readers with and without permission."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client

from tests.admin.reading import Reader
from tests.desk import workflows as desk
from tests.desk.models import Parcel
from tests.desk.workflows import AskToSend, NameParcel, ParcelWorkflow, WeighParcel
from turnframe_django import runtime
from turnframe_django.flow import Proposal
from turnframe_django.testing import Scenario, ScenarioFactory
from turnframe_django.testing.plugin import scenario

__all__ = ["scenario"]

NASTY = "<script>alert('x')</script>&\"{{ x }}"


@pytest.fixture(autouse=True)
def carrier() -> Iterator[None]:
    """The desk's carrier accepts everything, and forgets it."""
    desk.SENT.clear()
    desk.ANSWER.clear()
    yield
    desk.SENT.clear()
    desk.ANSWER.clear()


@pytest.fixture
def told(scenario: ScenarioFactory) -> Scenario:
    """A conversation with receipts, a declined card, an answered card, an outbox entry, a refused command, and an open card at its end."""
    s = scenario(ParcelWorkflow, Parcel(account="acme", name="Books", revision=3))
    s.user("it weighs 3, send it", proposes=[WeighParcel(weight=3), AskToSend()])
    s.click(s.expect_card("confirm_command"), "decline", freeform="too late")
    s.user("call it forbidden", proposes=[NameParcel(name="forbidden")])
    s.user("call it Novels, send it", proposes=[NameParcel(name="Novels"), AskToSend()])
    s.click(s.expect_card("confirm_command"), "confirm")
    s.expect_receipt("parcel.sent")
    assert runtime.deliver_outbox() == 1
    return s


@pytest.fixture
def asking(scenario: ScenarioFactory) -> Scenario:
    """A conversation that waits for a click."""
    s = scenario(ParcelWorkflow, Parcel(account="acme", name="Books", revision=3))
    s.user("send it", proposes=[AskToSend()])
    s.expect_card("confirm_command")
    return s


@pytest.fixture
def nasty(scenario: ScenarioFactory) -> Scenario:
    """A conversation in which every word is markup."""
    s = scenario(ParcelWorkflow, Parcel(account="acme", name=NASTY, revision=3))
    s.user(f"call it {NASTY}!, send it", proposes=[NameParcel(name=f"{NASTY}!"), AskToSend()])
    s.click(s.expect_card("confirm_command"), "decline", freeform=NASTY[:20])
    s.user(NASTY, proposes=Proposal(acts=[]))
    return s


@pytest.fixture
def staff(db: None) -> Reader:
    """Somebody on the staff who may view every fact."""
    user = get_user_model().objects.create_user("clerk", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(content_type__app_label="turnframe", codename__startswith="view_"))
    return _signed_in(user)


@pytest.fixture
def outsider(db: None) -> Reader:
    """Somebody on the staff without a permission."""
    return _signed_in(get_user_model().objects.create_user("guest", is_staff=True))


@pytest.fixture
def superuser(db: None) -> Reader:
    """Somebody who may do everything that can be done."""
    return _signed_in(get_user_model().objects.create_superuser("root"))


@pytest.fixture
def turn_reader(db: None) -> Reader:
    """Somebody on the staff who may view turns and nothing else."""
    user = get_user_model().objects.create_user("reader", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename="view_turn"))
    return _signed_in(user)


def _signed_in(user: object) -> Reader:
    client = Client()
    client.force_login(user)  # type: ignore[arg-type]
    return Reader(client)
