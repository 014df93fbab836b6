"""How your `forward` is called. This file is the whole of what runs beside your code; the judge plays the same families
with sizes and seeds of its own, runs the plain update itself, and compares.

Your module defines

    forward(blocks, x_BLD)   # returns what running the blocks one after another returns

`blocks` is an nn.ModuleList of `Block`, below. You may call a block, or its parts; you may not change what it holds.

Shape suffixes: B batch, L length, D model width, H heads, C width of a head (D = H·C).
"""

from contextlib import nullcontext

import torch
import torch.nn.functional as F
from torch import nn

from grader.program import Program


def plain(blocks, x_BLD):
    """The plain run: everything that autograd wants is kept."""
    for block in blocks:
        x_BLD = block(x_BLD)
    return x_BLD


PLAIN = {"forward": plain}


class Attention(nn.Module):
    """Self-attention that writes its scores out. `mask` is True where a query may look; None: everywhere."""

    def __init__(self, width, heads, mask=None, dropout=0.0):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)
        self.register_buffer("mask", mask, persistent=False)

    def core(self, q_BHLC, k_BHLC, v_BHLC):
        """Scores, mask, softmax, dropout, and the weighted sum of the values: no parameters in here."""
        scores_BHLL = q_BHLC @ k_BHLC.transpose(-2, -1) * q_BHLC.shape[-1] ** -0.5
        if self.mask is not None:
            scores_BHLL = scores_BHLL.masked_fill(~self.mask, float("-inf"))
        weights_BHLL = F.dropout(torch.softmax(scores_BHLL, dim=-1), self.dropout, training=self.training)
        return weights_BHLL @ v_BHLC

    def split(self, x_BLD):
        """Return queries, keys and values, each BHLC."""
        batch, length, width = x_BLD.shape
        qkv = self.qkv(x_BLD).view(batch, length, 3, self.heads, width // self.heads)
        return qkv.permute(2, 0, 3, 1, 4).unbind(0)

    def merge(self, out_BHLC):
        """Put the heads side by side again and project."""
        return self.proj(out_BHLC.transpose(1, 2).flatten(2))

    def forward(self, x_BLD):
        return self.merge(self.core(*self.split(x_BLD)))


class Block(nn.Module):
    """Pre-norm transformer block: attention, then two linear layers around a GELU, each beside a residual."""

    def __init__(self, width, heads, mask=None, dropout=0.0):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads, mask, dropout)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def mlp(self, x_BLD):
        return self.down(F.gelu(self.up(x_BLD)))

    def forward(self, x_BLD):
        x_BLD = x_BLD + self.attention(self.norm1(x_BLD))
        return x_BLD + self.mlp(self.norm2(x_BLD))


def causal(length):
    return torch.ones(length, length, dtype=torch.bool).tril()


def padding(batch, length):
    """Each row of the batch has its own number of keys that count, at least one."""
    lengths_B = torch.randint(1, length + 1, (batch,))
    return (torch.arange(length) < lengths_B[:, None])[:, None, None, :]


def stack(case, forward):
    """Blocks with a causal mask and attention dropout. Bytes, work and gradients of one update are judged."""
    blocks, x_BLD = build(case, mask=causal(case["length"]), dropout=0.1)
    for tensor in (x_BLD, *blocks.parameters()):  # gradients are resident, so that bytes are activations
        tensor.grad = torch.zeros_like(tensor)
    return update(forward, blocks, x_BLD)


def masks(case, forward):
    """A causal mask, a padding mask, both at once, and none, in one stack."""
    both = causal(case["length"]) & padding(case["batch"], case["length"])
    kinds = [causal(case["length"]), padding(case["batch"], case["length"]), both, None]
    blocks, x_BLD = build({**case, "blocks": 0})
    blocks.extend(Block(case["width"], case["heads"], mask) for mask in kinds)
    return update(forward, blocks.to(x_BLD.device), x_BLD)


def dropout(case, forward):
    """Strong attention dropout: the replay sees the mask that forward drew, and other draws go on as if alone."""
    blocks, x_BLD = build(case, dropout=0.4)
    seen = {}
    program = update(forward, blocks, x_BLD, after=lambda: seen.update(next=torch.rand(4, device=x_BLD.device)))
    return with_more(program, lambda: {"random numbers after the update": seen["next"]})


def sizes(case, forward):
    """One block, one position, one head, an odd length: nothing here is a multiple of anything."""
    parts = []
    for number, (batch, length, heads, count) in enumerate(((1, 1, 1, 1), (3, 29, 3, 2), (1, 41, 1, 1))):
        sized = {**case, "batch": batch, "length": length, "heads": heads, "width": 12, "blocks": count}
        parts.append((f"{number}: ", update(forward, *build(sized, mask=causal(length)))))
    return joined(parts)


def frozen_input(case, forward):
    """The input needs no gradient: the parameters get theirs all the same."""
    blocks, x_BLD = build(case, mask=causal(case["length"]))
    return update(forward, blocks, x_BLD.detach())


