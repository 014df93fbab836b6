"""Time two programs in turn, unmetered."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Sequence
from statistics import median

import torch

from grader.program import Program
from grader.verdict import StepSeconds


def times(
    make_yours: Callable[[], Program],
    make_plain: Callable[[], Program],
    *,
    pairs: int = 9,
    warmup: int = 1,
    budget_s: float = 10.0,
    device: str = "cpu",
) -> StepSeconds:
    """Time one update of each program in turn (A B A B) and return seconds of the first, with the ratio to the second.

    Each timing runs the phases of a freshly prepared program; preparing is not timed. Stops after `pairs` pairs, or
    after the first pair beyond `budget_s` seconds. `ratio` is the median of the pairs' ratios. `low` and `high` are
    order statistics that hold the median with 95 % confidence or, with fewer than six pairs, the extremes.
    Raises ValueError if `pairs` is below 1.
    """
    if pairs < 1:
        raise ValueError(f"pairs must be at least 1, got {pairs}")
    for _ in range(warmup):
        _seconds(make_yours(), device)
        _seconds(make_plain(), device)
    deadline = time.perf_counter() + budget_s
    yours: list[float] = []
    ratios: list[float] = []
    for _ in range(pairs):
        mine, plain = _seconds(make_yours(), device), _seconds(make_plain(), device)
        yours.append(mine)
        ratios.append(mine / plain)
        if time.perf_counter() > deadline:
            break
    low, high = interval(yours)
    return StepSeconds(median=median(yours), low=low, high=high, ratio=median(ratios))


def interval(sample: Sequence[float], confidence: float = 0.95) -> tuple[float, float]:
    """Return order statistics (k-th smallest, k-th largest) that hold the population's median.

    The number of values below the median is binomial(n, 1/2), so k is the largest with P(fewer than k) at most
    (1 - confidence) / 2. See David and Nagaraja, Order Statistics, section 7.1. Assumes nothing of the distribution.
    """
    ordered = sorted(sample)
    n = len(ordered)
    tail, k = 0.0, 0
    while k < n // 2:
        tail += math.comb(n, k) / 2**n
        if tail > (1 - confidence) / 2:
            break
        k += 1
    k = max(k, 1)
    return ordered[k - 1], ordered[n - k]


def _seconds(program: Program, device: str) -> float:
    collecting = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        if device == "cuda":
            torch.cuda.synchronize()
        start = time.perf_counter()
        for _, function in program.phases:
            function()
        if device == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter() - start
    finally:
        if collecting:
            gc.enable()
