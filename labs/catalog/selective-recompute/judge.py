"""The judge's side of `selective-recompute`: hidden cases, the reference, the checks and their hints."""

import torch
from torch.utils.checkpoint import checkpoint

from grader import checks
from grader.verdict import Check

PRIMARY = "stack"

SHARE_OF_PLAIN_PEAK = 0.45
SHARE_OF_PLAIN_WORK = 0.05

# In bfloat16 the order of a product and a rounding shows; a replay that keeps another order is not wrong.
AUTOCAST_TOLERANCE = {torch.float32: 2e-2, torch.bfloat16: 2e-2}

TITLES = {
    "stack": "Gradients of a stack of blocks equal the plain run's",
    "masks": "Causal, padding, both, and no mask",
    "dropout": "The replay sees the dropout mask that forward drew",
    "sizes": "One block, one position, one head, odd lengths",
    "frozen-input": "Parameters get gradients when the input requires none",
    "autograd-grad": "torch.autograd.grad works through it",
    "autocast": "The replay runs in forward's precision",
    "shared": "One block three times in the list",
    "evaluation": "Two updates with an evaluation between them",
}

CAUSES = {
    "stack": "The replay must give back exactly what forward had: the same queries, keys and values, mask, scale and "
    "dropout draw.",
    "masks": "attention.mask is True where a query may look, broadcasts to B·H·L·L, and may be None. Each block has "
    "its own.",
    "dropout": "The replay drew other random numbers than forward, or left the random stream elsewhere. Take the "
    "random state before the core, set it for the replay, and put the stream back afterwards.",
    "sizes": "Recognise what to drop by where it is made, not by a size that something else can have too: with one "
    "position, or a length equal to a width, shapes coincide.",
    "frozen-input": "A replay that is built on the input's requires_grad leaves the parameters without a gradient.",
    "autograd-grad": "If the replay calls .backward(), gradients land in .grad and torch.autograd.grad sees none.",
    "autocast": "Autocast is off when backward runs. Record it in forward and switch it back on in the replay.",
    "shared": "State belongs to one call of a block, not to the block: it is called again before its backward.",
    "evaluation": "Leave the blocks as they were, follow block.training, and do not rely on gradients being recorded.",
}


def _best(blocks, x_BLD):
    for block in blocks:
        attention = block.attention
        heads = checkpoint(attention.core, *attention.split(block.norm1(x_BLD)), use_reentrant=False)
        x_BLD = x_BLD + attention.merge(heads)
        x_BLD = x_BLD + block.mlp(block.norm2(x_BLD))
    return x_BLD


REFERENCE = {"forward": _best}

SELECTIVE = ("attention cores run again", _best)
"""The run of the trade-off plot that keeps and remakes within blocks (`grader.tradeoff.measuring`)."""


def cases(rng, harness, mode):
    """Draw the cases of one grading: public ones for Run, fresh seeds and sizes for Submit."""
    if mode == "run":
        return harness.PUBLIC_CASES
    large = {"blocks": 8, "batch": 1, "length": 256, "width": 256, "heads": 16}
    drawn = [{"name": "stack", "family": "stack", "seed": rng.getrandbits(31), "measure": True, **large}]
    for family in harness.FAMILIES:
        if family != "stack":
            heads = rng.randrange(2, 5)
            small = {
                "blocks": rng.randrange(2, 4),
                "batch": rng.randrange(2, 5),
                "length": rng.randrange(11, 34),
                "width": heads * 2 * rng.randrange(3, 7),
                "heads": heads,
            }
            drawn.append({"name": family, "family": family, "seed": rng.getrandbits(31), "measure": False, **small})
    return drawn


def timed_case(rng, harness, mode):
    """The case on which step times are shown (they decide nothing)."""
    sizes = {"blocks": 2, "batch": 1, "length": 128, "width": 128, "heads": 8}
    return {"name": "time", "family": "stack", "seed": 3, "measure": False, **sizes}


def check(runs):
    """Return the checks of one grading; `runs` are grader.runs.CaseRun, one a case."""
    found = []
    for run in runs:
        tolerance = AUTOCAST_TOLERANCE if run.case["family"] == "autocast" else None
        found.append(checks.same_results(run, TITLES, CAUSES, tolerance))
        if run.case["family"] == "stack" and run.crash is None:
            found += [_peak(run), _work(run)]
    return found


def _peak(run):
    limit, actual = int(SHARE_OF_PLAIN_PEAK * run.plain.peak_bytes), run.decided_bytes("peak_bytes")
    hint = (
        "Look at what is live at the peak: every tensor of B·H·L·L elements that is kept from forward can be had back "
        "from queries and keys. If forward's end is low and the peak is not, a replay's tensors outlive their use."
    )
    passed = actual <= limit
    return Check("peak-bytes", "Peak bytes of the update", passed, limit, actual, "bytes", "" if passed else hint)


def _work(run):
    actual = (run.metered.flops - run.plain.flops) / run.plain.flops
    hint = (
        "The products with weights are the work of a block (the linear layers), the scores are its bytes. Make only "
        "the scores again: one product of queries and keys, at most one more with the values."
    )
    passed = actual <= SHARE_OF_PLAIN_WORK + 1e-9
    title = "Recomputed work, as a share of the plain update"
    expected, seen = f"at most {SHARE_OF_PLAIN_WORK:.0%}", f"{actual:.2%}"
    return Check("recomputed-work", title, passed, expected, seen, "", "" if passed else hint)
