"""Start threads, answer, edit and delete. Each is one transaction that holds the thread, and counts for the limits."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F

from discussion import limits, markup, tasks
from discussion.limits import Refused
from discussion.models import Comment, Thread
from pages.places import Place

LONGEST = 8_000
LONGEST_TITLE = 120
MOST_COMMENTS = 300
"""A thread that long is not read any more."""

GONE = "This comment was deleted in the meantime. Your text is still in the field: you can start a thread with it."


@transaction.atomic
def start(user: Any, place: Place, title: str, text: str, spoiler: bool, now: datetime) -> Thread:
    """Start a thread on a page. Sent twice it is one thread. Raises Refused."""
    title = " ".join(markup.tidy(title).split())
    if not title:
        raise Refused("Give it a title: one line that says what it is about.")
    if len(title) > LONGEST_TITLE:
        raise Refused(f"The title is {len(title)} characters long, and at most {LONGEST_TITLE} fit: shorten it.")
    text = _checked(text)
    twin = Thread.objects.filter(author=user, title=title, comments__text=text, **place.row).first()
    if twin is not None:
        return twin
    html = _rendered(text, limits.record(user, "write", now))
    thread = Thread.objects.create(author=user, title=title, spoiler=spoiler, **place.row)
    Comment.objects.create(thread=thread, author=user, text=text, html=html)
    return thread


@transaction.atomic
def reply(user: Any, parent: Comment, text: str, spoiler: bool, now: datetime) -> Comment:
    """Answer a comment. Sent twice it is one answer. Raises Refused."""
    text = _checked(text)
    thread = _held(parent.thread_id)
    fresh = Comment.objects.filter(pk=parent.pk, deleted_at=None, hidden_at=None).first()
    if thread is None or fresh is None:
        raise Refused(GONE)
    twin = fresh.replies.filter(author=user, text=text).first()
    if twin is not None:
        return twin
    if thread.comments.count() >= MOST_COMMENTS:
        raise Refused("This thread is full. Start another one, and link to this one from it.")
    html = _rendered(text, limits.record(user, "write", now))
    made = Comment.objects.create(
        thread=thread,
        parent=fresh,
        author=user,
        text=text,
        html=html,
        spoiler=spoiler,
        untold=fresh.author_id is not None and fresh.author_id != user.pk,
    )
    Thread.objects.filter(pk=thread.pk).update(last_at=now)
    if made.untold:
        transaction.on_commit(lambda: tasks.send_hint(made.pk))
    return made


@transaction.atomic
def edit(user: Any, comment: Comment, text: str, spoiler: bool, revision: int, now: datetime) -> Comment:
    """Change one's own comment; others see that and when it was. Raises Refused."""
    text = _checked(text)
    if (comment.text, comment.thread.spoiler if comment.is_first else comment.spoiler) == (text, spoiler):
        return comment
    html = _rendered(text, limits.record(user, "edit", now))
    fields = {"text": text, "html": html, "edited_at": now, "revision": F("revision") + 1}
    mine = Comment.objects.filter(pk=comment.pk, author=user, deleted_at=None, revision=revision)
    if not mine.update(**fields, **({} if comment.is_first else {"spoiler": spoiler})):
        raise Refused(
            "It was changed from another tab or device since you opened it. Your text is still in the field: compare "
            "it with what stands in the thread now, then open the comment once more to edit it."
        )
    if comment.is_first:
        Thread.objects.filter(pk=comment.thread_id).update(spoiler=spoiler)
    comment.refresh_from_db()
    return comment


@transaction.atomic
def delete(comment: Comment, now: datetime) -> None:
    """Take a comment's words away: all of it where nothing answers it, else a stub stays that says it was deleted.

    A stub goes when its last answer goes, and a thread with its first comment.
    """
    thread = _held(comment.thread_id)
    here: Comment | None = Comment.objects.filter(pk=comment.pk).first()
    if thread is None or here is None:
        return
    if here.replies.exists():
        words_away = {"text": "", "html": "", "author": None, "deleted_at": now, "edited_at": None, "untold": False}
        Comment.objects.filter(pk=here.pk).update(**words_away)
        if here.is_first:
            Thread.objects.filter(pk=thread.pk).update(title="", author=None)
        return
    while here is not None:
        parent = here.parent
        if parent is None:
            thread.delete()
            return
        here.delete()
        here = parent if parent.deleted_at and not parent.replies.exists() else None


def _held(thread_id: int) -> Thread | None:
    """Lock a thread until the transaction ends: nobody answers what is being deleted."""
    return Thread.objects.select_for_update(no_key=True).filter(pk=thread_id).first()


def _checked(text: str) -> str:
    text = markup.tidy(text)
    if not text:
        raise Refused("There is nothing in it yet.")
    if len(text) > LONGEST:
        raise Refused(f"This is {len(text):,} characters long and at most {LONGEST:,} fit: shorten it.")
    return text


def _rendered(text: str, limit: limits.Limit) -> str:
    html = markup.to_html(text)
    links = markup.links_elsewhere(html)
    if links > limit.links:
        at_most = "one link" if limit.links == 1 else f"{limit.links} links"
        new = " while you are new here" if limit.links == 1 else ""
        raise Refused(f"It holds {links} links, and {at_most} in a comment is the most{new}: leave some out.")
    return html
