"""How your `forward` is called. This file is the whole of what runs beside your code; the judge plays the same
families with seeds, sizes and depths of its own, runs the plain update itself, and compares.

Your module defines

    forward(blocks, x)      # returns what calling the blocks one after another returns

`blocks` is an nn.ModuleList of equal blocks, x is rows by width. Shape suffixes: R rows, D width.
"""

import torch
import torch.nn.functional as F
from torch import nn

from grader.program import Program


def plain(blocks, x):
    """The plain run: every block keeps what its backward reads."""
    for block in blocks:
        x = block(x)
    return x


PLAIN = {"forward": plain}


class Block(nn.Module):
    """One linear layer and a SiLU. Autograd keeps the input of each: R·D floats twice, one the block's own input."""

    def __init__(self, width, dropout=0.0):
        super().__init__()
        self.linear = nn.Linear(width, width)
        nn.init.kaiming_normal_(self.linear.weight)  # signals and gradients keep their size over fifty blocks
        self.dropout = dropout

    def forward(self, x_RD):
        h_RD = F.silu(self.linear(x_RD))
        return F.dropout(h_RD, self.dropout, self.training) if self.dropout else h_RD


def chain(case, forward):
    """`blocks` equal blocks in a row. The bytes, the work and the gradients of one update are judged."""
    return update(case, forward, needs_grad=True)


def frozen_input(case, forward):
    """The input requires no gradient, as real data does not; the parameters do."""
    return update(case, forward, needs_grad=False)


def dropout(case, forward):
    """Dropout in every block: a replay has to see the masks that forward drew."""
    return update(case, forward, needs_grad=True, dropout=0.3)


FAMILIES = {"frozen-input": frozen_input, "dropout": dropout}
"""Every other family is a chain, named after its number of blocks: chain-1, chain-7, …"""

PUBLIC_CASES = [
    *(
        {"name": f"{n} blocks", "family": f"chain-{n}", "seed": n, "measure": True, "blocks": n, "rows": r, "width": 32}
        for n, r in ((16, 8192), (1, 8192), (7, 8192), (36, 4096))
    ),
    {"name": "input without grad", "family": "frozen-input", "seed": 2, "blocks": 5, "rows": 24, "width": 16},
    {"name": "dropout", "family": "dropout", "seed": 3, "blocks": 5, "rows": 24, "width": 16},
]


def prepare(case, entry):
    """Build one update of one case. `entry["forward"]` is your function, or `plain`."""
    torch.manual_seed(case["seed"])
    return FAMILIES.get(case["family"], chain)(case, entry["forward"])


def update(case, run, needs_grad, dropout=0.0):
    """One forward with a linear loss, one backward. Gradients are resident, so that bytes are activations."""
    blocks = nn.ModuleList(Block(case["width"], dropout) for _ in range(case["blocks"]))
    x_RD = torch.randn(case["rows"], case["width"], requires_grad=needs_grad)
    direction_RD = torch.randn(case["rows"], case["width"])
    for tensor in (x_RD, *blocks.parameters()):
        if tensor.requires_grad:
            tensor.grad = torch.zeros_like(tensor)
    state = {}

    def forward():
        h_RD = run(blocks, x_RD)
        state["loss"] = torch.dot(h_RD.flatten(), direction_RD.flatten()) / h_RD.numel()

    def backward():
        state["loss"].backward()
        state["loss"] = state["loss"].detach()

    gradients = {f"{name}.grad": parameter for name, parameter in blocks.named_parameters()}
    return Program(
        phases=[("forward", forward), ("backward", backward)],
        observe=lambda: {
            "loss": state["loss"],
            "x.grad": x_RD.grad,
            **{name: parameter.grad for name, parameter in gradients.items()},
        },
        modules=blocks,
        inputs=[x_RD, direction_RD],
    )
