"""What accounts keep of a person."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from allauth.account.models import EmailAddress, EmailConfirmation
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialToken
from allauth.usersessions.models import UserSession
from django.contrib.admin.models import LogEntry

from accounts import personal
from accounts.models import Grant, User


@personal.part("account", "Your account: address, name, time zone", User)
def account(user: User) -> Iterable[dict[str, Any]]:
    names = ("email", "display_name", "timezone", "is_staff", "is_active", "date_joined", "last_login")
    yield {name: getattr(user, name) for name in names} | {"groups": list(user.groups.values_list("name", flat=True))}


personal.rows(EmailAddress, "account/addresses", "Email addresses, and which are confirmed")
personal.rows(Grant, "account/grants", "Premium that was given to you")
personal.rows(
    UserSession, "account/sessions", "Where you are signed in", leave_out=["session_key"], on_deletion="ended, deleted"
)
# The secrets in them would let whoever finds the archive sign in.
personal.rows(Authenticator, "account/second-factors", "Second factors, without their secrets", leave_out=["data"])
personal.rows(SocialAccount, "account/other-sites", "Accounts at other sites that sign you in")
personal.not_exported(EmailConfirmation, "keys that confirm an address; useless once used")
personal.not_exported(SocialToken, "not stored: we ask the other site for nothing after signing in")
personal.not_exported(LogEntry, "what staff changed on the staff pages: the site's record, not theirs")
