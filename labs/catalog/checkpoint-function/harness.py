"""How your `checkpoint` is called. This file is the whole of what runs beside your code; the judge plays the same
families with sizes and seeds of its own, runs the plain update itself, and compares.

Your module defines

    checkpoint(function, *args, **kwargs)   # returns what function(*args, **kwargs) returns

Shape suffixes: R rows, D model width, H hidden width, V vocabulary.
"""

import torch
import torch.nn.functional as F
from torch import nn

from grader.program import Program


def plain(function, *args, **kwargs):
    """The plain run: no checkpointing, everything that autograd wants is kept."""
    return function(*args, **kwargs)


PLAIN = {"checkpoint": plain}


class Block(nn.Module):
    """LayerNorm, two linear layers around a GELU, a residual: keeps about 10 R·D floats for backward."""

    def __init__(self, width, hidden, dropout=0.0):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, hidden)
        self.down = nn.Linear(hidden, width)
        self.dropout = dropout

    def forward(self, x_RD):
        h_RH = F.gelu(self.up(self.norm(x_RD)))
        h_RH = F.dropout(h_RH, self.dropout, training=self.training)
        return x_RD + self.down(h_RH)


def chain(case, checkpoint):
    """Blocks in a row, each checkpointed. The bytes, the work and the gradients of one update are judged."""

    def run(blocks, h_RD):
        for block in blocks:
            h_RD = checkpoint(block, h_RD)
        return h_RD

    return update(case, run)


def update(case, run):
    """One forward of `run(blocks, x_RD)` to a linear loss, one backward."""
    blocks = nn.ModuleList(Block(case["width"], 4 * case["width"]) for _ in range(case["blocks"]))
    x_RD = torch.randn(case["rows"], case["width"], requires_grad=True)
    direction_RD = torch.randn(case["rows"], case["width"])
    for tensor in (x_RD, *blocks.parameters()):  # gradients are resident, so that bytes are activations
        tensor.grad = torch.zeros_like(tensor)
    state = {}

    def forward():
        h_RD = run(blocks, x_RD)
        state["loss"] = torch.dot(h_RD.flatten(), direction_RD.flatten()) / h_RD.numel()

    def backward():
        state["loss"].backward()
        state["loss"] = state["loss"].detach()

    return Program(
        phases=[("forward", forward), ("backward", backward)],
        observe=lambda: {"loss": state["loss"], "x.grad": x_RD.grad, **gradients(blocks)},
        modules=blocks,
        inputs=[x_RD, direction_RD],
    )


def arguments(case, checkpoint):
    """Keywords, defaults, plain values, and tensors inside tuples and dicts; all of them may need gradients."""
    width = case["width"]
    x, shift, gain, bias, cap = (torch.randn(case["rows"], width, requires_grad=True) for _ in range(5))
    weight = torch.randn(width, width, requires_grad=True)

    def function(x, power, *rest, scale=1.0, pair=None, table=None, mode="none", floor=None):
        h = torch.tanh(x @ table["weight"]) * scale + pair[0] * pair[1]
        h = h.pow(power) if mode == "power" else h
        return h * rest[0].sigmoid() if floor is None else torch.maximum(h, floor)

    outputs = {}

    def body():
        first = checkpoint(function, x, 2, shift, scale=0.5, pair=(gain, bias), table={"weight": weight}, mode="power")
        second = checkpoint(function, first, 3, shift, scale=2, pair=[gain, 2.0], table={"weight": weight}, floor=cap)
        outputs["first"], outputs["second"] = first, second
        return first.sum() + (second * second).sum()

    named = {"x": x, "shift": shift, "gain": gain, "bias": bias, "cap": cap, "weight": weight}
    return simple(body, lambda: {**outputs, **{f"{name}.grad": t.grad for name, t in named.items()}})


