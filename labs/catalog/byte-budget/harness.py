"""How your `forward` is called, and what a plan is predicted to need. This file is the whole of what runs beside your
code; the judge plays the same families with chains, budgets and seeds of its own.

Your module defines

    forward(blocks, x, budget_bytes, profile)   # returns what calling the blocks one after another returns

`blocks` is an nn.ModuleList of unequal blocks, `budget_bytes` an int, `profile` a list with one BlockProfile a block.
Raise ValueError before running any block if no plan keeps the budget. `from harness import predicted_peak` works.

Shape suffixes: R rows, D width (it changes from block to block), H hidden width.
"""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import nn

from grader.program import Program


class BlockProfile(NamedTuple):
    """What is known about one block before it runs. Bytes are exact but the workspace, which is an upper bound."""

    saved_bytes: int
    """Kept by autograd for the block's backward, besides its input and its output."""
    output_bytes: int
    """The block's output, which is the next block's input and stays if that block (or its replay) needs it."""
    workspace_bytes: int
    """Most that the block's forward and backward take on top: gradients under way, the output and its gradient held,
    and 256 KiB for what an implementation of yours may keep: a random state, the weight gradients of one segment."""
    forward_flops: int
    """FLOPs of one forward of the block."""


def predicted_peak(profile, parts):
    """Return the bytes that a plan needs at its peak, above what is there before the update.

    `parts` cuts the chain in order: (first, end, replay) are the blocks first to end−1, all kept (False), or replayed
    (True): only their input is kept, and backward runs all of them again once, keeping everything.
    """
    kept = peak = 0
    for first, end, replay in parts:
        inside = kept
        for block in profile[first:end]:
            peak = max(peak, inside + block.saved_bytes + block.output_bytes + block.workspace_bytes)
            inside += block.saved_bytes + block.output_bytes
        kept = kept + profile[end - 1].output_bytes if replay else inside
    return peak


def plain(blocks, x, budget_bytes, profile):
    """The plain run: everything is kept, whatever the budget says."""
    for block in blocks:
        x = block(x)
    return x


PLAIN = {"forward": plain}


class Block(nn.Module):
    """LayerNorm, a linear layer, one to four SiLUs, a linear layer, a SiLU. More SiLUs keep more bytes for no FLOPs."""

    def __init__(self, width, hidden, out, activations):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, hidden)
        self.down = nn.Linear(hidden, out)
        self.activations = activations

    def forward(self, x_RD):
        h_RH = self.up(self.norm(x_RD))
        for _ in range(self.activations):
            h_RH = F.silu(h_RH)
        return F.silu(self.down(h_RH))


def profile_of(case):
    """Write down what each block keeps, needs and costs, in bytes of float32 and FLOPs."""
    rows, widths = case["rows"], case["widths"]
    found = []
    for width, out, hidden, activations in zip(
        widths[:-1], widths[1:], case["hidden"], case["activations"], strict=True
    ):
        # LayerNorm's output, mean and deviation; the input of every SiLU; what `down` reads.
        saved = 4 * rows * (width + 2 + hidden * (activations + 1) + out)
        # SiLU's backward makes another gradient of the output's size, the linear layer's one of H and one of a weight.
        workspace = 4 * rows * (out + max(2 * out, hidden + -(-hidden * out // rows))) + 2**18
        found.append(BlockProfile(saved, 4 * rows * out, workspace, 2 * rows * hidden * (width + out)))
    return found


PUBLIC_CHAIN = {
    "rows": 4096,
    "widths": [32, 48, 32, 16, 32, 32, 48],
    "hidden": [64, 32, 96, 48, 32, 64],
    "activations": [1, 4, 2, 3, 1, 2],
}
PUBLIC_BLOCK = {"rows": 4096, "widths": [32, 48], "hidden": [64], "activations": [2]}

PUBLIC_CASES = [
    {"name": "20 MB", "family": "budget", "seed": 1, "measure": True, "budget": 20_000_000, **PUBLIC_CHAIN},
    {"name": "15 MB", "family": "budget", "seed": 2, "measure": True, "budget": 15_000_000, **PUBLIC_CHAIN},
    {"name": "ample", "family": "ample", "seed": 3, "measure": True, "budget": 10**9, **PUBLIC_CHAIN},
    {"name": "one block", "family": "budget", "seed": 4, "measure": True, "budget": 10_000_000, **PUBLIC_BLOCK},
    {"name": "4 MB", "family": "impossible", "seed": 5, "measure": False, "budget": 4_000_000, **PUBLIC_CHAIN},
    {"name": "no bytes", "family": "impossible", "seed": 6, "measure": False, "budget": 0, **PUBLIC_BLOCK},
]


def prepare(case, entry):
    """Build one update of one case: a chain, its profile, a budget. `entry["forward"]` is your function, or `plain`.

    A ValueError from it is taken as its refusal of the budget. The families differ in what is judged, not in the code.
    """
    torch.manual_seed(case["seed"])
    widths = case["widths"]
    blocks = nn.ModuleList(
        Block(widths[i], hidden, widths[i + 1], activations)
        for i, (hidden, activations) in enumerate(zip(case["hidden"], case["activations"], strict=True))
    )
    x_RD = torch.randn(case["rows"], widths[0], requires_grad=True)
    direction_RD = torch.randn(case["rows"], widths[-1])
    for tensor in (x_RD, *blocks.parameters()):  # gradients are resident, so that bytes are activations
        tensor.grad = torch.zeros_like(tensor)
    state = {"block_calls": 0, "refusal": None}

    def count(*_):
        state["block_calls"] += 1

    for block in blocks:
        block.register_forward_pre_hook(count)

    def forward():
        try:
            h_RD = entry["forward"](blocks, x_RD, case["budget"], profile_of(case))
        except ValueError as error:
            state["refusal"], state["calls_before_refusal"] = str(error) or "no message", state["block_calls"]
            return
        state["loss"] = torch.dot(h_RD.flatten(), direction_RD.flatten()) / h_RD.numel()

    def backward():
        if "loss" in state:
            state["loss"].backward()
            state["loss"] = state["loss"].detach()

    def observe():
        return {
            "refusal": state["refusal"],
            "calls_before_refusal": state.get("calls_before_refusal"),
            "loss": state.get("loss"),
            "x.grad": x_RD.grad,
            **{f"{name}.grad": parameter.grad for name, parameter in blocks.named_parameters()},
        }

    return Program([("forward", forward), ("backward", backward)], observe, blocks, [x_RD, direction_RD])
