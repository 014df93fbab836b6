"""What the judge makes of the kernel's figures: growth whenever it happened, and processor time beyond the claim."""

from dataclasses import replace

import pytest

from grader.meter import Metered
from grader.runs import HELD_BYTES, WORK_FACTOR, WORK_SECONDS, CaseRun, Outside, Prepared

MB = 1_000_000
HONEST = Outside(
    ready=300 * MB,
    armed=310 * MB,
    preparing=360 * MB,
    prepared=360 * MB,
    running=390 * MB,
    ended=370 * MB,
    reporting=400 * MB,
    cpu_seconds=1.4,
)
OWN = Prepared(peak_bytes=50 * MB, end_bytes=50 * MB, report_bytes=10 * MB, meter_bytes=20 * MB)


def metered(flops: int, operators: int = 100) -> Metered:
    return Metered(10, 30 * MB, 0, flops, {"forward": flops}, 0, {}, {}, 0, 1, operators, "cpu")


def test_an_honest_update_grows_by_what_it_allocates_after_it_was_prepared():
    assert HONEST.growth(OWN) == 30 * MB


COMPUTED_LATE = replace(HONEST, reporting=530 * MB)
COMPUTED_EARLY = replace(HONEST, preparing=490 * MB)
POOLED = replace(HONEST, armed=442 * MB, preparing=492 * MB, prepared=492 * MB, running=512 * MB)
BALLAST = replace(HONEST, armed=610 * MB, preparing=660 * MB, prepared=660 * MB, running=660 * MB)


@pytest.mark.parametrize(
    "seen", [COMPUTED_EARLY, COMPUTED_LATE, POOLED, BALLAST], ids=["early", "late", "pool", "ballast"]
)
def test_bytes_count_whenever_they_were_taken(seen):
    assert seen.growth(OWN) >= 130 * MB


def test_imports_and_first_use_workspaces_are_not_the_updates():
    loaded = replace(HONEST, armed=HONEST.ready + HELD_BYTES - 30 * MB)
    assert loaded.growth(OWN) == HONEST.growth(OWN)


def played(**changes) -> CaseRun:
    return CaseRun(
        {}, **({"metered": metered(1000), "reference": metered(1000), "outside": HONEST, "prepared": OWN} | changes)
    )


def test_on_a_gpu_neither_the_hosts_memory_nor_its_processor_says_anything():
    huge = replace(HONEST, running=10**12, cpu_seconds=10**6)
    run = played(outside=huge, own_cpu_seconds=1.0)
    assert run.figures_disagree() and run.works_unseen()
    run.case["device"] = "cuda"
    assert run.kernel_peak_bytes is None and run.kernel_excess_bytes() == 0
    assert not run.figures_disagree() and not run.works_unseen() and not run.works_more_than_said()
    assert run.decided_bytes("peak_bytes") == 30 * MB


@pytest.mark.parametrize(
    "lacking", [{"metered": None}, {"reference": None}, {"outside": None}, {"own_cpu_seconds": None}]
)
def test_what_is_not_known_explains_nothing_and_blames_nobody(lacking):
    run = played(**({"own_cpu_seconds": 1.0} | lacking))
    assert run.explained_seconds() is None
    assert not run.works_unseen() and not run.works_more_than_said()


def test_what_lies_beyond_the_tolerance_raises_the_figure_that_decides():
    assert played().decided_bytes("peak_bytes") == 30 * MB, "within the tolerance the allocator decides"
    beyond = played(outside=replace(HONEST, running=HONEST.prepared + 50 * MB))
    assert beyond.kernel_excess_bytes() == 50 * MB - int(30 * MB * 1.01) - 5 * MB
    assert beyond.decided_bytes("peak_bytes") == 30 * MB + beyond.kernel_excess_bytes()
    assert not beyond.figures_disagree() and played(metered=None).kernel_excess_bytes() == 0


def test_processor_time_beyond_what_the_flops_explain_is_seen():
    def run(seconds: float, flops: int, operators: int = 100) -> CaseRun:
        seen = replace(HONEST, cpu_seconds=seconds)
        return CaseRun(
            {}, reference=metered(1000), metered=metered(flops, operators), outside=seen, own_cpu_seconds=1.0
        )

    limit = WORK_FACTOR + WORK_SECONDS
    assert not run(1.4, 1000).works_more_than_said()
    assert run(6.0, 1000).works_more_than_said()
    assert not run(6.0, 1000).works_unseen()
    assert run(limit + 1, 1000).works_unseen()
    assert not run(limit + 1, 3000).works_unseen(), "work that was said explains its time"
    assert run(limit + 1, 10).works_unseen(), "saying less than the reference needs explains nothing"
    assert not run(limit + 1, 1000, operators=9_000).works_unseen(), "many small operators cost time of their own"
    assert run(60, 1000, operators=10**9).works_unseen(), "and only so many are believed"
