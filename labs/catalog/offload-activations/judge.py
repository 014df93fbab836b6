"""The judge's side of `offload-activations`: hidden cases, the reference, the checks and their hints.

Nothing here runs without a GPU but the comparison of results; the harness's results are the same on both devices.
"""

import contextlib
from dataclasses import replace

import torch
from torch.autograd.graph import saved_tensors_hooks

from grader import checks
from grader.verdict import Check

PRIMARY = "chain"

SHARE_OF_GAP = 0.25
"""How far above the reference, as a share of the gap between plain and reference, bytes on the GPU may lie."""

LEAST_OVERLAP = 0.5
"""Share of the shorter of computing and copying that has to be hidden behind the longer one."""

PINNED_SHARE = 1.6
"""Pinned bytes over the saved ones. torch rounds a pinned block up to a power of two: 1.27 at the sizes played."""

PINNED_GROWTH = 1.05

TITLES = {
    "chain": "Gradients of a chain of blocks equal the plain run's",
    "overlap": "Several updates in a row",
    "kinds": "Every dtype, a scalar, an empty tensor",
    "layouts": "Views, strides, one tensor saved twice",
    "in-flight": "Two forwards before their backwards, and nesting",
    "autograd-grad": "torch.autograd.grad works through it",
    "outside": "Only what is saved inside is sent away",
}

CAUSES = {
    "chain": "If gradients are wrong at random, a copy was read before it had arrived, or its source was used again "
    "before it had left: wait for events, and tell the allocator with record_stream.",
    "overlap": "Nothing of an earlier update may be read in a later one: a buffer that is used again must first have "
    "been emptied.",
    "kinds": "Give every tensor back with the dtype, shape and device that it came with; integers and booleans too.",
    "layouts": "A copy may lay its elements out anew, but its shape stays; two views of one tensor are two tensors.",
    "in-flight": "State belongs to one context, not to the module: another forward may come before the backward.",
    "autograd-grad": "Parts of the graph that nobody asks for are never unpacked. Do not count on each tensor coming "
    "back, nor on the order.",
    "outside": "Leave the context on every way out (try … finally, or contextlib), keep nothing where nothing is "
    "saved, and do not move parameters.",
}


class _Offload:
    """One forward's saved tensors: sent on a side stream as they are saved, fetched one block ahead in backward."""

    AHEAD = 4
    LEAST_BYTES = 1 << 16

    def __init__(self):
        self.out, self.back = torch.cuda.Stream(), torch.cuda.Stream()
        self.host, self.fetched = [], {}

    def pack(self, tensor):
        if tensor.device.type != "cuda" or tensor.nbytes < self.LEAST_BYTES or _parameter(tensor):
            return tensor
        host = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
        self.out.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.out):
            host.copy_(tensor, non_blocking=True)
        tensor.record_stream(self.out)
        self.host.append(host)
        return len(self.host) - 1

    def fetch(self, index):
        if index >= 0 and index not in self.fetched and self.host[index] is not None:
            with torch.cuda.stream(self.back):
                self.fetched[index] = self.host[index].to("cuda", non_blocking=True), torch.cuda.Event()
                self.fetched[index][1].record()

    def unpack(self, kept):
        if isinstance(kept, torch.Tensor):
            return kept
        if not self.fetched:
            self.back.wait_stream(self.out)
        for index in range(kept, kept - self.AHEAD, -1):
            self.fetch(index)
        tensor, arrived = self.fetched.pop(kept)
        arrived.wait()
        tensor.record_stream(torch.cuda.current_stream())
        return tensor


def _parameter(tensor):
    base = tensor if tensor._base is None else tensor._base
    return isinstance(base, torch.nn.Parameter)


@contextlib.contextmanager
def _best():
    state = _Offload()
    with saved_tensors_hooks(state.pack, state.unpack):
        yield


REFERENCE = {"offload": _best}


