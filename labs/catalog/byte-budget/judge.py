"""The judge's side of `byte-budget`: hidden chains and budgets, the optimum, the checks and their hints."""

from pathlib import Path

import torch

from grader import catalog, frontier, lab_code
from grader.compare import RELATIVE_TOLERANCE, compare
from grader.frontier import BlockProfile
from grader.verdict import Check

HARNESS = lab_code.harness(catalog.load(Path(__file__).parent))

PRIMARY = "budget"

WORK_FACTOR = 1.05
"""How far above the optimum's recomputed FLOPs a submission's may lie. Exact planners lie at 1.00; keeping the blocks
with the most FLOPs, or FLOPs per byte, and replaying the others one by one lies at 1.07 to 1.6 under these budgets."""

STEPS = 20_000
"""Sizes are multiples of 4·rows bytes, and the largest budget is below so many of them: the optimum is exact."""

CHAINS = [
    {
        "rows": 8192,
        "widths": [32, 16, 48, 32, 16, 32, 24, 32, 48, 24, 32],
        "hidden": [96, 32, 32, 32, 64, 32, 32, 32, 32, 96],
        "activations": [4, 1, 1, 1, 4, 2, 1, 1, 4, 3],
    },
    {
        "rows": 8192,
        "widths": [32, 24, 16, 48, 32, 48, 32, 32, 48, 24, 24, 48, 32],
        "hidden": [48, 96, 32, 32, 96, 32, 64, 48, 32, 32, 96, 96],
        "activations": [1, 2, 2, 3, 2, 1, 1, 1, 1, 1, 1, 1],
    },
    {
        "rows": 8192,
        "widths": [48, 64, 16, 64, 48, 24, 64, 48, 64],
        "hidden": [48, 48, 64, 48, 64, 64, 48, 96],
        "activations": [4, 2, 2, 4, 1, 2, 1, 3],
    },
]
"""Chains of unequal blocks, about 100 MB where everything is kept. Bytes per FLOP differ tenfold between blocks."""

LOW = ((0.10, 0.18, 0.24, 0.26), (0.12, 0.18, 0.24, 0.28), (0.14, 0.16, 0.18, 0.28))
HIGH = ((0.38, 0.52, 0.68, 0.72), (0.36, 0.44, 0.50, 0.64), (0.36, 0.50, 0.54, 0.70))
"""Where a chain's budgets lie between the least possible peak and the plain one: places where simple rules miss the
optimum. Few, because the figures of plain and optimal runs are kept for each budget."""

BLOCKS = [
    {"rows": 16384, "widths": [32, 48], "hidden": [64], "activations": [3]},
    {"rows": 16384, "widths": [48, 24], "hidden": [96], "activations": [1]},
]


def cases(rng, harness, mode):
    """Draw the cases of one grading: public ones for Run; other chains, budgets and seeds for Submit."""
    if mode == "run":
        return harness.PUBLIC_CASES
    chosen = rng.sample(range(len(CHAINS)), 2)
    first, second = (CHAINS[index] for index in chosen)
    block = rng.choice(BLOCKS)
    budgets = [
        case(rng, "budget", CHAINS[index], within(CHAINS[index], rng.choice(shares[index])))
        for index in chosen
        for shares in (LOW, HIGH)
    ]
    return [
        *budgets,
        case(rng, "tightest", second, bounds(second)[0]),
        case(rng, "ample", first, bounds(first)[1]),
        case(rng, "ample", block, bounds(block)[0]),
        impossible(rng, first, 1),
        impossible(rng, second, 2_000_000),
        impossible(rng, block, 1),
    ]


def case(rng, family, chain, budget, measure=True):
    name = f"{family}, {len(chain['hidden'])} blocks"
    return {
        "name": name,
        "family": family,
        "seed": rng.getrandbits(31),
        "measure": measure,
        "budget": budget,
        **chain,
    }


def impossible(rng, chain, bytes_short):
    """A budget that lies so many bytes below the least possible peak, on a few rows: no byte of it is judged."""
    chain = {**chain, "rows": 64}
    least = bounds(chain)[0]
    return case(rng, "impossible", chain, max(0, least - bytes_short), measure=False)


def profile_of(chain):
    return [BlockProfile(*block) for block in HARNESS.profile_of(chain)]


def bounds(chain):
    """Return (least possible peak, plain peak) of a chain in bytes."""
    profile = profile_of(chain)
    return (
        frontier.smallest(profile).peak_bytes,
        frontier.peak_bytes(profile, frontier.plain(len(profile))),
    )


def within(chain, share):
    least, ample = bounds(chain)
    return int(least + share * (ample - least))


def optimal(blocks, x, budget_bytes, profile):
    """Run the chain under the schedule that recomputes least within the budget."""
    found = frontier.best([BlockProfile(*block) for block in profile], budget_bytes, steps=STEPS)
    return frontier.execute(blocks, x, found.schedule)


REFERENCE = {"forward": optimal}

SELECTIVE = ("products kept, the rest made again", lambda blocks, x, *_: frontier.keep_products(blocks, x))
"""The run of the trade-off plot that keeps and remakes within blocks (`grader.tradeoff.measuring`)."""


def timed_case(rng, harness, mode):
    """The case on which step times are shown (they decide nothing)."""
    return {"name": "time", "family": "budget", "seed": 3, "budget": 20_000_000, **harness.PUBLIC_CHAIN}


