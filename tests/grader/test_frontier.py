"""The solver of the checkpointing frontier against every schedule there is."""

import random
import time
from itertools import pairwise

import pytest

from grader import frontier
from grader.frontier import BlockProfile, Keep, Replay, peak_bytes, plain, recomputed_flops, replayed


def chain(rng, blocks, unit=1):
    """A chain of unequal blocks whose sizes are small multiples of `unit`."""
    return [
        BlockProfile(rng.randrange(9) * unit, rng.randrange(1, 4) * unit, rng.randrange(5) * unit, rng.randrange(1, 9))
        for _ in range(blocks)
    ]


def every_schedule(first, end, replays):
    """All schedules of blocks first to end−1 in which a block is replayed at most so often."""
    if first == end or replays == 0:
        yield tuple(Keep(block) for block in range(first, end))
        return
    for rest in every_schedule(first + 1, end, replays):
        yield (Keep(first), *rest)
    for cut in range(first + 1, end + 1):
        for inside in every_schedule(first, cut, replays - 1):
            for rest in every_schedule(cut, end, replays):
                yield (Replay(inside), *rest)


@pytest.mark.parametrize(("blocks", "replays", "chains"), [(1, 1, 3), (2, 1, 5), (5, 1, 12), (7, 1, 3), (4, 2, 6)])
def test_the_optimum_equals_the_best_of_all_schedules_under_every_budget(blocks, replays, chains):
    rng = random.Random(blocks)
    for _ in range(chains):
        profile = chain(rng, blocks)
        found = [
            (peak_bytes(profile, one), recomputed_flops(profile, one)) for one in every_schedule(0, blocks, replays)
        ]
        budgets = range(max(peak for peak, _ in found) + 2)
        for budget, point in zip(budgets, frontier.frontier(profile, budgets, replays), strict=True):
            least = min((flops for peak, flops in found if peak <= budget), default=None)
            assert (point and point.recomputed_flops) == least, (profile, budget)
            assert point is None or point.peak_bytes <= budget
        assert frontier.smallest(profile, replays).peak_bytes == min(peak for peak, _ in found)


def test_any_number_of_replays_is_at_least_as_good_as_every_bounded_number_and_reached_by_one():
    rng = random.Random(3)
    for _ in range(6):
        profile = chain(rng, 5)
        budgets = range(peak_bytes(profile, plain(5)) + 1)
        bounded = frontier.frontier(profile, budgets, replays=4)  # five blocks cannot nest deeper
        unbounded = frontier.frontier(profile, budgets, replays=None)
        assert [p and p.recomputed_flops for p in unbounded] == [p and p.recomputed_flops for p in bounded]


def test_points_say_what_their_schedules_need_and_cover_the_chain_in_order():
    profile = chain(random.Random(5), 12)
    for point in frontier.frontier(profile, range(0, peak_bytes(profile, plain(12)) + 1, 3)):
        if point is not None:
            assert point.peak_bytes == peak_bytes(profile, point.schedule)
            assert point.recomputed_flops == recomputed_flops(profile, point.schedule)
            covered = [block for part in point.schedule for block in _blocks(part)]
            assert covered == list(range(12))


def test_a_schedule_with_one_replay_runs_no_block_more_than_twice():
    profile = chain(random.Random(6), 10)
    least = frontier.smallest(profile)
    assert all(isinstance(inner, Keep) for part in least.schedule if isinstance(part, Replay) for inner in part.inside)
    assert least.recomputed_flops <= sum(block.forward_flops for block in profile)


def test_exactly_the_least_budget_is_possible_and_one_byte_less_is_not():
    profile = chain(random.Random(7), 9, unit=1000)
    least = frontier.smallest(profile).peak_bytes
    assert frontier.best(profile, least).peak_bytes == least
    with pytest.raises(frontier.Impossible, match=f"least possible peak is {least:,}") as raised:
        frontier.best(profile, least - 1)
    assert raised.value.smallest_bytes == least
    assert isinstance(raised.value, ValueError)


def test_exactly_the_plain_peak_needs_no_recomputation_and_one_byte_less_does():
    profile = chain(random.Random(8), 9, unit=1000)
    ample = peak_bytes(profile, plain(9))
    assert frontier.best(profile, ample).schedule == plain(9)
    assert frontier.best(profile, 10**15).schedule == plain(9)
    assert frontier.best(profile, ample - 1).recomputed_flops > 0


def test_more_bytes_never_need_more_work():
    profile = chain(random.Random(9), 30, unit=4096)
    points = frontier.frontier(profile, range(0, peak_bytes(profile, plain(30)) + 1, 4096))
    work = [point.recomputed_flops for point in points if point is not None]
    assert len(work) > 10
    assert all(later <= earlier for earlier, later in pairwise(work))


def test_sizes_that_fit_no_grid_still_keep_their_budget_and_lose_little():
    rng = random.Random(10)
    profile = [
        BlockProfile(*(rng.randrange(10**5, 10**7) for _ in range(3)), forward_flops=rng.randrange(10**6, 10**9))
        for _ in range(12)
    ]
    ample = peak_bytes(profile, plain(12))
    budgets = [ample * share // 20 for share in range(1, 21)]
    coarse = frontier.frontier(profile, budgets)
    fine = frontier.frontier(profile, budgets, steps=100_000)
    total = sum(block.forward_flops for block in profile)
    for budget, rough, exact in zip(budgets, coarse, fine, strict=True):
        assert (rough is None) == (exact is None)
        if rough and exact:
            assert rough.peak_bytes <= budget
            assert rough.recomputed_flops <= exact.recomputed_flops + 0.02 * total
    least = frontier.smallest(profile)
    assert frontier.best(profile, least.peak_bytes, steps=20).peak_bytes == least.peak_bytes


def test_a_hundred_unequal_blocks_under_five_hundred_budgets_take_less_than_two_seconds():
    rng = random.Random(11)
    profile = [BlockProfile(*(rng.randrange(10**5, 10**7) for _ in range(3)), rng.randrange(10**9)) for _ in range(100)]
    ample = peak_bytes(profile, plain(100))
    start = time.process_time()
    points = frontier.frontier(profile, [ample * step // 500 for step in range(1, 501)])
    assert time.process_time() - start < 2.0
    assert sum(point is not None for point in points) > 400


def test_equal_blocks_need_about_the_square_root():
    unit = [BlockProfile(1, 1, 0, 1)] * 64
    assert peak_bytes(unit, plain(64)) == 128
    assert peak_bytes(unit, replayed([8] * 8)) == 7 + 16
    assert frontier.smallest(unit).peak_bytes == 16  # segments that grow shorter by one output each
    assert frontier.smallest(unit, replays=2).peak_bytes < 16


@pytest.mark.parametrize(
    ("profile", "replays", "text"),
    [([], 1, "no blocks"), ([BlockProfile(-1, 1, 1, 1)], 1, "block 0"), ([BlockProfile(1, 1, 1, 1)], 0, "replays")],
)
def test_nonsense_is_named(profile, replays, text):
    with pytest.raises(ValueError, match=text):
        frontier.frontier(profile, [10], replays)


def _blocks(part):
    return [part.block] if isinstance(part, Keep) else [b for inner in part.inside for b in _blocks(inner)]
