"""Two versions of a module compared: equal runs, changed lines and words, what is left out, and bounded time."""

import random
import time

import pytest

from labs import comparing

OLD = "import torch\n\n\ndef f(x):\n    y = x * 2\n    return y\n"
NEW = "import torch\n\n\ndef f(x):\n    y = x * 3\n    print(y)\n    return y\n"


def shown(comparison):
    return [(row.sign, "".join(text for text, _ in row.parts)) for row in comparison.rows]


def test_lines_that_went_and_came_stand_between_their_equal_neighbours():
    found = comparing.compare(OLD, NEW, context=1)
    assert shown(found) == [
        ("…", ""),
        ("=", "def f(x):"),
        ("-", "    y = x * 2"),
        ("+", "    y = x * 3"),
        ("+", "    print(y)"),
        ("=", "    return y"),
    ]
    assert (found.added, found.removed, found.rows[0].hidden) == (2, 1, 3)


def test_only_the_words_that_differ_are_marked():
    rows = comparing.compare(OLD, NEW).rows
    gone, come = (next(row for row in rows if row.sign == sign) for sign in "-+")
    assert [text for text, changed in gone.parts if changed] == ["2"]
    assert [text for text, changed in come.parts if changed] == ["3"]


def test_lines_with_nothing_in_common_are_not_taken_for_one_that_changed():
    rows = comparing.compare("alpha = beta(gamma)\n", "while True: pass\n").rows
    assert [(row.sign, [changed for _, changed in row.parts]) for row in rows] == [("-", [False]), ("+", [False])]


def test_line_numbers_are_those_of_each_side():
    rows = comparing.compare(OLD, NEW, context=None).rows
    assert [row.before for row in rows] == [1, 2, 3, 4, 5, None, None, 6]
    assert [row.after for row in rows] == [1, 2, 3, 4, None, 5, 6, 7]


@pytest.mark.parametrize("seed", range(20))
def test_rows_rebuild_both_sides(seed):
    rng = random.Random(seed)
    lines = [f"x{rng.randrange(6)} = {rng.randrange(4)}" for _ in range(rng.randrange(60))]
    other = [line for line in lines if rng.random() > 0.2]
    for _ in range(rng.randrange(8)):
        other.insert(rng.randrange(len(other) + 1), f"new{rng.randrange(9)}")
    rows = comparing.compare("\n".join(lines), "\n".join(other), context=None).rows
    for sides, whole in (("=-", lines), ("=+", other)):
        assert ["".join(text for text, _ in row.parts) for row in rows if row.sign in sides] == whole


def test_equal_texts_have_no_changes_and_empty_ones_no_rows():
    assert comparing.compare(OLD, OLD).added == 0
    assert comparing.compare("", "").rows == []
    assert shown(comparing.compare("", "x\n")) == [("+", "x")]


@pytest.mark.parametrize("kinds", [2, 20, 99, 1000])
def test_the_worst_that_fits_the_limit_is_compared_in_seconds(kinds):
    rng = random.Random(kinds)
    one, two = ("\n".join(str(rng.randrange(kinds)) for _ in range(comparing.MOST_LINES)) for _ in "ab")
    began = time.thread_time()
    comparing.compare(one, two)
    assert time.thread_time() - began < 10


def test_beyond_the_limit_the_middle_counts_as_wholly_different():
    count = comparing.MOST_LINES + 1
    one, two = (f"head\n{''.join(f'{name}{n}{chr(10)}' for n in range(count))}tail" for name in "ab")
    found = comparing.compare(one, two)
    assert (found.added, found.removed) == (count, count)
    assert shown(found)[0] == ("=", "head")
    assert len(found.rows) == comparing.MOST_ROWS and found.cut == 2 * count + 2 - comparing.MOST_ROWS


def test_lines_are_counted_as_python_counts_them():
    text = "a\r\nb\rc\x0cd\u2028e\n\n"
    assert comparing.lines_of(text) == ["a", "b", "c\x0cd\u2028e", ""]
