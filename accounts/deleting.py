"""Delete an account: everything that hangs on it, at once, and its sessions with it."""

from __future__ import annotations

from allauth.usersessions.models import UserSession
from django.db import transaction

from accounts import mailing, personal
from accounts.models import User


def delete(user: User) -> None:
    """Delete `user` and all that `accounts.personal` says is deleted with them, and tell them by mail.

    What must end elsewhere first (a subscription) is ended first: if that fails nothing is deleted, and CannotDelete
    says so.
    """
    email = user.email
    personal.run_before_deletion(user)
    with transaction.atomic():
        personal.run_in_deletion(user)
        for session in UserSession.objects.filter(user=user):
            # A session may hold a text that was typed while signed out.
            session.end()
        user.delete()
    mailing.message("account/email/deleted", {}, [email]).send()
