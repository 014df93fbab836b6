"""The pipeline's formulas against schedules that are walked, operation by operation."""

from __future__ import annotations

import pytest

from courses.calculators import InputError, get

compute = get("pipeline-bubble").compute
Op = tuple[str, int, int]  # forward or backward, micro-batch, chunk (from 0, over all devices: chunk c is on c mod p)


def order(p: int, m: int, schedule: str, v: int, rank: int) -> list[Op]:
    """Return what one rank does, in order. Interleaved: groups of p micro-batches through each chunk in turn."""
    groups = [(chunk, first) for first in range(0, m, p) for chunk in range(v)]
    forwards = [("F", micro, chunk * p + rank) for chunk, first in groups for micro in range(first, min(first + p, m))]
    backwards = [("B", micro, (v - 1 - chunk // p) * p + rank) for _, micro, chunk in forwards]
    warm = {
        "gpipe": v * m,
        "1f1b": p - rank - 1,
        "interleaved": 2 * (p - rank - 1) + (v - 1) * p,
    }[schedule]
    warm = min(warm, v * m)
    done = forwards[:warm]
    for forward, backward in zip(forwards[warm:], backwards, strict=False):
        done += [forward, backward]
    return done + backwards[len(forwards) - warm :]


def walk(p: int, m: int, schedule: str, v: int = 1, backward_ratio: float = 2) -> tuple[float, list[float]]:
    """Return the step's length in stage forwards, and the most chunks that each rank held, in stages' worth."""
    chunks, last = v if schedule == "interleaved" else 1, 0.0
    plans = [order(p, m, schedule, chunks, rank) for rank in range(p)]
    ends: dict[Op, float] = {}
    clock, at = [0.0] * p, [0] * p
    while any(at[rank] < len(plans[rank]) for rank in range(p)):
        moved = False
        for rank in range(p):
            while at[rank] < len(plans[rank]):
                kind, micro, chunk = plans[rank][at[rank]]
                if kind == "F":
                    needs = ("F", micro, chunk - 1) if chunk else None
                else:
                    needs = ("B", micro, chunk + 1) if chunk < chunks * p - 1 else ("F", micro, chunk)
                if needs and needs not in ends:
                    break
                start = max(clock[rank], ends[needs] if needs else 0)
                clock[rank] = start + (1 if kind == "F" else backward_ratio) / chunks
                ends[kind, micro, chunk] = clock[rank]
                last = max(last, clock[rank])
                at[rank] += 1
                moved = True
        assert moved, "the schedule waits for itself"
    held = []
    for plan in plans:
        now = most = 0
        for kind, _, _ in plan:
            now += 1 if kind == "F" else -1
            most = max(most, now)
        held.append(most / chunks)
    return last, held


CASES = [
    ("gpipe", 4, 8, 1), ("gpipe", 8, 8, 1), ("gpipe", 3, 2, 1),
    ("1f1b", 4, 8, 1), ("1f1b", 8, 3, 1), ("1f1b", 8, 64, 1), ("1f1b", 1, 5, 1),
    ("interleaved", 4, 8, 2), ("interleaved", 4, 4, 3), ("interleaved", 8, 16, 4), ("interleaved", 2, 6, 2),
]  # fmt: skip


@pytest.mark.parametrize(("schedule", "p", "m", "v"), CASES)
def test_step_and_memory_are_those_of_walking_the_schedule(schedule, p, m, v):
    length, held = walk(p, m, schedule, v)
    for stage in range(1, p + 1):
        inputs = {"stages": p, "microbatches": m, "schedule": schedule, "chunks": v, "stage": stage, "forward": "1 s"}
        result = compute(inputs)
        assert result["step_seconds"] == pytest.approx(length)
        assert result["in_flight"] == held[stage - 1]
        assert result["bubble_of_total"] == pytest.approx(1 - 3 * m / length)
        assert result["bubble_of_ideal"] == pytest.approx(length / (3 * m) - 1)


@pytest.mark.parametrize(("p", "v"), [(8, 2), (35, 3), (16, 8)])
def test_the_first_interleaved_stage_holds_what_korthikanti_et_al_say(p, v):
    result = compute({"stages": p, "microbatches": 4 * p, "schedule": "interleaved", "chunks": v})
    assert result["in_flight"] == pytest.approx(p * (1 + (p - 1) / (p * v)))


@pytest.mark.parametrize("schedule", ["gpipe", "1f1b", "interleaved"])
@pytest.mark.parametrize("target", [0.3, 0.1, 0.05, 0.013])
def test_the_number_for_a_target_is_the_smallest_that_stays_under_it(schedule, target):
    inputs = {"stages": 8, "schedule": schedule, "target": target}
    needed = compute(inputs)["microbatches_for_target"]
    fewer = needed - (8 if schedule == "interleaved" else 1)
    assert compute({**inputs, "microbatches": needed})["bubble_of_total"] <= target + 1e-12
    assert compute({**inputs, "microbatches": fewer})["bubble_of_total"] > target


def test_what_all_stages_send_is_each_edge_twice():
    inputs = {"stages": 4, "microbatches": 8, "schedule": "interleaved", "chunks": 2}
    results = [compute({**inputs, "stage": stage}) for stage in range(1, 5)]
    edges = 4 * 2 - 1  # between eight chunks in a row
    assert sum(result["sent_bytes"] for result in results) == 8 * 2 * edges * results[0]["message_bytes"]
    assert results[0]["message_bytes"] == 8192 * 8192 * 2


@pytest.mark.parametrize(
    ("inputs", "field"),
    [({"stage": 9}, "stage"), ({"schedule": "interleaved", "microbatches": 33}, "microbatches")],
)
def test_what_cannot_be_is_refused(inputs, field):
    with pytest.raises(InputError) as refused:
        compute(inputs)
    assert field in refused.value.errors
