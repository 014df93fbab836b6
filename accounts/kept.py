"""What accounts keep of a person."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from allauth.account.models import EmailAddress, EmailConfirmation
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialToken
from allauth.usersessions.models import UserSession
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session

from accounts import audit, personal, retention
from accounts.models import AuditEntry, Grant, User


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


@personal.part(
    "account/audit",
    "What our staff did with your account and your data",
    AuditEntry,
    on_deletion=f"kept for {audit.KEPT.days} days after each, with your account's number and nothing else of you",
)
def done_by_staff(user: User) -> Iterable[dict[str, Any]]:
    found = AuditEntry.objects.filter(about=user.pk).order_by("pk")
    return ({"at": each.at, "action": each.action, "what": each.what} for each in found)


@retention.rule("account/audit", "What our staff did with accounts and data", audit.KEPT)
def forget_entries(before: datetime) -> int:
    return AuditEntry.objects.all().forget(before)


@retention.rule("account/changes", "What our staff changed on their pages, as the pages note it", audit.KEPT)
def forget_changes(before: datetime) -> int:
    return retention.in_batches(LogEntry.objects.filter(action_time__lt=before))


@retention.rule(
    "account/sessions",
    "Where you are signed in: address on the network, browser, what you typed while signed out",
    timedelta(0),
    since="you sign out, or when you have not come for 30 days",
)
def forget_sessions(before: datetime) -> int:
    ended = retention.in_batches(Session.objects.filter(expire_date__lt=before))
    known = Session.objects.values("session_key")
    retention.in_batches(UserSession.objects.exclude(session_key__in=known))
    return ended


@retention.rule(
    "account/never-used",
    "Accounts that nobody ever signed in to, with an address that nobody confirmed",
    timedelta(days=30),
)
def forget_never_used(before: datetime) -> int:
    never = User.objects.filter(date_joined__lt=before, last_login=None, is_staff=False)
    never = never.filter(emailaddress__isnull=False).exclude(emailaddress__verified=True)
    return retention.in_batches(never.distinct())


@personal.in_deletion
def take_names_away(user: User) -> None:
    """Leave no address in what Django notes of changes on the staff pages."""
    LogEntry.objects.filter(object_repr__icontains=user.email).update(object_repr="of a deleted account")
    people = ContentType.objects.get_for_model(User)
    LogEntry.objects.filter(content_type=people, object_id=str(user.pk)).update(object_repr="a deleted account")


personal.not_exported(EmailConfirmation, "keys that confirm an address; useless once used")
personal.not_exported(SocialToken, "not stored: we ask the other site for nothing after signing in")
personal.not_exported(LogEntry, "what staff changed on the staff pages: the site's record, not theirs")