def outputs(case, checkpoint):
    """A dict of tensors, a tuple, integers, a detached tensor, None: each comes back as the kind it was."""
    block = Block(case["width"], 2 * case["width"])
    x = torch.randn(case["rows"], case["width"], requires_grad=True)

    def function(x):
        h = block(x)
        best = h.argmax(dim=-1)
        return {"main": h, "pair": (h.tanh(), h.exp()), "best": best, "frozen": h.detach() * 2, "count": 3, "no": None}

    seen = {}

    def body():
        out = checkpoint(function, x)
        seen["kind"] = type(out).__name__
        seen["keys"] = ",".join(sorted(out))
        seen["pair.kind"] = type(out["pair"]).__name__
        seen["main"], seen["best"], seen["frozen"] = out["main"], out["best"], out["frozen"]
        seen["count"], seen["no"] = out["count"], out["no"]
        seen["requires_grad"] = ",".join(str(out[key].requires_grad) for key in ("main", "best", "frozen"))
        loss = (out["main"] * out["frozen"]).sum() + out["pair"][0].square().sum()  # pair[1] stays unused
        return loss / out["main"].numel()

    return simple(body, lambda: {**seen, "x.grad": x.grad, **gradients(block)})


def frozen_input(case, checkpoint):
    """Nothing requires grad but the parameters; token ids are integers; and once, nothing requires grad at all."""
    table = nn.Embedding(case["vocabulary"], case["width"])
    block = Block(case["width"], 2 * case["width"])
    ids_R = torch.randint(case["vocabulary"], (case["rows"],))
    x_RD = torch.randn(case["rows"], case["width"])
    seen = {}

    def body():
        h_RD = checkpoint(lambda ids: block(table(ids)), ids_R)
        y_RD = checkpoint(block, x_RD)
        seen["constant.requires_grad"] = checkpoint(torch.tanh, x_RD).requires_grad
        return (h_RD * x_RD).mean() + y_RD.square().mean()

    return simple(body, lambda: {**seen, "x.grad": x_RD.grad, **gradients(block), **gradients(table, "table.")})


def autograd_grad(case, checkpoint):
    """Gradients asked for by `torch.autograd.grad`, for an input and for parameters, with `.grad` left alone."""
    block = Block(case["width"], 2 * case["width"])
    x = torch.randn(case["rows"], case["width"], requires_grad=True)
    wanted = [x, block.up.weight, block.norm.bias]
    state = {}

    def forward():
        state["loss"] = checkpoint(block, checkpoint(block, x)).square().mean()

    def backward():
        state["grads"] = torch.autograd.grad(state.pop("loss"), wanted)

    def observe():
        named = dict(zip(("x", "up.weight", "norm.bias"), state["grads"], strict=True))
        return {**{f"grad.{name}": tensor for name, tensor in named.items()}, **gradients(block, "left alone: ")}

    return Program(phases=[("forward", forward), ("backward", backward)], observe=observe, modules=block)


def nesting(case, checkpoint):
    """A checkpointed function that checkpoints."""
    blocks = nn.ModuleList(Block(case["width"], 2 * case["width"]) for _ in range(3))
    x = torch.randn(case["rows"], case["width"], requires_grad=True)

    def inner(h):
        return checkpoint(blocks[1], checkpoint(blocks[0], h).tanh())

    def body():
        return checkpoint(lambda h: checkpoint(blocks[2], checkpoint(inner, h)).sin(), x).square().mean()

    return simple(body, lambda: {"x.grad": x.grad, **gradients(blocks)})


