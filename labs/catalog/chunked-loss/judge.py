"""The judge's side of `chunked-loss`: hidden cases, the reference, the checks and their hints."""

import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

from grader import checks
from grader.verdict import Check

PRIMARY = "large"

SHARE_OF_LOGITS = 0.5
"""The peak of the update may take this share of what the float32 logits would take whole."""

REFERENCE_ROWS = 64

# The product's own rounding to bfloat16 moves a logit by up to 2^-9 of its size; whoever multiplies in float32 is
# more exact than the plain run. Both are right.
BFLOAT16_TOLERANCE = {torch.float32: 5e-3, torch.bfloat16: 3e-2}

TITLES = {
    "large": "Value and gradients with a large vocabulary",
    "odd-lengths": "Lengths that no chunk divides, one position among them",
    "ignored-targets": "The mean is over the targets that are not -100",
    "all-ignored": "All targets ignored: 0, and no NaN",
    "bfloat16": "bfloat16 in, float32 softmax and loss",
    "large-logits": "Logits whose exponentials overflow",
    "upstream": "The gradient that arrives from above is used",
    "tied-weights": "A head that is the embedding table too, used twice",
    "frozen": "A frozen head, frozen hidden states, no_grad",
    "layouts": "Transposed hidden states and targets",
}

CAUSES = {
    "large": "Chunks must add up to the same mean: sum each chunk's losses, divide once by the number of all targets "
    "that count, and add the chunks' gradients of the head.",
    "odd-lengths": "The last chunk is shorter, and there may be one position only. Averaging the chunks' means weighs "
    "a short chunk like a long one: add sums and divide once.",
    "ignored-targets": "Divide by the number of targets that are not -100 in the whole batch, not in a chunk and not "
    "by B·T. A chunk may be without any.",
    "all-ignored": "0 / 0 is NaN: clamp the count to at least 1, and return a loss that is still part of the graph, "
    "so that backward works.",
    "bfloat16": "Convert the chunk's logits to float32 before the softmax, add the losses up in float32, return "
    "float32, and give each gradient the dtype of what it belongs to.",
    "large-logits": "exp of a few hundred is infinity in float32. Subtract each row's maximum first, or use "
    "log_softmax or logsumexp.",
    "upstream": "A Function that computes its gradients in forward must still multiply them by the gradient that "
    "arrives in backward, and each call needs state of its own.",
    "tied-weights": "The head's gradient of each call is returned to autograd, which adds it to the others. Do not "
    "write to .grad, and keep nothing in the module.",
    "frozen": "Only what requires a gradient gets one (ctx.needs_input_grad), and under no_grad there is only a value.",
    "layouts": "A transposed tensor has no flat view: use reshape or flatten, not view.",
}


def _chunk(hidden_CD, weight_VD, targets_C):
    return F.cross_entropy(F.linear(hidden_CD, weight_VD).float(), targets_C, ignore_index=-100, reduction="sum")


def _best(hidden_BTD, weight_VD, targets_BT):
    hidden_ND, targets_N = hidden_BTD.flatten(0, 1), targets_BT.flatten()
    total = torch.zeros((), device=hidden_BTD.device)
    for hidden_CD, targets_C in zip(hidden_ND.split(REFERENCE_ROWS), targets_N.split(REFERENCE_ROWS), strict=True):
        total = total + checkpoint(_chunk, hidden_CD, weight_VD, targets_C, use_reentrant=False)
    return total / (targets_N != -100).sum().clamp(min=1)


REFERENCE = {"loss": _best}


def cases(rng, harness, mode):
    """Draw the cases of one grading: public ones for Run, fresh seeds and sizes for Submit."""
    if mode == "run":
        return harness.PUBLIC_CASES
    large = {"batch": 2, "time": 1021, "width": 64, "vocabulary": 12288}
    drawn = [{"name": "large", "family": "large", "seed": rng.getrandbits(31), "measure": True, **large}]
    for family in harness.FAMILIES:
        if family != "large":
            long = 2 * rng.randrange(150, 300) + 1
            shapes = [[1, 1], [1, rng.randrange(2, 9)], [3, rng.randrange(31, 61)], [2, long]]
            sizes = {
                "batch": rng.randrange(3, 5),
                "time": 2 * rng.randrange(20, 60) + 1,
                "width": rng.randrange(12, 33),
                "vocabulary": rng.randrange(90, 200),
                "shapes": shapes,
            }
            drawn.append({"name": family, "family": family, "seed": rng.getrandbits(31), "measure": False, **sizes})
    return drawn


def timed_case(rng, harness, mode):
    """The case on which step times are shown (they decide nothing)."""
    sizes = {"batch": 2, "time": 167, "width": 64, "vocabulary": 4096}
    return {"name": "time", "family": "large", "seed": 3, "measure": False, **sizes}


def check(runs):
    """Return the checks of one grading; `runs` are grader.runs.CaseRun, one a case."""
    found = []
    for run in runs:
        tolerance = BFLOAT16_TOLERANCE if run.case["family"] == "bfloat16" else None
        found.append(checks.same_results(run, TITLES, CAUSES, tolerance))
        if run.case["family"] == "large" and run.crash is None:
            found += [
                _peak(run),
                checks.recomputed_at_most(
                    run,
                    1.0,
                    "recomputed-work",
                    "Extra products of hidden states and head",
                    "Once per chunk is enough: what one replay gave serves the gradients of both the hidden states and "
                    "the head.",
                ),
            ]
    return found


def _peak(run):
    case = run.case
    logits_bytes = 4 * case["batch"] * case["time"] * case["vocabulary"]
    limit, actual = int(SHARE_OF_LOGITS * logits_bytes), run.decided_bytes("peak_bytes")
    hint = (
        f"The logits as one float32 tensor take {logits_bytes:,} bytes. If forward's end is as high as the peak, "
        "autograd kept every chunk's logits: a loop alone frees nothing. If it is low, the chunk is too large, or too "
        "many tensors of its size live at once."
    )
    passed = actual <= limit
    return Check("peak-bytes", "Peak bytes of the update", passed, limit, actual, "bytes", "" if passed else hint)
