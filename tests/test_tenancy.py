"""The default answer to who acts."""

import pytest
from django.contrib.auth.models import AnonymousUser, User

from turnframe_django import conf
from turnframe_django.context import Actor
from turnframe_django.tenancy import account_is_user


def test_a_user_is_an_account_of_their_own_and_has_no_roles() -> None:
    assert account_is_user(User(pk=7, username="traveller")) == Actor(account="7", user="7", roles=frozenset())


def test_two_users_share_no_account() -> None:
    assert account_is_user(User(pk=7)).account != account_is_user(User(pk=8)).account


@pytest.mark.parametrize("user", [User(username="not stored"), AnonymousUser()])
def test_nobody_acts_who_is_not_stored(user: User) -> None:
    with pytest.raises(ValueError, match="stored"):
        account_is_user(user)


def test_it_is_what_the_setting_names_by_default() -> None:
    assert conf.load(conf.settings.ACTOR_RESOLVER) is account_is_user
