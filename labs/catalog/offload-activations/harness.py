"""How your `offload` is called. This file is the whole of what runs beside your code; the judge plays the same families
with sizes and seeds of its own, runs the plain update itself, and compares.

Your module defines

    offload()   # a context manager, entered anew around each forward

The model is on the GPU. What forward saves for backward goes to pinned host memory and comes back in backward; what the
GPU holds anyway (parameters, buffers) stays. The same code runs on a CPU too, where only its results can be judged.

Shape suffixes: R rows, D model width, H hidden width, V vocabulary.
"""

import contextlib
import statistics

import torch
import torch.nn.functional as F
from torch import nn

from grader.program import Program

UPDATES = 5

PLAIN = {"offload": contextlib.nullcontext}


class Block(nn.Module):
    """LayerNorm, two linear layers around a GELU, a residual: saves 2 R·D and 2 R·H floats for backward."""

    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x_RD):
        return x_RD + self.down(F.gelu(self.up(self.norm(x_RD))))


def saved_bytes(case):
    """Bytes that the chain's forward saves: per block the input, the norm's output, and GELU's input and output."""
    return case["blocks"] * 10 * case["rows"] * case["width"] * 4


class Chain:
    """Blocks in a row on the case's device, with resident gradients, and one update of them."""

    def __init__(self, case, offload):
        self.offload, self.device = offload, case.get("device", "cpu")
        with torch.device(self.device):
            self.blocks = nn.ModuleList(Block(case["width"]) for _ in range(case["blocks"]))
            self.x_RD = torch.randn(case["rows"], case["width"], requires_grad=True)
            self.direction_RD = torch.randn(case["rows"], case["width"])
        self.zero()

    def zero(self):
        for tensor in (self.x_RD, *self.blocks.parameters()):
            tensor.grad = torch.zeros_like(tensor)

    def forward(self):
        with self.offload():
            h_RD = self.x_RD
            for block in self.blocks:
                h_RD = block(h_RD)
            self.loss = (h_RD * self.direction_RD).mean()

    def backward(self):
        self.loss.backward()
        self.loss = self.loss.detach()

    def observe(self):
        """The loss and the small gradients: those of the matrices are too large to be sent."""
        small = {f"{n}.grad": p.grad for n, p in self.blocks.named_parameters() if p.dim() == 1}
        return {"loss": self.loss, "x.grad": self.x_RD.grad, **small}


def chain(case, offload):
    """One update whose bytes on the GPU are judged."""
    run = Chain(case, offload)
    phases = [("forward", run.forward), ("backward", run.backward)]
    return Program(phases, run.observe, modules=run.blocks, inputs=[run.x_RD, run.direction_RD])


def overlap(case, offload):
    """Several updates in a row: how long each takes on the GPU, and how much pinned memory there is after each."""
    run = Chain(case, offload)
    seconds, pinned = [], []

    def updates():
        for _ in range(UPDATES):
            run.zero()
            seconds.append(timed(run.device, run.forward, run.backward))
            pinned.append(pinned_bytes(run.device))

    def observe():
        seen = run.observe()
        if run.device == "cuda":
            seen["measured.seconds"] = statistics.median(seconds[1:])
            seen["measured.pinned_second"], seen["measured.pinned_last"] = pinned[1], pinned[-1]
            seen["measured.copy_seconds"] = copy_seconds(saved_bytes(case))
        return seen

    return Program([("updates", updates)], observe, modules=run.blocks)


def kinds(case, offload):
    """Saved tensors of every kind: float32, bfloat16, integers, booleans, a scalar, an empty one."""
    width, device = case["width"], case.get("device", "cpu")
    with torch.device(device):
        table = nn.Embedding(case["vocabulary"], width)
        ids_R = torch.randint(case["vocabulary"], (case["rows"],))
        x_RD = torch.randn(case["rows"], width, requires_grad=True)
        scale = torch.tensor(1.5, requires_grad=True)
    state = {}

    def forward():
        with offload():
            h_RD = table(ids_R) * x_RD
            top_R, where_R = h_RD.max(dim=1)
            half_RD = (h_RD.bfloat16() * x_RD.bfloat16()).float()
            chosen_RD = torch.where(h_RD > 0, h_RD.exp().clamp(max=3.0), half_RD * scale)
            nothing = (x_RD[:0] * x_RD[:0]).sum()
            state["loss"] = chosen_RD.mean() + top_R.square().mean() + nothing
        state["best"] = where_R

    def backward():
        state["loss"].backward()

    def observe():
        grads = {"x.grad": x_RD.grad, "scale.grad": scale.grad, "table.grad": table.weight.grad}
        return {"loss": state["loss"].detach(), "best": state["best"], **grads}

    return Program([("forward", forward), ("backward", backward)], observe)