def cases(rng, harness, mode):
    """Draw the cases of one grading: public ones for Run, fresh seeds and sizes for Submit."""
    if mode == "run":
        return harness.PUBLIC_CASES
    large = {"blocks": 8, "rows": 2048, "width": 3072}
    drawn = [
        {"name": "chain", "family": "chain", "seed": rng.getrandbits(31), "measure": True, **large},
        {"name": "overlap", "family": "overlap", "seed": rng.getrandbits(31), "measure": False, **large},
    ]
    for family in harness.FAMILIES:
        if family not in ("chain", "overlap"):
            small = {
                "blocks": rng.randrange(2, 5),
                "rows": rng.randrange(9, 40),
                "width": rng.randrange(8, 24),
                "vocabulary": rng.randrange(7, 20),
            }
            drawn.append({"name": family, "family": family, "seed": rng.getrandbits(31), "measure": False, **small})
    return drawn


def check(runs):
    """Return the checks of one grading; `runs` are grader.runs.CaseRun, one a case."""
    found = []
    for run in runs:
        found.append(checks.same_results(_compared(run), TITLES, CAUSES))
        if run.crash is not None:
            continue
        if run.case["family"] == "chain" and run.metered is not None:
            found += _device_bytes(run)
        if run.case["family"] == "overlap" and "measured.seconds" in run.observed:
            found += [_overlap(run), _pinned(run)]
    return found


def _compared(run):
    """Leave out what was measured: it is judged by checks of its own."""
    expected, observed = (
        {name: value for name, value in side.items() if not name.startswith("measured.")}
        for side in (run.expected, run.observed)
    )
    return replace(run, expected=expected, observed=observed)


def _device_bytes(run):
    return [
        checks.bytes_near_reference(
            run,
            "saved_bytes",
            "saved-bytes",
            "Bytes on the GPU at the end of forward",
            SHARE_OF_GAP,
            "A tensor stays on the GPU as long as anything refers to it: the packed value must hold the host copy "
            "only, and copies must end soon after the operators that made their sources.",
        ),
        checks.bytes_near_reference(
            run,
            "peak_bytes",
            "peak-bytes",
            "Peak bytes on the GPU",
            SHARE_OF_GAP,
            "In backward, fetch a few tensors ahead and not all of them, and let go of each once it was used.",
        ),
    ]


def _overlap(run):
    """Judge how much of the copying is hidden; the plain time and the time of the copies alone are the judge's own."""
    yours, plain = run.observed["measured.seconds"], run.expected["measured.seconds"]
    share = hidden_share(float(yours), float(plain), float(run.expected["measured.copy_seconds"]))
    passed = share >= LEAST_OVERLAP
    hint = (
        "The update takes about as long as computing and copying one after the other. Copy on a stream of its own, "
        "from and to pinned memory, with non_blocking=True; wait for events, not for the device; begin to fetch a "
        "tensor before backward asks for it."
    )
    title = "Copying hidden behind computing"
    return Check(
        "hidden-copies", title, passed, f"at least {LEAST_OVERLAP:.0%}", f"{share:.0%}", "", "" if passed else hint
    )


def hidden_share(yours, plain, copies):
    """Return the share of the shorter of `plain` and `copies` that an update of `yours` seconds hides, 0 to 1.

    One after the other they take their sum (0), fully hidden the longer of the two (1). A time that is not finite and
    positive hides nothing.
    """
    if not 0 < yours < float("inf"):
        return 0.0
    return min(1.0, max(0.0, (plain + copies - yours) / min(plain, copies)))


def _pinned(run):
    case = run.case
    saved = case["blocks"] * 10 * case["rows"] * case["width"] * 4
    second, last = run.observed["measured.pinned_second"], run.observed["measured.pinned_last"]
    limit = int(PINNED_SHARE * saved)
    bounded = last <= limit and last <= PINNED_GROWTH * max(second, 1)
    hint = (
        "Pinned memory cannot be swapped, and pinning is slow. Keep pinned only what is saved (not parameters, not "
        "several copies), give buffers back, or use them again in the next update."
    )
    return Check(
        "pinned-bytes",
        "Pinned host memory after several updates",
        bounded,
        limit,
        int(last),
        "bytes",
        "" if bounded else hint,
    )
