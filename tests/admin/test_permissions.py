"""Who may read, and that nobody may do anything else."""

import pytest
from django.contrib import admin
from django.test import Client, RequestFactory
from django.urls import reverse

from tests.admin.reading import KINDS, MODELS, Reader, address, list_address
from turnframe_django.models import DomainEvent, Turn
from turnframe_django.testing import Scenario

pytestmark = pytest.mark.django_db


def pages(kind: str) -> list[str]:
    model = next(model for model in MODELS if model._meta.model_name == kind)
    row = model._default_manager.first()
    assert row is not None
    return [list_address(kind), address(row)]


@pytest.mark.parametrize("kind", KINDS)
def test_who_is_not_signed_in_is_asked_to(told: Scenario, kind: str) -> None:
    for at in pages(kind):
        answer = Client().get(at)
        assert answer.status_code == 302
        assert answer["Location"].startswith("/admin/login/")


@pytest.mark.parametrize("kind", KINDS)
def test_staff_without_the_permission_are_refused(outsider: Reader, told: Scenario, kind: str) -> None:
    for at in pages(kind):
        assert outsider.client.get(at).status_code == 403


@pytest.mark.parametrize("kind", KINDS)
def test_staff_with_the_permission_read(staff: Reader, told: Scenario, kind: str) -> None:
    for at in pages(kind):
        assert staff.client.get(at).status_code == 200


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_adds_changes_or_deletes(superuser: Reader, staff: Reader, told: Scenario, kind: str) -> None:
    model = next(model for model in MODELS if model._meta.model_name == kind)
    before = list(model._default_manager.order_by("pk").values())
    row = model._default_manager.first()
    assert row is not None
    for reader in (superuser, staff):
        attempts = [
            (list_address(kind), {"action": "delete_selected", "_selected_action": str(row.pk)}),
            (address(row), {"account": "other", "_save": "Save"}),
            (reverse(f"admin:turnframe_{kind}_add"), {"account": "acme"}),
            (reverse(f"admin:turnframe_{kind}_delete", args=[row.pk]), {"post": "yes"}),
        ]
        for at, body in attempts:
            assert reader.client.post(at, body).status_code == 403, at
        for at, _ in attempts[2:]:
            assert reader.client.get(at).status_code == 403, at
        assert reader.client.get(reverse(f"admin:turnframe_{kind}_history", args=[row.pk])).status_code == 404
    assert list(model._default_manager.order_by("pk").values()) == before


def test_no_permission_to_write_is_granted_to_anybody(superuser: Reader) -> None:
    request = RequestFactory().get("/")
    for model in MODELS:
        shown = admin.site.get_model_admin(model)
        assert not shown.has_add_permission(request)
        assert not shown.has_change_permission(request)
        assert not shown.has_delete_permission(request)


def test_a_page_keeps_to_what_its_reader_may_view(turn_reader: Reader, told: Scenario) -> None:
    page = turn_reader.page(Turn.objects.get(ordinal=5))
    event = DomainEvent.objects.get(type="parcel.sent")
    assert "You do not have the permission to view these." in page
    assert address(event) not in page
    assert address(event.command) not in page
    assert address(Turn.objects.get(ordinal=4)) in page
    assert turn_reader.client.get(list_address("domainevent")).status_code == 403


@pytest.mark.parametrize("key", ["no-id", "00000000-0000-0000-0000-000000000000", "_00", "x" * 300])
def test_a_page_of_nothing_leads_back(staff: Reader, key: str) -> None:
    answer = staff.client.get(reverse("admin:turnframe_turn_change", args=[key]))
    assert answer.status_code == 302
    assert answer["Location"] == reverse("admin:index")