def autocast(case, checkpoint):
    """Forward under autocast, backward outside it: the replay must run in forward's precision.

    Every call has weights of its own: autocast keeps one 16-bit copy of a weight, so two uses of it would add their
    gradients up in 16 bits in the plain run, and in 32 bits where each call is replayed by itself.
    """
    blocks = nn.ModuleList(Block(case["width"], 2 * case["width"]) for _ in range(4))
    x = torch.randn(case["rows"], case["width"], requires_grad=True)
    seen = {}

    def body():
        with torch.autocast("cpu", dtype=torch.bfloat16):
            first = checkpoint(blocks[0].up, x)
            seen["dtype"] = str(first.dtype)
            h = checkpoint(blocks[2], checkpoint(blocks[1], x))
            with torch.autocast("cpu", enabled=False):
                h = checkpoint(blocks[3], h.float())
        return h.square().mean() + first.float().square().mean()

    return simple(body, lambda: {**seen, "x.grad": x.grad, **gradients(blocks)})


def shared_weights(case, checkpoint):
    """One block used three times, and one input given to two calls: gradients add up."""
    block = Block(case["width"], 2 * case["width"])
    x = torch.randn(case["rows"], case["width"], requires_grad=True)

    def body():
        h = checkpoint(block, checkpoint(block, x))
        return (h * checkpoint(block, x)).mean()

    return simple(body, lambda: {"x.grad": x.grad, **gradients(block)})


def two_updates(case, checkpoint):
    """Two optimiser updates with an evaluation under no_grad between them, an in-place operator in the function."""
    block = Block(case["width"], 2 * case["width"])
    head = nn.Linear(case["width"], case["width"])
    parameters = [*block.parameters(), *head.parameters()]
    optimiser = torch.optim.SGD(parameters, lr=0.1, momentum=0.9)
    batches = [torch.randn(case["rows"], case["width"]) for _ in range(2)]
    seen = {}

    def function(x):
        h = block(x)
        h = h * 2
        h.relu_()
        return head(h)

    def update():
        for number, batch in enumerate(batches):
            loss = checkpoint(function, batch).square().mean()
            loss.backward()
            optimiser.step()
            optimiser.zero_grad()
            with torch.no_grad():
                seen[f"evaluation {number}"] = checkpoint(function, batch)

    def observe():
        return {**seen, **{f"parameter {i}": p for i, p in enumerate(parameters)}}

    return Program(phases=[("update", update)], observe=observe, modules=block)


def dropout(case, checkpoint):
    """Dropout in forward: the replay has to see the mask that forward drew."""
    blocks = nn.ModuleList(Block(case["width"], 2 * case["width"], dropout=0.3) for _ in range(2))
    x = torch.randn(case["rows"], case["width"], requires_grad=True)

    def body():
        return checkpoint(blocks[1], checkpoint(blocks[0], x)).square().mean()

    return simple(body, lambda: {"x.grad": x.grad, **gradients(blocks)})


FAMILIES = {
    "chain": chain,
    "arguments": arguments,
    "outputs": outputs,
    "frozen-input": frozen_input,
    "autograd-grad": autograd_grad,
    "nesting": nesting,
    "autocast": autocast,
    "shared-weights": shared_weights,
    "two-updates": two_updates,
    "dropout": dropout,
}

SMALL = {"rows": 24, "width": 16, "vocabulary": 11}

PUBLIC_CASES = [
    {"name": "chain", "family": "chain", "seed": 1, "measure": True, "blocks": 6, "rows": 512, "width": 128},
    *({"name": name, "family": name, "seed": 2, "measure": False, **SMALL} for name in FAMILIES if name != "chain"),
]


def prepare(case, entry):
    """Build one update of one case. `entry["checkpoint"]` is your function, or `plain`."""
    torch.manual_seed(case["seed"])
    return FAMILIES[case["family"]](case, entry["checkpoint"])


def gradients(module, prefix=""):
    """Name every parameter's gradient (None where there is none)."""
    return {f"{prefix}{name}.grad": parameter.grad for name, parameter in module.named_parameters()}


def simple(body, observe):
    """One forward that returns a loss, one backward."""
    state = {}

    def forward():
        state["loss"] = body()

    def backward():
        state["loss"].backward()
        state["loss"] = state["loss"].detach()

    return Program([("forward", forward), ("backward", backward)], lambda: {"loss": state["loss"], **observe()})
