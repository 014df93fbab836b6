"""The judge's side of `replay-state`: hidden cases, the reference, the checks and their hints."""

import runpy
from pathlib import Path

from grader import checks

PRIMARY = "chain"

SHARE_OF_GAP = 0.10
"""How far above the reference, as a share of the gap between the plain run and the reference, bytes may lie."""

TITLES = {
    "chain": "A chain with four kinds of state: gradients, state and streams equal the plain run's",
    "random-operators": "Every random operator draws the same numbers in the replay",
    "random-stream": "The random stream stands where the plain run leaves it, before and after backward",
    "generators": "torch.Generator as an argument and as an attribute",
    "python-and-numpy": "Python's random and numpy.random: same path, streams in place",
    "batchnorm": "BatchNorm's running statistics move once for each call",
    "buffers": "Buffers that forward writes and reads: running scale, spectral norm",
    "attributes": "Counters, lists, dicts and tensors as attributes are written once",
    "cache": "A key/value cache given as an argument gets one entry a step",
    "router": "The replay takes the route that forward took",
    "autocast": "The same under autocast, with backward outside it",
    "nesting": "A checkpointed module that checkpoints its submodules",
    "order": "Replays in another order than forwards; later changes to state survive",
    "evaluation": "Evaluation mode moves nothing, and a switch to it does not reach a replay",
}

CAUSES = {
    "chain": "The other families say which kind of state it is.",
    "random-operators": "The replay drew other numbers than forward. Take torch.get_rng_state() before forward and "
    "set it for the replay.",
    "random-stream": "The replay consumed numbers, or put the stream back to a moment of forward's. Take the state "
    "when the replay starts, and set it again when the replay ends, however it ends.",
    "generators": "A generator of its own is not part of torch.get_rng_state(). Find those among arguments and "
    "attributes; get_state() and set_state() work on each, in the replay and after it.",
    "python-and-numpy": "random.getstate() and numpy.random.get_state() are streams like torch's: set them for the "
    "replay, and put them back.",
    "batchnorm": "The replay updated the statistics again (num_batches_tracked is the simplest witness). They have "
    "to stand, after the replay, where they stood when it began. Note that one module may be called several times.",
    "buffers": "A gradient that is wrong: the replay read a buffer that forward had already moved; it must see the "
    "value from before. A buffer that is wrong: the replay's update was left in it. A buffer may be changed in place "
    "(copy its value) or replaced (put the old object back).",
    "attributes": "vars(module) holds what forward assigns to self. The replay needs it as it was before forward, and "
    "afterwards everything must be as it was before the replay. A list needs a copy of the list, of its tensors not.",
    "cache": "The replay appended a second time, or saw a cache that had grown since. Arguments are state as well: "
    "give the replay the list as forward found it. The list that the caller holds must be the one that forward filled.",
    "router": "The route depends on noise and on a bias that forward moves: both must be as forward found them.",
    "autocast": "Autocast is off when backward runs. Record whether it was on, and its dtype, and switch it back on in "
    "the replay.",
    "nesting": "A replay can contain other calls of checkpoint, each with a snapshot of its own.",
    "order": "One module, several calls waiting for backward: each needs its own snapshot from before its forward, and "
    "what stands when a replay begins (not what stood when that forward ended) must stand after it.",
    "evaluation": "`training` is state too: a replay runs in the mode that forward ran in, and leaves the mode alone. "
    "Replaying in evaluation mode to protect statistics is another function.",
}


def cases(rng, harness, mode):
    """Draw the cases of one grading: public ones for Run, fresh seeds and sizes for Submit."""
    if mode == "run":
        return harness.PUBLIC_CASES
    # Wide enough that copies of the parameters weigh: at 128, copying all of them stays under the limits.
    chain = {"blocks": 12, "rows": 1024, "width": 256}
    drawn = [{"name": "chain", "family": "chain", "seed": rng.getrandbits(31), "measure": True, **chain}]
    for family in harness.FAMILIES:
        if family != "chain":
            sizes = {"rows": rng.randrange(17, 41), "width": rng.randrange(12, 33)}
            drawn.append({"name": family, "family": family, "seed": rng.getrandbits(31), "measure": False, **sizes})
    return drawn


REFERENCE = {"checkpoint": runpy.run_path(str(Path(__file__).parent / "right" / "library_context.py"))["checkpoint"]}


def timed_case(rng, harness, mode):
    """The case on which step times are shown (they decide nothing)."""
    return {"name": "time", "family": "chain", "seed": 3, "measure": False, "blocks": 4, "rows": 512, "width": 256}


def check(runs):
    """Return the checks of one grading; `runs` are grader.runs.CaseRun, one a case."""
    found = []
    for run in runs:
        found.append(checks.same_results(run, TITLES, CAUSES))
        if run.case["family"] == "chain" and run.crash is None:
            found += _figures(run)
    return found


def _figures(run):
    return [
        checks.bytes_near_reference(
            run,
            "saved_bytes",
            "saved-bytes",
            "Bytes kept at the end of forward",
            SHARE_OF_GAP,
            "A call keeps its inputs and a snapshot of what forward may write. Parameters are not among that: a deep "
            "copy of the module holds a second set of weights.",
        ),
        checks.bytes_near_reference(
            run,
            "peak_bytes",
            "peak-bytes",
            "Peak bytes of the update",
            SHARE_OF_GAP,
            "One block's activations at a time are enough in backward: release what a replay made, and its snapshot, "
            "as soon as its gradients are computed.",
        ),
        checks.recomputed_at_most(
            run,
            1.0,
            "recomputed-work",
            "Recomputed work, in plain forwards",
            "One replay for each call, and nothing run to find out what state there is.",
        ),
    ]
