"""The dynamic programming of the frontier and an integer programme of the same problem name the same least work."""

from __future__ import annotations

import random

import pytest

from bench.solver import STEP, budgets, chain, least_work
from grader.frontier import Impossible, best, smallest


@pytest.mark.parametrize("seed", range(12))
def test_both_solvers_find_the_same_optimum(seed: int) -> None:
    draw = random.Random(seed)
    profile = chain(draw.randint(2, 7), draw)
    for budget in budgets(profile, 4):
        assert best(profile, budget).recomputed_flops == least_work(profile, budget), (seed, budget)


@pytest.mark.parametrize("seed", range(4))
def test_both_solvers_say_where_nothing_fits(seed: int) -> None:
    profile = chain(5, random.Random(seed))
    too_little = smallest(profile).peak_bytes - STEP
    assert least_work(profile, too_little) is None
    with pytest.raises(Impossible):
        best(profile, too_little)
