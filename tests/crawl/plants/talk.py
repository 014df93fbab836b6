"""Discussions and notes under pages of every tier."""

from __future__ import annotations

from django.utils import timezone

from accounts.models import User
from discussion.models import Comment, Thread
from notes.models import Note
from pages import places
from pages.places import Place
from tests.crawl.book import FREE, LAPSED, MAY_OPEN, Book


def plant(book: Book) -> None:
    for tier in ("open", "free", "premium"):
        for kind, slug in (
            ("lesson", f"{tier}-lesson"),
            ("question", f"{tier}-question-{tier}"),
            ("lab", f"{tier}-lab"),
        ):
            _talk(book, places.find(kind, slug), tier)
    for owner in (FREE, LAPSED):
        text = book.plant(f"note of the {owner} member on a premium lesson", [owner], may=())
        _note(book.people[owner], places.find("lesson", "premium-lesson"), text)
    for kind in ("lesson", "question"):
        slug = "open-lesson" if kind == "lesson" else "open-question-open"
        _note(book.stranger, places.find(kind, slug), book.plant(f"a stranger's note on a {kind}", may=()))


def _talk(book: Book, place: Place, tier: str) -> None:
    name, readers = f"discussion of the {tier} {place.kind}", MAY_OPEN[tier]
    thread = Thread.objects.create(title=book.plant(f"{name}, title", readers), author=book.stranger, **place.row)
    first = _comment(thread, None, book.stranger, book.plant(f"{name}, comment", readers))
    _comment(thread, first, book.stranger, book.plant(f"{name}, reply", readers))
    if tier == "open":
        hidden = book.plant(f"{name}, hidden by a moderator")
        _comment(thread, first, book.stranger, hidden, hidden_at=timezone.now(), hidden_why="Hidden.")
        gone = Thread.objects.create(
            title=book.plant(f"{name}, title of a hidden thread"), author=book.stranger, **place.row
        )
        _comment(gone, None, book.stranger, book.plant(f"{name}, hidden thread"), hidden_at=timezone.now())
    if place.kind == "lab" and tier != "premium":
        _comment(thread, first, book.stranger, book.plant(f"{name}, reply about solutions"), spoiler=True)
        title = book.plant(f"{name}, title about solutions")
        solved = Thread.objects.create(title=title, author=book.stranger, spoiler=True, **place.row)
        _comment(solved, None, book.stranger, book.plant(f"{name}, thread about solutions"))


def _comment(thread: Thread, parent: Comment | None, author: User, text: str, **fields: object) -> Comment:
    return Comment.objects.create(
        thread=thread, parent=parent, author=author, text=text, html=f"<p>{text}</p>", **fields
    )


def _note(user: User, place: Place, text: str) -> None:
    Note.objects.create(user=user, text=text, revision=1, written_at=timezone.now(), **place.row)
