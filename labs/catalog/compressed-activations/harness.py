"""How your `compress` is used. This file is the whole of what runs beside your code; the judge plays the same
families with sizes and seeds of its own, runs the plain update itself, and compares.

Your module defines

    compress()   # returns a context manager; what autograd keeps for operators that run inside is kept in less

Backward runs after the context has been left. What an observation's name begins with says how it is judged: "exact:"
must be equal, anything else is a gradient and may be off by 3 % of its largest element.

Shape suffixes: B batch, T tokens, D model width, N heads, R rows, V vocabulary.
"""

import contextlib

import torch
import torch.nn.functional as F
from torch import nn

from grader.program import Program

PLAIN = {"compress": contextlib.nullcontext}


class Block(nn.Module):
    """A pre-norm transformer block, attention scores written out, ReLU in the MLP."""

    def __init__(self, width, heads, dropout=0.1):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.q, self.v, self.out = (nn.Linear(width, width) for _ in range(3))
        self.k = nn.Linear(width, width, bias=False)  # softmax does not see its bias: the gradient would be noise
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.heads = heads
        self.dropout = dropout

    def forward(self, x_BTD):
        batch, tokens, width = x_BTD.shape
        h_BTD = self.norm1(x_BTD)
        q, k, v = (f(h_BTD).view(batch, tokens, self.heads, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
        scores_BNTT = q @ k.transpose(-2, -1) * (width // self.heads) ** -0.5
        weights_BNTT = F.dropout(scores_BNTT.softmax(dim=-1), self.dropout)
        h_BTD = (weights_BNTT @ v).transpose(1, 2).reshape(batch, tokens, width)
        x_BTD = x_BTD + self.out(h_BTD)
        return x_BTD + self.down(F.relu(self.up(self.norm2(x_BTD))))


def chain(case, compress):
    """Transformer blocks in a row inside one compress(): bytes, and the gradients of one update, are judged."""
    blocks = nn.ModuleList(Block(case["width"], case["heads"]) for _ in range(case["blocks"]))
    x_BTD = torch.randn(case["batch"], case["tokens"], case["width"], requires_grad=True)
    direction_BTD = torch.randn_like(x_BTD)
    for tensor in (x_BTD, *blocks.parameters()):  # gradients are resident, so that bytes are activations
        tensor.grad = torch.zeros_like(tensor)
    state = {}

    def forward():
        h_BTD = x_BTD
        with compress():
            for block in blocks:
                h_BTD = block(h_BTD)
        state["loss"] = torch.dot(h_BTD.flatten(), direction_BTD.flatten()) / h_BTD.numel()

    def backward():
        state["loss"].backward()
        state["loss"] = state["loss"].detach()

    return Program(
        phases=[("forward", forward), ("backward", backward)],
        observe=lambda: {"exact: loss": state["loss"], "x.grad": x_BTD.grad, **gradients(blocks)},
        modules=blocks,
        inputs=[x_BTD, direction_BTD],
    )


class Keep(torch.autograd.Function):
    """Return x and keep tensors for backward, as an operator of somebody else's might; note what comes back."""

    @staticmethod
    def forward(ctx, x, notes, *tensors):
        ctx.notes = notes
        ctx.save_for_backward(*tensors)
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        ctx.notes.extend(ctx.saved_tensors)
        return grad, None, *[None] * (len(ctx.saved_tensors))


def kept(compress, tensors, exact):
    """Have `tensors` (by name) kept inside compress(), run backward, and observe each one that came back."""
    x = torch.randn(4, requires_grad=True)
    notes = []

    def update():
        with compress():
            y = Keep.apply(x, notes, *tensors.values())
        y.sum().backward()

    def observe():
        seen = {}
        for (name, before), after in zip(tensors.items(), notes, strict=True):
            seen[f"exact: shape, strides and dtype of {name}"] = f"{list(after.shape)} {after.stride()} {after.dtype}"
            seen[f"exact: {name}" if exact else name] = after.detach().contiguous()
            if exact:
                seen[f"exact: {name} itself, afterwards"] = before.detach().contiguous()
        return seen

    return Program([("update", update)], observe), notes


def parameters(case, compress):
    """Parameters, frozen ones, and views of both, kept for backward: not rounded, not copied."""
    rows, width = case["rows"], case["width"]
    weight = nn.Parameter(torch.randn(rows, width))
    frozen = nn.Parameter(torch.randn(rows, width), requires_grad=False)
    tensors = {
        "a parameter": weight,
        "a transposed parameter": weight.t(),
        "rows of a parameter": weight[1:-1],
        "a parameter as three dimensions": weight.view(1, rows, width),
        "a frozen parameter": frozen,
        "a transposed frozen parameter": frozen.t(),
    }
    program, notes = kept(compress, tensors, exact=True)
    observe = program.observe

    def same_memory():
        return {
            f"exact: {name} is held, not copied": after.data_ptr() == before.data_ptr()
            for (name, before), after in zip(tensors.items(), notes, strict=True)
        }

    program.observe = lambda: {**observe(), **same_memory()}
    return program


def other_kinds(case, compress):
    """Integers, masks, scalars, float64, two-byte and complex numbers: bit for bit."""
    rows, width = case["rows"], case["width"]
    return kept(
        compress,
        {
            "indices": torch.randint(2**40, (rows, width)),
            "small integers": torch.randint(-128, 128, (rows, width), dtype=torch.int8),
            "a mask": torch.rand(rows, width) < 0.5,
            "a scalar": torch.rand(()) + 1 / 3,
            "a single element": torch.rand(1, 1) + 1 / 3,
            "float64": torch.randn(rows, width, dtype=torch.float64),
            "bfloat16": torch.randn(rows, width).bfloat16(),
            "float16": torch.randn(rows, width).half(),
            "complex": torch.randn(rows, width, dtype=torch.complex64),
        },
        exact=True,
    )[0]


def views(case, compress):
    """Transposed, sliced, expanded, permuted, empty: each comes back with its shape and its strides."""
    rows, width = case["rows"], case["width"]
    base = torch.randn(rows, width)
    image = torch.randn(2, 8, rows, width // 4).to(memory_format=torch.channels_last)
    return kept(
        compress,
        {
            "a matrix": base,
            "the matrix again": base,
            "its transpose": base.t(),
            "every second column": base[:, ::2],
            "its last row": base[-1],
            "an expanded row": base[0].expand(rows, width),
            "an expanded column": torch.randn(rows, 1).expand(rows, width),
            "a permuted one": torch.randn(4, rows, width).permute(2, 0, 1),
            "a channels-last image": image,
            "overlapping windows": torch.randn(rows * width).unfold(0, 64, 16),
            "nothing": torch.empty(0, width),
        },
        exact=False,
    )[0]


def model(case, compress):
    """Embedding, masked attention, convolution, batch norm, max-pooling, gather: masks and indices inside a network."""
    width, vocabulary = case["width"], case["vocabulary"]
    table = nn.Embedding(vocabulary, width)
    net = nn.ModuleDict(
        {"norm": nn.LayerNorm(width, elementwise_affine=False), "qkv": nn.Linear(width, 3 * width, bias=False)}
    )
    net["conv"] = nn.Conv1d(width, width, 3, padding=1, bias=False)  # batch norm takes a bias away again
    net["batchnorm"] = nn.BatchNorm1d(width)
    net["head"] = nn.Linear(width, vocabulary)
    ids_BT = torch.randint(vocabulary, (4, case["rows"]))
    later_TT = torch.ones(case["rows"], case["rows"], dtype=torch.bool).triu(1)
    targets_B = torch.randint(vocabulary, (4,))
    pick_B1V = torch.randint(case["rows"], (4, 1, vocabulary))

    def body():
        with compress():
            q, k, v = net["qkv"](net["norm"](table(ids_BT))).chunk(3, dim=-1)
            scores_BTT = (q @ k.transpose(1, 2)).masked_fill(later_TT, float("-inf")) * width**-0.5
            h_BDT = (scores_BTT.softmax(dim=-1) @ v).transpose(1, 2)
            h_BDT = F.gelu(net["batchnorm"](net["conv"](h_BDT)))
            logits_BTV = net["head"](h_BDT.transpose(1, 2))
            pooled_BV = logits_BTV.max(dim=1).values + logits_BTV.gather(1, pick_B1V).squeeze(1)
        return F.cross_entropy(pooled_BV, targets_B)

    def observe():
        buffers = {f"exact: {name}": buffer for name, buffer in net.named_buffers()}
        return {**gradients(net), **gradients(table, "table."), **buffers}

    return simple(body, observe)


def scales(case, compress):
    """Channels from 1e-6 to 1e6, and rows a thousand times larger than others, within one tensor."""
    rows, width = case["rows"], case["width"]
    channel = torch.logspace(-6, 6, width)[torch.randperm(width)]
    row = torch.ones(rows, 1)
    row[:: max(2, rows // 5)] = 1000.0
    first = torch.randn(width, width, requires_grad=True)
    second = nn.Parameter(torch.randn(width, width) / channel)
    gain = nn.Parameter(torch.rand(width) + 0.5)
    x = torch.randn(rows, width, requires_grad=True)
    direction = torch.randn(rows, width) / row

    def body():
        with compress():
            h = torch.tanh(x @ first) * channel * row
            out = F.linear(h * gain, second)
        return (out * direction).sum()

    def observe():
        return {
            "gradient of the second weight, channel by channel over its scale": second.grad / channel,
            "gain.grad": gain.grad,
            "first.grad": first.grad,
            "x.grad": x.grad,
        }

    return simple(body, observe)


def uses(case, compress):
    """Several uses: other orders of backward, one inside another, one left by an exception, a graph run twice."""
    width = case["width"]
    layer = nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, width), nn.Sigmoid())
    layer.requires_grad_(False)
    x = {
        name: torch.randn(case["rows"], width, requires_grad=True)
        for name in ("first", "second", "inner", "twice", "not used", "between", "after", "after an exception")
    }
    seen = {}

    def run(name):
        return layer(x[name]).square().mean()

    def update():
        unused = compress()
        plainly = run("not used")
        with compress():
            first = run("first")
        between = run("between")
        with compress():
            with compress():
                inner = run("inner")
            second = run("second")
            first.backward()
        after = run("after")
        try:
            with compress():
                raise KeyError("something went wrong in forward")
        except KeyError:
            seen["exact: the exception came through"] = True
        recovered = run("after an exception")
        with compress():
            twice = run("twice")
        twice.backward(retain_graph=True)
        twice.backward()
        for loss in (recovered, second, between, after, inner, plainly):
            loss.backward()
        del unused

    def observe():
        exact = ("not used", "between", "after", "after an exception")
        found = {("exact: outside, " if name in exact else "") + f"{name}.grad": t.grad for name, t in x.items()}
        return {**found, **seen}

    return Program([("update", update)], observe)


def autocast(case, compress):
    """Under autocast, half of what is kept has two bytes already."""
    width = case["width"]
    layer = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.LayerNorm(2 * width), nn.Linear(2 * width, width))
    x = torch.randn(case["rows"], width, requires_grad=True)

    def body():
        with compress(), torch.autocast("cpu", dtype=torch.bfloat16):
            h = layer(x)
        return h.float().square().mean()

    return simple(body, lambda: {"x.grad": x.grad, **gradients(layer)})


FAMILIES = {
    "chain": chain,
    "parameters": parameters,
    "other-kinds": other_kinds,
    "views": views,
    "model": model,
    "scales": scales,
    "uses": uses,
    "autocast": autocast,
}

SMALL = {"rows": 48, "width": 64, "vocabulary": 29}

PUBLIC_CASES = [
    {
        **{"name": "chain", "family": "chain", "seed": 1, "measure": True},
        **{"blocks": 9, "batch": 4, "tokens": 256, "width": 128, "heads": 2},
    },
    *({"name": name, "family": name, "seed": 2, "measure": False, **SMALL} for name in FAMILIES if name != "chain"),
]


def prepare(case, entry):
    """Build one update of one case. `entry["compress"]` is your function, or one that does nothing."""
    torch.manual_seed(case["seed"])
    return FAMILIES[case["family"]](case, entry["compress"])


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

    return Program([("forward", forward), ("backward", backward)], lambda: {"exact: loss": state["loss"], **observe()})
