"""The demo as a visitor meets it: its interpreter reads, its airline answers at once, and two accounts are signed in."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from demo_project.travel import airline


@pytest.fixture(autouse=True)
def as_the_demo_is_set(settings: Any) -> Iterator[None]:
    settings.TURNFRAME = {"INTERPRETER": "demo_project.offline.OfflineInterpreter"}
    with airline.at_once():
        yield


def signed_in(name: str) -> Client:
    user, _ = get_user_model().objects.get_or_create(username=name)
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def traveller(db: None) -> Client:
    return signed_in("traveller")


@pytest.fixture
def rival(db: None) -> Client:
    return signed_in("rival")
