"""Make the index say what the content says. Only what differs is written."""

from __future__ import annotations

import hashlib
from typing import Any

from django.db import transaction

from accounts.access import Tier
from search.documents import Document, documents
from search.models import Entry, Word
from search.words import joined, words

_OPENNESS = {tier.value: number for number, tier in enumerate(Tier)}
_LONGEST_WORD = 40


def on_sync(**_: Any) -> None:
    """Follow the curriculum (`courses.signals.synced`)."""
    rebuild()


@transaction.atomic
def rebuild() -> int:
    """Bring entries and words up to date; return how many entries there are."""
    wanted = {document.key: document for document in documents()}
    there = dict(Entry.objects.values_list("key", "digest"))
    fresh = [_entry(document) for document in wanted.values()]
    changed = [entry for entry in fresh if there.get(entry.key) != entry.digest]
    stale = [key for key in there if key not in wanted] + [entry.key for entry in changed if entry.key in there]
    for start in range(0, len(stale), 500):
        Entry.objects.filter(key__in=stale[start : start + 500]).delete()
    Entry.objects.bulk_create(changed, batch_size=200)
    if changed or stale:
        _words(list(wanted.values()))
    return len(wanted)


def _entry(document: Document) -> Entry:
    fields = {
        name: getattr(document, name) for name in ("page", "kind", "opens", "tier", "url", "title", "heading", "text")
    }
    digest = hashlib.sha256(repr(sorted(fields.items())).encode()).hexdigest()[:32]
    return Entry(key=document.key, digest=digest, named=joined(document.title), said=joined(document.text), **fields)


def _words(wanted: list[Document]) -> None:
    """Note the words of titles, summaries and terms, each with the most open tier that it is found in."""
    opens: dict[str, str] = {}
    for document in wanted:
        named = words(document.title)
        if not document.heading:
            named += words(document.text)
        for word in named:
            known = opens.get(word)
            if word.isdigit() or not 4 <= len(word) <= _LONGEST_WORD:
                continue
            if known is None or _OPENNESS[document.opens] < _OPENNESS[known]:
                opens[word] = document.opens
    Word.objects.all().delete()
    Word.objects.bulk_create(
        (Word(word=word, length=len(word), opens=tier) for word, tier in opens.items()), batch_size=500
    )
