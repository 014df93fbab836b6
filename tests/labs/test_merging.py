"""Two texts that grew from one, merged: what one side changed is taken, what both changed is left to the person."""

import random

import pytest

from labs import merging

BASE = "import torch\n\n\ndef f(x):\n    return x\n\n\ndef g(x):\n    return x\n"
IN_F = BASE.replace("def f(x):\n    return x", "def f(x):\n    return x + 1")
IN_G = BASE.replace("def g(x):\n    return x", "def g(x):\n    return x * 2")


def test_changes_in_two_places_are_both_taken():
    merged = merging.merge(IN_F, IN_G, BASE)
    assert merged.conflicts == 0
    assert "return x + 1" in merged.text and "return x * 2" in merged.text and "    return x\n" not in merged.text


def test_a_line_that_one_side_took_out_is_out():
    merged = merging.merge(BASE.replace("import torch\n", ""), IN_G, BASE)
    assert (merged.conflicts, "import torch" in merged.text) == (0, False)


def test_two_changes_of_one_line_stand_there_both_between_markers():
    other = BASE.replace("def f(x):\n    return x", "def f(x):\n    return x - 1")
    merged = merging.merge(IN_F, other, BASE)
    assert merged.conflicts == 1
    between = f"{merging.YOURS}\n    return x + 1\n{merging.BETWEEN}\n    return x - 1\n{merging.THEIRS}\n"
    assert between in merged.text
    assert merging.sentence(merged).startswith("Merged. In one place both versions stand")


def test_the_same_change_on_both_sides_is_one():
    assert merging.merge(IN_F, IN_F, BASE) == merging.Merged(IN_F, 0)


def test_without_what_both_began_with_no_line_of_either_is_lost():
    merged = merging.merge("a = 1\nb = 2\nonly mine\n", "only theirs\na = 1\nb = 3\nonly mine\n")
    assert merged.conflicts == 1
    for line in ("a = 1", "b = 2", "b = 3", "only mine", "only theirs"):
        assert merged.text.count(line) == 1


@pytest.mark.parametrize("seed", range(30))
def test_nothing_that_either_side_typed_is_lost(seed):
    rng = random.Random(seed)
    base = [f"line {rng.randrange(8)}" for _ in range(30)]

    def changed(name):
        lines = [line for line in base if rng.random() > 0.1]
        for n in range(5):
            lines.insert(rng.randrange(len(lines) + 1), f"{name} {n}")
        return "\n".join(lines)

    merged = merging.merge(changed("mine"), changed("theirs"), "\n".join(base)).text
    for name in ("mine", "theirs"):
        assert all(f"{name} {n}\n" in merged for n in range(5))