def autograd_grad(case, forward):
    """Gradients asked for by `torch.autograd.grad`, with every `.grad` left alone."""
    blocks, x_BLD = build(case, mask=causal(case["length"]), dropout=0.2)
    wanted = [x_BLD, blocks[0].attention.qkv.weight, blocks[-1].up.bias]
    state = {}

    def run():
        state["loss"] = forward(blocks, x_BLD).square().mean()

    def backward():
        state["grads"] = torch.autograd.grad(state.pop("loss"), wanted)

    def observe():
        named = dict(zip(("x", "first qkv.weight", "last up.bias"), state["grads"], strict=True))
        return {**{f"grad of {name}": grad for name, grad in named.items()}, **gradients(blocks, "left alone: ")}

    return Program([("forward", run), ("backward", backward)], observe, modules=blocks)


def autocast(case, forward):
    """Forward under autocast, backward outside it: the replay must run in forward's precision."""
    blocks, x_BLD = build(case, mask=causal(case["length"]))
    return update(forward, blocks, x_BLD, around=lambda: torch.autocast(x_BLD.device.type, dtype=torch.bfloat16))


def shared(case, forward):
    """One block stands in the list three times, between others: its gradients add up."""
    blocks, x_BLD = build(case, mask=causal(case["length"]), dropout=0.2)
    order = nn.ModuleList([blocks[0], blocks[1], blocks[0], blocks[-1], blocks[0]])
    return update(forward, order, x_BLD)


def evaluation(case, forward):
    """Two training updates with an evaluation between them: dropout off, no_grad, the same blocks."""
    blocks, x_BLD = build(case, mask=causal(case["length"]), dropout=0.3)
    optimiser = torch.optim.SGD(blocks.parameters(), lr=0.1)
    seen = {}

    def run():
        for number in range(2):
            forward(blocks, x_BLD).square().mean().backward()
            optimiser.step()
            optimiser.zero_grad()
            blocks.eval()
            with torch.no_grad():
                seen[f"evaluation {number}"] = forward(blocks, x_BLD)
            blocks.train()

    def observe():
        return {**seen, **dict(blocks.named_parameters())}

    return Program([("update", run)], observe, modules=blocks)


FAMILIES = {
    "stack": stack,
    "masks": masks,
    "dropout": dropout,
    "sizes": sizes,
    "frozen-input": frozen_input,
    "autograd-grad": autograd_grad,
    "autocast": autocast,
    "shared": shared,
    "evaluation": evaluation,
}

SMALL = {"blocks": 2, "batch": 3, "length": 19, "width": 24, "heads": 4}

PUBLIC_CASES = [
    {
        "name": "stack",
        "family": "stack",
        "seed": 1,
        "measure": True,
        "blocks": 6,
        "batch": 1,
        "length": 192,
        "width": 192,
        "heads": 12,
    },
    *({"name": name, "family": name, "seed": 2, "measure": False, **SMALL} for name in FAMILIES if name != "stack"),
]


def prepare(case, entry):
    """Build one update of one case. `entry["forward"]` is your function, or `plain`."""
    torch.manual_seed(case["seed"])
    return FAMILIES[case["family"]](case, entry["forward"])


def build(case, mask=None, dropout=0.0):
    """Return the blocks and their input, on the case's device."""
    device = case.get("device", "cpu")
    blocks = nn.ModuleList(Block(case["width"], case["heads"], mask, dropout) for _ in range(case["blocks"]))
    x_BLD = torch.randn(case["batch"], case["length"], case["width"]).to(device).requires_grad_()
    return blocks.to(device), x_BLD


def gradients(module, prefix=""):
    """Name every parameter's gradient (None where there is none)."""
    return {f"{prefix}{name}.grad": parameter.grad for name, parameter in module.named_parameters()}


def update(forward, blocks, x_BLD, around=nullcontext, after=lambda: None):
    """One forward to a loss that weighs every output differently, and one backward."""
    direction_BLD = torch.randn(x_BLD.shape).to(x_BLD.device)
    state = {}

    def run():
        with around():
            out_BLD = forward(blocks, x_BLD)
        state["dtype"] = str(out_BLD.dtype)
        state["loss"] = torch.dot(out_BLD.float().flatten(), direction_BLD.flatten()) / direction_BLD.numel()

    def backward():
        state["loss"].backward()
        state["loss"] = state["loss"].detach()
        after()

    return Program(
        phases=[("forward", run), ("backward", backward)],
        observe=lambda: {"loss": state["loss"], "dtype": state["dtype"], "x.grad": x_BLD.grad, **gradients(blocks)},
        modules=blocks,
        inputs=[x_BLD, direction_BLD],
    )


def with_more(program, more):
    """Observe more than the program does."""
    return Program(program.phases, lambda: {**program.observe(), **more()}, program.modules, program.inputs)


def joined(parts):
    """Play several programs one after another as one; `parts` are (prefix, program)."""

    def run():
        for _, program in parts:
            for _, phase in program.phases:
                phase()

    def observe():
        return {f"{prefix}{name}": value for prefix, program in parts for name, value in program.observe().items()}

    return Program([("update", run)], observe)
