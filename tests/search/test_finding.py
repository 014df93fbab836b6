"""What is found, for whom, and in which order; on SQLite and on PostgreSQL."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from courses.models import Lesson, Section
from search import engines
from search.finding import Found, find
from search.indexing import rebuild
from search.models import Entry, Word
from tests.search.conftest import NOW, PEOPLE

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("index")]

# Said here a second time on purpose, not asked of accounts.access.
MAY = {
    "open": set(PEOPLE),
    "free": {"free", "lapsed", "premium", "staff"},
    "premium": {"premium", "staff"},
}
FOUND_BY = {
    **{f"{tier}locked": MAY[tier] for tier in MAY},
    **{f"{tier}term": MAY[tier] for tier in MAY},
    **{f"{tier}definition": MAY[tier] for tier in MAY},
    **{f"{tier}worked": MAY[tier] for tier in MAY},
    **{f"{tier}statement": MAY[tier] for tier in MAY},
    **{f"{tier}preview": MAY["open"] for tier in MAY},
    **{f"{tier}summary": MAY["open"] for tier in MAY},
    **{f"{tier}labsummary": MAY["open"] for tier in MAY},
    "openshort": MAY["open"],
    "freeshort": MAY["open"],
    "premiumshort": MAY["free"],
    "openjudge": set(),
    "premiumjudge": set(),
}


def search(text: str, who: str = "visitor") -> Found:
    return find(text, PEOPLE[who], NOW)


def urls(found: Found) -> list[str]:
    return [result.url for result in found.results]


@pytest.mark.parametrize("who", PEOPLE)
@pytest.mark.parametrize("word", FOUND_BY)
def test_a_word_is_found_by_those_who_may_read_it_and_is_nothing_to_the_others(word: str, who: str) -> None:
    found = search(word, who)
    if who in FOUND_BY[word]:
        assert found.results and not found.instead and not found.some
        said = "".join(str(passage.snippet) for result in found.results for passage in result.passages)
        # the summary of a locked page is on the page itself for all to read, and finds it by its title alone
        assert word in said + str(found.results[0].title) or (word.endswith("summary") and not found.results[0].open)
    else:
        assert found.results == [] and found.instead == []


@pytest.mark.parametrize("who", ["visitor", "free", "lapsed"])
def test_a_locked_word_beside_an_open_one_finds_only_what_the_open_one_finds(who: str) -> None:
    """The page would be found by its title; that the other word is in its locked text must not show."""
    together = search("checkpointing premiumlocked", who)
    nowhere = search("checkpointing zzqxlocked", who)
    assert urls(together) == urls(nowhere)
    assert [len(result.passages) for result in together.results] == [len(result.passages) for result in nowhere.results]


@pytest.mark.parametrize("who", ["visitor", "free", "lapsed"])
def test_a_slip_of_a_locked_term_is_not_corrected_to_it(who: str) -> None:
    assert search("premiumtrem", who).instead == []
    assert search("premiumtrem", "premium").instead == [("premiumtrem", "premiumterm")]


def test_a_locked_page_is_found_by_its_title_with_its_tier_and_without_its_text() -> None:
    found = search("checkpointing premiumsummary", "free").results[0]
    assert (found.open, found.tier, found.url) == (False, "premium", "/lessons/premium-lesson/")
    assert found.passages == []
    opened = next(result for result in search("checkpointing premiumlocked", "premium").results)
    assert opened.open and "<mark>premiumlocked</mark>" in opened.passages[0].snippet
    assert opened.passages[0].url == "/lessons/premium-lesson/#the-concept"


def test_the_index_alone_would_leak_if_it_did_not_ask_for_the_tier() -> None:
    """The filter is what keeps it: with every tier asked for, the same words are found."""
    engine = engines.of(connection)
    assert engine.match(connection, ["premiumlocked"], ["open", "free"], True, 10) == []
    assert len(engine.match(connection, ["premiumlocked"], ["premium"], True, 10)) == 1


@pytest.mark.parametrize(
    "typed",
    [
        "checkpointing", "Checkpointing", "CHECKPOINT", "checkpoints", "checkp", "  checkpointing,  ",
        "chéckpointing", "ｃｈｅｃｋｐｏｉｎｔｉｎｇ", "the checkpointing of", "chekpointing", "checkpiontnig",
    ],
)  # fmt: skip
def test_what_people_type_finds_the_page(typed: str) -> None:
    assert "/lessons/open-lesson/" in urls(search(typed))


@pytest.mark.parametrize(
    "typed",
    ["", " ", "'", '"', "%", "*", "a' OR 1=1 --", 'AND OR NOT NEAR("x")', "named:x", "'x':*", "\\", "(",
     "∂", "🙂", "x" * 5000, " ".join(f"w{n}" for n in range(500)), "NULL", "-", "^open", "ｘ", "ﬀ", "İ", "ß"],
)  # fmt: skip
def test_nothing_that_is_typed_is_more_than_words(typed: str) -> None:
    words = " ".join(re.findall(r"\w+", typed))
    assert urls(search(typed, "premium")) == urls(search(words, "premium"))
    assert words or not urls(search(typed, "premium"))


@pytest.mark.parametrize("word", ["fp8", "1e5", "10gb", "h100", "2x4", "naïve", "µs", "日本語", "0x1f", "5"])
def test_words_with_digits_and_of_other_scripts_are_found_whole(word: str) -> None:
    Section.objects.filter(lesson__slug="open-lesson", slug="the-concept").update(text=f"About {word}, at last.")
    rebuild()
    assert urls(search(word))[0] == "/lessons/open-lesson/"


def test_the_page_that_is_named_so_comes_first() -> None:
    page = Lesson.objects.get(slug="open-lesson")
    Lesson.objects.filter(slug="free-lesson").update(title="The allocator", preview_sections=9)
    Section.objects.filter(lesson=page, slug="the-concept").update(text="allocator " * 50)
    rebuild()
    assert urls(search("allocator", "free"))[0] == "/lessons/free-lesson/"


def test_some_of_the_words_where_no_page_has_all() -> None:
    found = search("openpreview zzzzzz")
    assert found.some and urls(found)[0] == "/lessons/open-lesson/"


def test_all_words_are_common_ones() -> None:
    Section.objects.filter(lesson__slug="open-lesson", slug="the-concept").update(text="How to do it.")
    rebuild()
    assert "/lessons/open-lesson/" in urls(search("how to do it"))


def test_retired_pages_are_not_found_and_changed_ones_are_found_anew() -> None:
    Lesson.objects.filter(slug="open-lesson").update(retired=True)
    rebuild()
    assert "/lessons/open-lesson/" not in urls(search("checkpointing"))
    Lesson.objects.filter(slug="open-lesson").update(retired=False, title="Renamed entirely")
    rebuild()
    assert urls(search("entirely")) == ["/lessons/open-lesson/"]
    assert urls(search("openpreview")) == ["/lessons/open-lesson/"]


def test_a_text_that_becomes_locked_is_found_no_more() -> None:
    Lesson.objects.filter(slug="open-lesson").update(tier="premium")
    rebuild()
    assert urls(search("openlocked")) == []
    assert not Word.objects.filter(word="openterm", opens="open").exists()


def test_an_index_that_is_up_to_date_is_not_written() -> None:
    with CaptureQueriesContext(connection) as captured:
        rebuild()
    written = [query["sql"] for query in captured if query["sql"].startswith(("INSERT", "DELETE", "UPDATE"))]
    assert written == []


def test_a_question_asked_of_a_large_index_uses_it() -> None:
    Entry.objects.bulk_create(
        Entry(
            key=f"filler:{number}", page=f"filler:{number}", kind="lesson", opens="open", tier="open", url="/",
            title=f"Filler {number}", named=f"filler {number}", said=f"word{number} " * 3, digest="",
        )
        for number in range(3000)
    )  # fmt: skip
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")
            cursor.execute("EXPLAIN SELECT id FROM search_entry WHERE words @@ CAST('''word17'':*' AS tsquery)")
            assert any("search_entry_words" in row[0] for row in cursor.fetchall())
        else:
            cursor.execute(
                "EXPLAIN QUERY PLAN SELECT rowid FROM search_entry_words WHERE search_entry_words MATCH '\"word17\"*'"
            )
            assert any("VIRTUAL TABLE INDEX" in row[3] for row in cursor.fetchall())
    assert engines.of(connection).match(connection, ["word2999"], ["open"], True, 5)
