"""The judge's side of `sqrt-segments`: hidden cases, the best segmentation, the checks and their hints."""

from grader import checks
from grader.frontier import BlockProfile, execute, keep_products, smallest
from grader.verdict import Check

PRIMARY = "chain-16"

DEPTHS = (16, 1, 7, 36, 50)
OTHER_DEPTHS = (11, 23)

FACTOR = 1.5
"""How far above the best segmentation's measured peak a submission's may lie.

Segments of equal length, about the square root of their number, lie at 1.00 (1 and 7 blocks) to 1.38 (36); holding a
replayed segment's output as well makes 1.46. Four segments whatever the depth lie at 1.75, two at 3.2, one for each
block at 3.2 (50 blocks).
"""

PLAIN_BYTES = 105_000_000
WIDTH = 32

CAUSES = {
    "chain": "The segments must cover every block once, in order; a replay runs the same blocks on the same input. "
    "A function made in a loop sees the loop's last values unless they are bound.",
    "frozen-input": "x requires no gradient here. An autograd.Function none of whose inputs requires one is left out "
    "of the graph, and the parameters inside it with it.",
    "dropout": "The replay drew other random numbers than forward: the random state of forward has to be restored.",
}


def family(blocks):
    return f"chain-{blocks}" if blocks in DEPTHS else "chain-other"


TITLES = {
    **{family(n): f"Gradients of {n} blocks equal the plain run's" for n in DEPTHS},
    "chain-1": "Gradients of a single block equal the plain run's",
    "chain-other": "Gradients at a depth that was not announced",
    "frozen-input": "Parameters get gradients when the input requires none",
    "dropout": "The replay sees the dropout masks that forward drew",
}


def cases(rng, harness, mode):
    """Draw the cases of one grading: public ones for Run, fresh seeds and one unannounced depth for Submit."""
    if mode == "run":
        return harness.PUBLIC_CASES
    drawn = [chain(rng, blocks) for blocks in (*DEPTHS, rng.choice(OTHER_DEPTHS))]
    for name in harness.FAMILIES:
        sizes = {"blocks": rng.randrange(4, 9), "rows": rng.randrange(17, 41), "width": rng.randrange(12, 33)}
        drawn.append({"name": name, "family": name, "seed": rng.getrandbits(31), "measure": False, **sizes})
    return drawn


def chain(rng, blocks):
    """A measured chain whose plain activations take about 105 MB, a single block's about 17."""
    rows = 65_536 if blocks == 1 else PLAIN_BYTES // (2 * 4 * WIDTH * blocks) // 64 * 64
    return {
        "name": f"{blocks} blocks",
        "family": family(blocks),
        "seed": rng.getrandbits(31),
        "measure": True,
        "blocks": blocks,
        "rows": rows,
        "width": WIDTH,
    }


def best_segmentation(blocks, x):
    """Run the chain under the schedule of least peak in which each segment is kept, or replayed once."""
    unit = BlockProfile(saved_bytes=1, output_bytes=1, workspace_bytes=1, forward_flops=1)  # all are R·D floats
    return execute(blocks, x, smallest([unit] * len(blocks)).schedule)


REFERENCE = {"forward": best_segmentation}

SELECTIVE = ("products kept, the rest made again", lambda blocks, x: keep_products(blocks, x, each=4))
"""The run of the trade-off plot that keeps and remakes within blocks (`grader.tradeoff.measuring`)."""


def timed_case(rng, harness, mode):
    """The case on which step times are shown (they decide nothing)."""
    return {"name": "time", "family": "chain-16", "seed": 3, "measure": False, "blocks": 16, "rows": 8192, "width": 32}


def check(runs):
    """Return the checks of one grading; `runs` are grader.runs.CaseRun, one a case."""
    causes = {name: CAUSES.get(name, CAUSES["chain"]) for name in TITLES}
    found = [checks.same_results(run, TITLES, causes) for run in runs]
    measured = [run for run in runs if run.metered is not None]
    return found + ([peak(measured), work(measured)] if measured else [])


def peak(runs):
    """Judge the worst peak over all depths, in units of the best segmentation's measured peak."""
    ratios = {run.case["blocks"]: run.decided_bytes("peak_bytes") / run.reference.peak_bytes for run in runs}
    blocks, ratio = max(ratios.items(), key=lambda item: item[1])
    passed = ratio <= FACTOR
    hint = "" if passed else f"With {blocks} blocks. {_advice(runs, blocks)}"
    title = "Peak bytes of the update, at the depth where they are worst"
    return Check("peak-bytes", title, passed, FACTOR, round(ratio, 3), "times the best", hint)


def _advice(runs, blocks):
    run = next(run for run in runs if run.case["blocks"] == blocks)
    tensor = 4 * run.case["rows"] * run.case["width"]
    kept = run.decided_bytes("saved_bytes") / tensor
    peak = run.decided_bytes("peak_bytes") / tensor
    if kept > 0.75 * peak:
        return (
            f"{kept:.0f} tensors of a block's output size are still live at the end of forward, and that is most of "
            "the peak: too many segments, or a segment that is not replayed."
        )
    return (
        f"{kept:.0f} tensors of a block's output size are live at the end of forward and {peak:.0f} at the peak in "
        "backward: segments are too long for this depth, or what one replay made outlives it."
    )


def work(runs):
    """Judge the most recomputed work over all depths, in units of the plain forward."""
    found = [checks.recomputed_at_most(run, 1.0, "recomputed-work", WORK_TITLE, WORK_HINT) for run in runs]
    return max(found, key=lambda one: float(one.actual))


WORK_TITLE = "Recomputed work, in plain forwards"
WORK_HINT = "Each block may run once more, in the replay of its segment. A replay inside a replay runs it a third time."