def check(runs):
    """Return the checks of one grading; `runs` are grader.runs.CaseRun, one a case."""
    possible = [run for run in runs if run.case["family"] != "impossible"]
    accepted = [run for run in possible if run.crash is None and run.observed.get("refusal") is None]
    measured = [run for run in accepted if run.metered is not None]
    found = [gradients(possible), not_refused(possible)] if possible else []
    if measured:
        found.append(within_budget(measured))
    if tight := [run for run in measured if optimum(run)]:
        found.append(work(tight))
    if ample := [run for run in measured if not optimum(run)]:
        found.append(no_needless_work(ample))
    if refused := [run for run in runs if run.case["family"] == "impossible"]:
        found.append(impossible_refused(refused))
    return found


def gradients(runs):
    """Judge that loss and gradients equal the plain run's in every case whose budget was accepted."""
    title, tolerance = "Gradients equal the plain run's under every budget", RELATIVE_TOLERANCE[torch.float32]
    worst, hint = 0.0, ""
    for run in runs:
        if run.crash is not None:
            where = f" (line {run.crash.line})" if run.crash.line else ""
            return Check("gradients", title, False, "runs", "error", "", f"{_where(run)}: {run.crash.error}{where}.")
        if run.observed.get("refusal") is not None:
            continue
        found = compare(run.expected, run.observed)
        worst = max(worst, found.largest_error)
        if not found.equal and not hint:
            hint = (
                f"{_where(run)}: {found.sentence()} Every block runs once in order, and a replay runs the same blocks "
                "on the same input; a function made in a loop sees the loop's last values unless they are bound."
            )
    return Check("gradients", title, not hint, tolerance, float(f"{worst:.2g}"), "relative", hint)


RELATIVE_TOLERANCE_FLOAT32 = max(value for dtype, value in RELATIVE_TOLERANCE.items() if str(dtype) == "torch.float32")


def not_refused(runs):
    """Judge that no budget is refused that a plan keeps, the least possible one included."""
    refused = [run for run in runs if run.observed.get("refusal") is not None]
    hint = ""
    if refused:
        hint = (
            f"{_where(refused[0])}: ValueError was raised ({refused[0].observed['refusal']}), and predicted_peak() of "
            "some plan is within the budget. A peak that equals the budget keeps it; the block that needs most "
            "may have to be the first of a segment, or the last."
        )
    return Check("possible-budgets", "No budget that can be kept is refused", not refused, 0, len(refused), "", hint)


def within_budget(runs):
    """Judge the worst measured peak, as a share of its budget."""
    run = max(runs, key=lambda run: run.decided_bytes("peak_bytes") / run.case["budget"])
    ratio = run.decided_bytes("peak_bytes") / run.case["budget"]
    passed = ratio <= 1
    hint = (
        f"{_where(run)}, the peak passed the budget. Besides what is kept before it, a "
        "replayed segment stands in full when its last block's backward starts, with that block's "
        "workspace on top. If predicted_peak() of your plan is within the budget, something outlives its use."
    )
    return Check(
        "within-budget",
        "Measured peak, where it comes nearest to its budget or passes it",
        passed,
        1.0,
        round(ratio, 4),
        "of the budget",
        "" if passed else hint,
    )


def work(runs):
    """Judge recomputed FLOPs against the optimum's under the same budget, where they compare worst."""
    ratios = [((run.metered.flops - run.plain.flops) / optimum(run), run) for run in runs]
    ratio, run = max(ratios, key=lambda item: item[0])
    passed = ratio <= WORK_FACTOR
    hint = (
        f"{_where(run)}, a plan exists that runs fewer FLOPs again. Neither the largest blocks nor the "
        "cheapest ones are the right ones to keep in general: compare FLOPs saved with bytes taken, over the whole "
        "chain, and where segments are cut. A replay inside a replay runs its blocks a third time."
    )
    title = "Recomputed FLOPs, against the optimum under the same budget"
    return Check(
        "recomputed-work", title, passed, WORK_FACTOR, round(ratio, 4), "times the optimum", "" if passed else hint
    )


def optimum(run):
    """Return the fewest recomputed FLOPs of any plan that keeps the case's budget."""
    return frontier.best(profile_of(run.case), run.case["budget"], steps=STEPS).recomputed_flops


def no_needless_work(runs):
    """Judge that nothing is run again where the budget holds everything, to the byte."""
    extra = max(run.metered.flops - run.plain.flops for run in runs)
    hint = (
        "The budget holds what the plain update is predicted to need (to the byte, in some cases), and blocks ran a "
        "second time. A peak that equals the budget keeps it."
    )
    title = "Nothing is run again where everything fits"
    return Check("ample-budget", title, extra <= 0, 0, extra, "FLOPs", "" if extra <= 0 else hint)


def impossible_refused(runs):
    """Judge that a budget which no plan keeps raises ValueError before a block has run."""
    title = "A budget that no plan keeps raises ValueError before any work"
    hint = ""
    for run in runs:
        calls = run.observed.get("calls_before_refusal")
        if run.crash is not None:
            hint = f"{_where(run)}: {run.crash.error}, which is not a ValueError."
        elif run.observed.get("refusal") is None:
            hint = f"{_where(run)}: no ValueError, though predicted_peak() of every plan is above the budget."
        elif calls != 0:
            hint = f"{_where(run)}: {calls} calls of blocks came before the ValueError. Plan first, then run."
        if hint:
            break
    return Check("impossible-budget", title, not hint, "ValueError", "another" if hint else "ValueError", "", hint)


def _where(run):
    """Name a case without its figures: how many blocks, and how tight the budget."""
    blocks = len(run.case["hidden"])
    kind = {
        "tightest": "the least budget there is",
        "ample": "a budget that holds everything",
        "budget": "a budget in between",
        "impossible": "a budget below the least",
    }[run.case["family"]]
    return f"With {blocks} {'block' if blocks == 1 else 'blocks'} and {kind}"
