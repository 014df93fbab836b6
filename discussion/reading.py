"""What of a discussion is shown to a reader, in order. What is not theirs is not in what these return."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q

from discussion.gate import Reader
from discussion.models import Comment, Thread
from pages.places import Place

DEEPEST = 4
"""Answers to answers are set in further only so far."""

NOBODY = "A learner"


@dataclass(frozen=True)
class Shown:
    """A comment as a reader sees it. `html` is empty unless `state` is "whole"."""

    pk: int
    depth: int
    state: str
    """whole, deleted, hidden or folded (about solutions, and the reader has not passed)."""
    html: str = ""
    who: str = ""
    staff: bool = False
    mine: bool = False
    created: Any = None
    edited_at: Any = None
    spoiler: bool = False
    hidden_why: str | None = None
    """Why a moderator hid it: for its author and for staff."""
    is_first: bool = False


@dataclass(frozen=True)
class Listed:
    """The threads of a page that a reader sees, the latest first, and how many there are about solutions beside."""

    threads: list[Thread]
    more: bool
    folded: int


def name_of(author: Any) -> str:
    """Return how someone is called among others: never their address."""
    return (author.display_name if author else "") or NOBODY


def threads(place: Place, reader: Reader, limit: int, start: int = 0) -> Listed:
    """Return the threads of a page: two queries, one where there are none; one more for who has not passed its lab."""
    everything = Thread.objects.filter(**place.row)
    if not reader.staff:
        mine = Q(author=reader.pk) if reader.pk is not None else Q(pk=None)
        hidden = Comment.objects.filter(thread=OuterRef("pk"), parent=None, hidden_at__isnull=False)
        everything = everything.filter(~Exists(hidden) | mine)
        if not reader.passed:
            everything = everything.filter(Q(spoiler=False) | mine)
    found = list(everything.select_related("author").order_by("-last_at", "-pk")[start : start + limit + 1])
    shown = _with_counts(found[:limit])
    folded = 0
    if not reader.passed:
        folded = Thread.objects.filter(**place.row, spoiler=True).exclude(author=reader.pk).count()
    return Listed(shown, len(found) > limit, folded)


def _with_counts(found: list[Thread]) -> list[Thread]:
    """Note at each thread how many replies stand: those of the few that are shown are counted, not of all."""
    if found:
        standing = Comment.objects.filter(thread__in=found, parent__isnull=False, deleted_at=None, hidden_at=None)
        counts = dict(standing.order_by().values_list("thread").annotate(Count("pk")))
        for thread in found:
            thread.replies = counts.get(thread.pk, 0)  # type: ignore[attr-defined]
    return found


def comments(thread: Thread, reader: Reader) -> list[Shown] | None:
    """Return a thread's comments as a tree written out, each followed by its answers; None where it is not theirs."""
    rows = list(thread.comments.select_related("author").order_by("pk"))
    first = next((row for row in rows if row.is_first), None)
    if first is None or not reader.sees_thread(thread, first):
        return None
    answers: dict[int | None, list[Comment]] = defaultdict(list)
    for row in rows:
        answers[row.parent_id].append(row)
    shown: list[Shown] = []
    waiting = [(first, 0)]
    while waiting:
        comment, depth = waiting.pop()
        below = answers[comment.pk]
        made = one(thread, comment, depth, reader)
        # a hidden comment leaves a trace only where something hangs on it
        if made.state != "hidden" or below:
            shown.append(made)
        waiting += [(each, depth + 1) for each in reversed(below)]
    return shown


def one(thread: Thread, comment: Comment, depth: int, reader: Reader) -> Shown:
    """Return a comment as `reader` sees it."""
    at = min(depth, DEEPEST)
    if comment.deleted_at is not None:
        return Shown(comment.pk, at, "deleted", is_first=comment.is_first)
    if not reader.sees_words(thread, comment):
        state = "hidden" if comment.hidden_at is not None else "folded"
        return Shown(comment.pk, at, state, is_first=comment.is_first)
    return Shown(
        pk=comment.pk,
        depth=at,
        state="whole",
        html=comment.html,
        who=name_of(comment.author),
        staff=bool(comment.author and comment.author.is_staff),
        mine=reader.pk is not None and comment.author_id == reader.pk,
        created=comment.created,
        edited_at=comment.edited_at,
        spoiler=comment.spoiler,
        hidden_why=comment.hidden_why if comment.hidden_at is not None else None,
        is_first=comment.is_first,
    )
