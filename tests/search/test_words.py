"""Words, slips and snippets, without a database."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.snippets import LENGTH, marked, says, snippet
from search.words import distance, fold, nearest, query, stem, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("KV cache", ["kv", "cache"]),
        ("saved_tensors_hooks()", ["saved", "tensors", "hooks"]),
        ("all-to-all", ["all", "to", "all"]),
        ("Größe", ["grosse"]),
        ("x² – 1,5 GB", ["x2", "1", "5", "gb"]),
        ("", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("the cache", ["cache"]), ("all to all", ["all"]), ("how to", ["how", "to"]), ("a a a", ["a"]), ("!", [])],
)
def test_query(text: str, expected: list[str]) -> None:
    assert query(text) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [("checkpointing", "checkpoint"), ("batches", "batch"), ("bytes", "byte"), ("less", "less"), ("string", "string"),
     ("gradients", "gradient"), ("used", "used"), ("kv", "kv")],
)  # fmt: skip
def test_stem_is_a_beginning_of_the_word(word: str, expected: str) -> None:
    assert stem(word) == expected and word.startswith(stem(word))


@pytest.mark.parametrize(
    ("one", "other", "slips"),
    [("cache", "cache", 0), ("cahce", "cache", 1), ("cach", "cache", 1), ("cachee", "cache", 1), ("kache", "cache", 1),
     ("ca", "abc", 3), ("kitten", "sitting", 3), ("", "abc", 3), ("allocator", "alocatro", 2)],
)  # fmt: skip
def test_distance(one: str, other: str, slips: int) -> None:
    assert distance(one, other, 5) == slips == distance(other, one, 5)
    assert distance(one, other, slips - 1) == slips or slips == 0


def test_nearest_takes_the_fewest_slips_and_leaves_short_words_alone() -> None:
    known = ["allocator", "allocated", "activation"]
    assert nearest("alocator", known) == "allocator"
    assert nearest("activaton", known) == "activation"
    assert nearest("kvv", ["kv", "kvs"]) is None
    assert nearest("unrelated", known) is None


EVIL = '<script>alert("x")</script> & <b>memory</b> \' "'


def test_a_snippet_is_escaped_whatever_stands_in_it() -> None:
    made = snippet(EVIL, ["memory", "script"])
    assert "<script" not in made and "<b>" not in made
    assert made.count("<mark>") == made.count("</mark>") == 3
    assert "&lt;<mark>script</mark>&gt;alert(&quot;x&quot;)" in made
    assert "<mark>memory</mark>" in marked(EVIL, ["memor"])


def test_a_snippet_is_cut_around_the_place_with_the_most_different_words() -> None:
    text = "memory " * 3 + "filler " * 100 + "the allocator keeps memory here " + "filler " * 100
    made = snippet(text, ["memory", "allocator"])
    assert "<mark>allocator</mark> keeps <mark>memory</mark>" in made
    assert made.startswith("… ") and made.endswith(" …")
    assert len(made) < LENGTH + 60


def test_a_snippet_of_one_very_long_word_ends() -> None:
    assert len(snippet("x" * 10_000, ["y"])) <= LENGTH + 4
    assert snippet("", ["y"]) == ""


TEXTS = st.lists(
    st.sampled_from(["Cache", "caché", "CACHES", "cach", "ﬁne", "naïve", "x²", "_", " ", "–", "K", "ß"]), max_size=12
)


@given(TEXTS.map("".join), st.sampled_from([["cache"], ["fine", "naive"], ["kv", "x2"], ["k"], ["ss"]]))
def test_a_word_is_marked_where_it_begins_so_once_folded(text: str, asked: list[str]) -> None:
    starts = tuple(map(stem, asked))
    expected = [word for word in re.findall(r"[^\W_]+", text) if fold(word).startswith(starts)]
    assert re.findall("<mark>(.*?)</mark>", marked(text, asked)) == expected
    assert says(text, asked) == bool(expected)
