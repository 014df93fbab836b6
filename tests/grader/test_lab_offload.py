"""The lab that needs a GPU: its results on a CPU, its figures as functions, and with a GPU the grading itself."""

import importlib.util
from pathlib import Path

import pytest
import torch

from grader import catalog, lab_code, wire
from grader.runs import CaseRun, Crash
from grader.selfcheck import expectations

LAB = catalog.get("offload-activations")
HARNESS, JUDGE = lab_code.harness(LAB), lab_code.judge(LAB)
SOLUTIONS = [expectation for expectation in expectations(LAB) if not expectation.is_starter]
SMALL = {"blocks": 3, "rows": 20, "width": 16, "vocabulary": 11}
NO_GPU = "needs a CUDA device, and there is none here"


def play(case, entry):
    program = HARNESS.prepare(case, entry)
    for _, phase in program.phases:
        phase()
    values, tensors = wire.split(program.observe())
    return {**values, **tensors}


def offload_of(path: Path):
    spec = importlib.util.spec_from_file_location(f"offload_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {"offload": module.offload}


@pytest.mark.parametrize("solution", SOLUTIONS, ids=lambda solution: solution.name)
def test_results_on_a_cpu_fail_exactly_where_the_solution_says(solution):
    entry, runs = offload_of(solution.path), []
    for family in HARNESS.FAMILIES:
        run = CaseRun({"name": family, "family": family, "seed": 3, "measure": False, **SMALL})
        run.expected = play(run.case, HARNESS.PLAIN)
        try:
            run.observed = play(run.case, entry)
        except RuntimeError as error:
            run.crash = Crash(str(error), None, "")
        runs.append(run)
    failed = {check.name for check in JUDGE.check(runs) if not check.passed}
    assert failed == solution.failing & set(HARNESS.FAMILIES)


@pytest.mark.parametrize(
    ("yours", "plain", "copies", "share"),
    [
        (3.0, 2.0, 1.0, 0.0),
        (2.0, 2.0, 1.0, 1.0),
        (2.5, 2.0, 1.0, 0.5),
        (2.0, 1.0, 2.0, 1.0),
        (9.0, 2.0, 1.0, 0.0),
        (1.0, 2.0, 1.0, 1.0),
        (0.0, 2.0, 1.0, 0.0),
        (float("nan"), 2.0, 1.0, 0.0),
        (float("inf"), 2.0, 1.0, 0.0),
    ],
)
def test_hidden_share_is_nothing_for_the_sum_and_all_for_the_longer(yours, plain, copies, share):
    assert JUDGE.hidden_share(yours, plain, copies) == pytest.approx(share)


@pytest.mark.parametrize(
    ("second", "last", "passes"),
    [(1.27, 1.27, True), (1.6, 1.6, True), (2.0, 2.0, False), (1.0, 1.2, False), (0.0, 0.0, True)],
)
def test_pinned_memory_is_bounded_and_does_not_grow(second, last, passes):
    case = {"name": "overlap", "family": "overlap", "seed": 1, "blocks": 2, "rows": 100, "width": 100}
    saved = HARNESS.saved_bytes(case)
    measured = {"measured.seconds": torch.tensor(2.0), "measured.copy_seconds": torch.tensor(1.0)}
    pinned = {"measured.pinned_second": int(second * saved), "measured.pinned_last": int(last * saved)}
    checks = {check.name: check for check in JUDGE.check([CaseRun(case, measured, {**measured, **pinned})])}
    assert checks["pinned-bytes"].passed is passes
    assert checks["overlap"].passed, "measured values must not be compared as results"


def test_bytes_that_the_chain_saves_are_the_formula():
    """The norm also keeps a mean and a deviation for each row, which the formula leaves out."""
    case = {"name": "chain", "family": "chain", "seed": 1, "measure": False, "blocks": 2, "rows": 64, "width": 32}
    kept = {}

    def pack(tensor):
        if tensor.numel() > case["rows"] and not isinstance(tensor._base, torch.nn.Parameter) and not tensor.is_leaf:
            kept[tensor.data_ptr()] = tensor.nbytes
        return tensor

    program = HARNESS.prepare(case, {"offload": lambda: torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t)})
    program.phases[0][1]()
    first_input = case["rows"] * case["width"] * 4  # a leaf: it is resident, and not counted above
    assert sum(kept.values()) == HARNESS.saved_bytes(case) - first_input


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason=NO_GPU)
@pytest.mark.parametrize("solution", SOLUTIONS, ids=lambda solution: solution.name)
def test_solution_gets_the_verdict_it_must_get_on_a_gpu(solution):
    from grader import judge

    verdict = judge.grade(LAB.slug, solution.path.read_bytes(), device="cuda")
    assert solution.complaint(verdict) == ""
