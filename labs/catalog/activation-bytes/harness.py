"""How your function is called, and the block whose bytes are metered. This file is the whole of what runs beside your
code; the judge builds `layers` such blocks for hidden configurations, runs forward, meters, and compares.

Your module defines

    saved_bytes(config)   # bytes live at the end of forward, above what was live before it

config  {"dtype": "float32" or "bfloat16", "layers", "batch", "sequence", "hidden", "heads", "ff": the MLP's width,
         "gated": SwiGLU in place of GELU, "attention": "materialised" or "fused", "dropout": a probability, 0.0 for
         none, "checkpoint": "none", "attention" (the core, from Q, K and V to the context) or "block"}

Parameters, their gradients and the input of the first block are there before forward and do not count; the output of
the last block is held at the end and does. Shape suffixes: B batch, T tokens, D hidden, A heads, Q head dimension.
"""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from grader.program import Program

PLAIN = {}  # what is right is metered on the blocks below


def dropout(x, probability):
    """Keep each element with probability 1 - p. Backward needs the mask, one byte an element, and nothing else."""
    if not probability:
        return x
    keep = torch.empty(x.shape, dtype=torch.bool).bernoulli_(1 - probability)
    return x * keep * (1 / (1 - probability))


def core(q_BATQ, k_BATQ, v_BATQ, probability):
    """Attention with every score written out: softmax over T × T scores a head, dropout on the weights."""
    scores_BATT = q_BATQ @ k_BATQ.transpose(-2, -1) * q_BATQ.shape[-1] ** -0.5
    return dropout(scores_BATT.softmax(dim=-1), probability) @ v_BATQ


def fused_core(q_BATQ, k_BATQ, v_BATQ, _):
    """Attention in one kernel, which keeps its inputs, its output and one float32 a row; without dropout inside."""
    return F.scaled_dot_product_attention(q_BATQ, k_BATQ, v_BATQ)


class Block(nn.Module):
    """A pre-norm transformer block."""

    def __init__(self, config):
        super().__init__()
        hidden, ff = config["hidden"], config["ff"]
        self.config = config
        self.norm1, self.norm2 = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.qkv, self.out = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
        self.gate = nn.Linear(hidden, ff) if config["gated"] else None
        self.up, self.down = nn.Linear(hidden, ff), nn.Linear(ff, hidden)

    def forward(self, x_BTD):
        x_BTD = x_BTD + dropout(self.attend(self.norm1(x_BTD)), self.config["dropout"])
        return x_BTD + dropout(self.mlp(self.norm2(x_BTD)), self.config["dropout"])

    def attend(self, x_BTD):
        heads = [t_BTD.unflatten(-1, (self.config["heads"], -1)) for t_BTD in self.qkv(x_BTD).chunk(3, dim=-1)]
        q_BATQ, k_BATQ, v_BATQ = (t_BTAQ.transpose(1, 2) for t_BTAQ in heads)
        inner = fused_core if self.config["attention"] == "fused" else core
        again = self.config["checkpoint"] == "attention"
        context_BATQ = replayed(inner, again, q_BATQ, k_BATQ, v_BATQ, self.config["dropout"])
        return self.out(context_BATQ.transpose(1, 2).flatten(2))

    def mlp(self, x_BTD):
        if self.gate is None:
            return self.down(F.gelu(self.up(x_BTD)))
        return self.down(F.silu(self.gate(x_BTD)) * self.up(x_BTD))


def replayed(function, again, *args):
    """Call the function; with `again`, keep only its arguments and compute it again in backward."""
    return checkpoint(function, *args, use_reentrant=False) if again else function(*args)


def update(config, seed=0):
    """One forward and backward of `layers` blocks in a row."""
    torch.manual_seed(seed)
    dtype = getattr(torch, config["dtype"])
    blocks = nn.ModuleList(Block(config) for _ in range(config["layers"])).to(dtype)
    x_BTD = torch.randn(config["batch"], config["sequence"], config["hidden"]).to(dtype).requires_grad_()
    direction_BTD = torch.randn_like(x_BTD)
    for tensor in (x_BTD, *blocks.parameters()):
        tensor.grad = torch.zeros_like(tensor)
    state = {}

    def forward():
        h_BTD = x_BTD
        for block in blocks:
            h_BTD = replayed(block, config["checkpoint"] == "block", h_BTD)
        state["output"] = h_BTD

    return Program(
        phases=[("forward", forward), ("backward", lambda: state.pop("output").backward(direction_BTD))],
        observe=dict,
        modules=blocks,
        inputs=[x_BTD, direction_BTD],
    )


SMALL = {"dtype": "float32", "layers": 2, "batch": 2, "sequence": 128, "hidden": 128, "heads": 4, "ff": 512}
SMALL |= {"gated": False, "attention": "materialised", "dropout": 0.0, "checkpoint": "none"}


def program():
    """For `python -m grader meter harness.py`, which prints what is live at the peak, tensor by tensor."""
    return update(SMALL)


PUBLIC_CASES = [
    {"name": name, "family": name, "seed": 1, "measure": False, "configs": [SMALL | features]}
    for name, features in {
        "plain": {},
        "half-precision": {"dtype": "bfloat16"},
        "heads": {"heads": 16},
        "mlp-width": {"ff": 300},
        "fused": {"attention": "fused"},
        "dropout": {"dropout": 0.1},
        "gated": {"gated": True, "ff": 344},
        "checkpoint-attention": {"checkpoint": "attention", "heads": 8},
        "checkpoint-block": {"checkpoint": "block", "batch": 8},
    }.items()
]


def prepare(case, entry):
    """Ask for the bytes of each configuration of the case; the answers are numbered."""
    answers = {}

    def ask():
        for number, config in enumerate(case["configs"], 1):
            answers[f"bytes {number}"] = plain_number(entry["saved_bytes"](dict(config)))

    return Program(phases=[("answers", ask)], observe=lambda: answers)


def plain_number(value):
    """Return any kind of real number as a float, and anything else as it is."""
    if isinstance(value, (bool, str)) or not hasattr(value, "__float__"):
        return value
    return float(value)