def layouts(case, offload):
    """Views: transposed, strided, expanded, two halves of one tensor, the same tensor saved twice."""
    device, width = case.get("device", "cpu"), case["width"]
    with torch.device(device):
        x_RD = torch.randn(case["rows"], 2 * width, requires_grad=True)
        row_D = torch.randn(width, requires_grad=True)
    state = {}

    def forward():
        with offload():
            left_RD, right_RD = (x_RD * 2).chunk(2, dim=1)
            wide_RD = row_D.expand(case["rows"], -1)
            h_RD = left_RD * right_RD * wide_RD + (left_RD.t() @ right_RD)[0]
            every_second = h_RD[::2] * h_RD[::2] * h_RD.flip(0)[::2]
            state["loss"] = every_second.mean() + torch.sigmoid(h_RD.t()).square().mean()

    def observe():
        return {"loss": state["loss"].detach(), "x.grad": x_RD.grad, "row.grad": row_D.grad}

    return Program([("forward", forward), ("backward", lambda: state["loss"].backward())], observe)


def in_flight(case, offload):
    """Two forwards before their backwards, the later one first; and one context inside another."""
    first, second, third = (Chain(case, offload) for _ in range(3))

    def forward():
        first.forward()
        second.forward()
        with offload():
            third.forward()

    def backward():
        for run in (second, third, first):
            run.backward()

    def observe():
        runs = {"first": first, "second": second, "third": third}
        return {f"{name} {key}": value for name, run in runs.items() for key, value in run.observe().items()}

    return Program([("forward", forward), ("backward", backward)], observe)


def autograd_grad(case, offload):
    """Gradients asked for by `torch.autograd.grad`, some parts of the graph never asked for."""
    run = Chain(case, offload)
    wanted = [run.x_RD, run.blocks[0].norm.bias]
    state = {}

    def backward():
        state["grads"] = torch.autograd.grad(run.loss, wanted)
        run.loss = run.loss.detach()

    def observe():
        return {"grad of x": state["grads"][0], "grad of a bias": state["grads"][1], **run.observe()}

    return Program([("forward", run.forward), ("backward", backward)], observe)


def outside(case, offload):
    """Only what is saved inside is sent away, also after an error inside and with nothing to save (no_grad)."""
    run = Chain(case, offload)
    seen = {}

    def forward():
        seen["before"] = stays(run.x_RD)
        with contextlib.suppress(KeyError), offload():
            run.blocks[0](run.x_RD)
            raise KeyError("an error in forward")
        seen["after an error"] = stays(run.x_RD)
        with torch.no_grad(), offload():
            seen["no_grad"] = run.blocks[0](run.x_RD)
        run.forward()
        seen["after forward"] = stays(run.x_RD)

    def observe():
        where = {p.device.type == run.x_RD.device.type for p in run.blocks.parameters()}
        values = {f"parameter {n}": p for n, p in run.blocks.named_parameters()}
        return {**seen, "parameters in place": where == {True}, **values, **run.observe()}

    return Program([("forward", forward), ("backward", run.backward)], observe)


FAMILIES = {
    "chain": chain,
    "overlap": overlap,
    "kinds": kinds,
    "layouts": layouts,
    "in-flight": in_flight,
    "autograd-grad": autograd_grad,
    "outside": outside,
}

SMALL = {"blocks": 3, "rows": 20, "width": 16, "vocabulary": 11}

PUBLIC_CASES = [
    {"name": "chain", "family": "chain", "seed": 1, "measure": True, "blocks": 6, "rows": 1024, "width": 2048},
    {"name": "overlap", "family": "overlap", "seed": 1, "measure": False, "blocks": 6, "rows": 2048, "width": 3072},
    *(
        {"name": name, "family": name, "seed": 2, "measure": False, **SMALL}
        for name in FAMILIES
        if name not in ("chain", "overlap")
    ),
]


def prepare(case, entry):
    """Build one update of one case. `entry["offload"]` is your context manager, or a plain one."""
    torch.manual_seed(case["seed"])
    return FAMILIES[case["family"]](case, entry["offload"])


def stays(x):
    """Say whether a tensor saved here is kept as it is: no hook of a context that was left still takes it."""
    y = x.exp()
    return y.grad_fn._saved_result.data_ptr() == y.data_ptr()


def timed(device, *phases):
    """Run the phases and return the seconds between two events on the GPU's current stream (0 on a CPU)."""
    if device != "cuda":
        for phase in phases:
            phase()
        return 0.0
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    begin.record()
    for phase in phases:
        phase()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / 1000


def pinned_bytes(device):
    """Bytes of pinned host memory that torch holds, the free blocks of its cache included (0 on a CPU)."""
    return torch.cuda.host_memory_stats()["allocated_bytes.current"] if device == "cuda" else 0


def copy_seconds(count):
    """Seconds to copy `count` bytes to pinned memory and back, with nothing else to do: median of three."""
    part = torch.empty(min(count, 1 << 26), dtype=torch.uint8, device="cuda")
    host = torch.empty(part.shape, dtype=torch.uint8, pin_memory=True)

    def there_and_back():
        for _ in range(count // len(part)):
            host.copy_(part, non_blocking=True)
            part.copy_(host, non_blocking=True)

    timed("cuda", there_and_back)
    return statistics.median(timed("cuda", there_and_back) for _ in range(3))
