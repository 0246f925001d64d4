"""Who a signed-in user is: the default answer of ``TURNFRAME["ACTOR_RESOLVER"]``.

A host with accounts of its own names a function of the same shape: it takes the authenticated user and returns their ``Actor``. Whatever it
says bounds every row that the user can reach.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnframe_django.context import Actor

if TYPE_CHECKING:
    from django.contrib.auth.base_user import AbstractBaseUser


def account_is_user(user: AbstractBaseUser) -> Actor:
    """Return the actor of a host without shared accounts: each user is an account of their own and has no roles.

    Raises ``ValueError`` for a user that is not stored, since such a one has no account.
    """
    if user.pk is None:
        raise ValueError("Only a stored user can act.")
    return Actor(account=str(user.pk), user=str(user.pk))
