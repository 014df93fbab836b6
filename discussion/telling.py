"""Tell people by mail that someone replied to them: who, where, and a link; never what was written.

So no mail holds what its reader may not open, what was deleted since, or what a moderator has hidden.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from smtplib import SMTPException

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core import signing
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils import timezone

from accounts import mailing
from accounts.access import Person
from accounts.models import User
from discussion.models import Comment, Preference
from pages import places

log = logging.getLogger(__name__)
SALT = "discussion.stop"
LOST_AFTER, STALE_AFTER = timedelta(minutes=2), timedelta(days=1)


def tell(pk: int) -> bool:
    """Send the mail about a reply, once; return whether there was one to send."""
    if not Comment.objects.filter(pk=pk, untold=True).update(untold=False):
        return False
    related = ("author", "parent__author", "thread__lesson", "thread__question")
    comment = Comment.objects.select_related(*related).filter(pk=pk).first()
    message = _message(comment) if comment else None
    if message is None:
        return False
    try:
        message.send()
    except (OSError, SMTPException):
        Comment.objects.filter(pk=pk).update(untold=True)
        log.warning("The mail about reply %s could not be sent; it is tried again.", pk, exc_info=True)
        return False
    return True


def tell_rest(now: datetime) -> int:
    """Send what was not sent when it was written; what is a day old is not news any more."""
    late = Comment.objects.filter(untold=True, created__lt=now - LOST_AFTER, created__gt=now - STALE_AFTER)
    return sum(tell(pk) for pk in list(late.values_list("pk", flat=True)[:200]))


def _message(comment: Comment) -> EmailMessage | None:
    """Return the mail, or None where nobody is to be told: gone, hidden, not wanted, or closed to them."""
    reader = comment.parent.author if comment.parent else None
    place = places.of_row(comment.thread)
    if reader is None or place is None or not reader.is_active or comment.deleted_at or comment.hidden_at:
        return None
    if Preference.replies_to(reader) != Preference.Replies.MAIL:
        return None
    if not place.decision(Person.of(reader), timezone.now()).is_open:
        return None
    # a stranger's address may have been typed by mistake: nothing is sent to one that was never confirmed
    if not EmailAddress.objects.filter(user=reader, email__iexact=reader.email, verified=True).exists():
        return None
    stop = address(reverse("discussion:stop", args=[token(reader)]))
    context = {
        "who": comment.author.display_name if comment.author and comment.author.display_name else "Someone",
        "thread": comment.thread,
        "place": place,
        "reply_url": address(comment.get_absolute_url()),
        "stop": stop,
    }
    headers = {"List-Unsubscribe": f"<{stop}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
    return mailing.message("discussion/email/reply", context, [reader.email], headers=headers)


def address(path: str) -> str:
    """Return the whole address of a page of this site."""
    return settings.SITE_URL.rstrip("/") + path


def token(user: User) -> str:
    """Return what lets the reader of a mail stop these mails without signing in; it lets them do nothing else."""
    return signing.dumps(user.pk, salt=SALT)


def of_token(text: str) -> User | None:
    """Return whose token it is."""
    try:
        return User.objects.filter(pk=signing.loads(text, salt=SALT)).first()
    except signing.BadSignature:
        return None
