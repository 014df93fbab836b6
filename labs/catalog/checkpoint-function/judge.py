"""The judge's side of `checkpoint-function`: hidden cases, the reference, the checks and their hints."""

from functools import partial
from pathlib import Path

from torch.utils.checkpoint import checkpoint as torch_checkpoint

from grader import catalog, checks, lab_code
from grader.frontier import keep_products

HARNESS = lab_code.harness(catalog.load(Path(__file__).parent))

PRIMARY = "chain"

SHARE_OF_GAP = 0.10
"""How far above the reference, as a share of the gap between the plain run and the reference, bytes may lie."""

TITLES = {
    "chain": "Gradients of a chain of blocks equal the plain run's",
    "arguments": "Keywords, plain values and nested tensors as arguments",
    "outputs": "Several outputs: dict, tuple, integers, a detached one",
    "frozen-input": "Parameters get gradients when no input requires one",
    "autograd-grad": "torch.autograd.grad works through it",
    "nesting": "A checkpointed function that checkpoints",
    "autocast": "The replay runs in forward's precision",
    "shared-weights": "Shared weights and a shared input add their gradients up",
    "two-updates": "Two optimiser updates in a row",
    "dropout": "The replay sees the dropout mask that forward drew",
}

CAUSES = {
    "chain": "The replay must run the same function on the same inputs, with grad enabled, and hand every gradient on.",
    "arguments": "Pass *args and **kwargs through untouched, in forward and in the replay; tensors may sit inside "
    "tuples, lists and dicts and still need gradients.",
    "outputs": "Return exactly what the function returned. An autograd.Function marks all its float outputs as "
    "requiring grad, a detached one included, and takes no dict.",
    "frozen-input": "An autograd.Function whose tensor arguments need no gradient is left out of the graph, and the "
    "parameters inside it with it.",
    "autograd-grad": "If the replay calls .backward(), gradients land in .grad and torch.autograd.grad sees none of "
    "them. Let the outer graph hold the real nodes, or return the gradients instead.",
    "nesting": "A replay can contain another checkpoint: hooks and stored state must belong to one call, not to "
    "the module.",
    "autocast": "Autocast is off when backward runs. Record it when forward starts and switch it back on in the "
    "replay (is_enabled, dtype, cache).",
    "shared-weights": "Each call needs state of its own, and gradients must be added, not overwritten.",
    "two-updates": "Nothing of the first update may reach the second; under no_grad there is nothing to keep.",
    "dropout": "The replay drew other random numbers than forward. Take torch.get_rng_state() before forward, set it "
    "for the replay, and put the stream back where it was afterwards.",
}


def cases(rng, harness, mode):
    """Draw the cases of one grading: public ones for Run, fresh seeds and sizes for Submit."""
    if mode == "run":
        return harness.PUBLIC_CASES
    drawn = [
        {
            "name": "chain",
            "family": "chain",
            "seed": rng.getrandbits(31),
            "measure": True,
            "blocks": 12,
            "rows": 2048,
            "width": 128,
        }
    ]
    for family in harness.FAMILIES:
        if family != "chain":
            sizes = {"rows": rng.randrange(17, 41), "width": rng.randrange(12, 33), "vocabulary": rng.randrange(7, 20)}
            drawn.append({"name": family, "family": family, "seed": rng.getrandbits(31), "measure": False, **sizes})
    return drawn


REFERENCE = {"checkpoint": partial(torch_checkpoint, use_reentrant=False)}

SELECTIVE = ("products kept, the rest made again", keep_products)
"""The run of the trade-off plot that keeps and remakes within blocks (`grader.tradeoff.measuring`)."""


def chain_program(case, run):
    """The update of the chain with `run(blocks, x)` in the place of the calls of `checkpoint`."""
    return HARNESS.update(case, run)


def timed_case(rng, harness, mode):
    """The case on which step times are shown (they decide nothing)."""
    return {"name": "time", "family": "chain", "seed": 3, "measure": False, "blocks": 4, "rows": 512, "width": 256}


def check(runs):
    """Return the checks of one grading; `runs` are grader.judge.CaseRun, one a case."""
    found = []
    for run in runs:
        found.append(checks.same_results(run, TITLES, CAUSES))
        if run.case["family"] == "chain" and run.crash is None:
            found += [
                checks.bytes_near_reference(
                    run,
                    "saved_bytes",
                    "saved-bytes",
                    "Bytes kept at the end of forward",
                    SHARE_OF_GAP,
                    "Only each call's inputs have to survive forward. A copy of an activation counts like the "
                    "activation, whoever holds it.",
                ),
                checks.bytes_near_reference(
                    run,
                    "peak_bytes",
                    "peak-bytes",
                    "Peak bytes of the update",
                    SHARE_OF_GAP,
                    "One block's activations at a time are enough in backward: release what a replay made as soon as "
                    "its gradients are computed.",
                ),
                checks.recomputed_at_most(
                    run,
                    1.0,
                    "recomputed-work",
                    "Recomputed work, in plain forwards",
                    "Replay each call once, and use what that replay saved for all of its gradients.",
                ),
            ]
    return found
