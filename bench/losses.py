"""Cross-entropy over a large vocabulary: whole, in a loop, in checkpointed chunks, with gradients made in forward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from bench.stacks import drawn, numbers, update
from grader.meter import Metered

POSITIONS, WIDTH, VOCABULARY, CHUNK = 2048, 128, 8192, 128
Loss = Callable[[Tensor, Tensor, Tensor], Tensor]


def whole(hidden_ND: Tensor, weight_VD: Tensor, targets_N: Tensor) -> Tensor:
    return functional.cross_entropy(functional.linear(hidden_ND, weight_VD), targets_N)


def summed(hidden_CD: Tensor, weight_VD: Tensor, targets_C: Tensor) -> Tensor:
    return functional.cross_entropy(functional.linear(hidden_CD, weight_VD), targets_C, reduction="sum")


def loop(hidden_ND: Tensor, weight_VD: Tensor, targets_N: Tensor) -> Tensor:
    chunks = zip(hidden_ND.split(CHUNK), targets_N.split(CHUNK), strict=True)
    return torch.stack([summed(h, weight_VD, t) for h, t in chunks]).sum() / len(targets_N)


def replayed(hidden_ND: Tensor, weight_VD: Tensor, targets_N: Tensor, rows: int = CHUNK) -> Tensor:
    chunks = zip(hidden_ND.split(rows), targets_N.split(rows), strict=True)
    parts = [checkpoint(summed, h, weight_VD, t, use_reentrant=False) for h, t in chunks]
    return torch.stack(parts).sum() / len(targets_N)


class EarlyGradients(torch.autograd.Function):
    """Make each chunk's gradients in forward, while its softmax exists; backward only scales them."""

    @staticmethod
    def forward(ctx: Any, hidden_ND: Tensor, weight_VD: Tensor, targets_N: Tensor) -> Tensor:
        total = hidden_ND.new_zeros(())
        grad_hidden_ND, grad_weight_VD = torch.empty_like(hidden_ND), torch.zeros_like(weight_VD)
        for start in range(0, len(targets_N), CHUNK):
            rows = slice(start, start + CHUNK)
            targets_C1 = targets_N[rows, None]
            logits_CV = functional.linear(hidden_ND[rows], weight_VD)
            logits_CV -= logits_CV.logsumexp(1, keepdim=True)
            total -= logits_CV.gather(1, targets_C1).sum()
            logits_CV.exp_().scatter_add_(1, targets_C1, logits_CV.new_full(targets_C1.shape, -1.0))
            torch.mm(logits_CV, weight_VD, out=grad_hidden_ND[rows])
            grad_weight_VD.addmm_(logits_CV.t(), hidden_ND[rows])
        ctx.gradients = grad_hidden_ND, grad_weight_VD
        return total / len(targets_N)

    @staticmethod
    def backward(ctx: Any, *upstream: Tensor) -> tuple[Tensor, Tensor, None]:
        grad_hidden_ND, grad_weight_VD = ctx.gradients
        factor = upstream[0] / len(grad_hidden_ND)
        return grad_hidden_ND.mul_(factor), grad_weight_VD.mul_(factor), None


def early(hidden_ND: Tensor, weight_VD: Tensor, targets_N: Tensor) -> Tensor:
    return EarlyGradients.apply(hidden_ND, weight_VD, targets_N)


def metered(loss: Loss) -> Metered:
    """Meter one update of a linear layer and a head under the loss."""
    torch.manual_seed(0)
    body, head = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, VOCABULARY, bias=False)
    x_ND, targets_N = torch.randn(POSITIONS, WIDTH), torch.randint(VOCABULARY, (POSITIONS,))
    modules = nn.ModuleList([body, head])
    return update(modules, [x_ND, targets_N], lambda: loss(body(x_ND), head.weight, targets_N))


def chunked_loss() -> dict[str, Any]:
    """Five ways to the same loss and gradients, and what each holds at its peak."""
    plain = metered(whole)
    runs = {
        "loop": metered(loop),
        "chunks": metered(replayed),
        "small_chunks": metered(lambda h, w, t: replayed(h, w, t, CHUNK // 4)),
        "early": metered(early),
    }
    found, logits = numbers("plain", plain), POSITIONS * VOCABULARY * 4
    for name, run in runs.items():
        found |= numbers(name, run, plain)
    return {
        "title": f"Cross-entropy of {POSITIONS:,} positions over {VOCABULARY:,} tokens, width {WIDTH}, fp32",
        "timelines": drawn({f"chunks of {CHUNK}, checkpointed": runs["chunks"], "plain": plain}),
        "peak": runs["chunks"].peak,
        "numbers": found
        | {
            "logits_bytes": logits,
            "chunk_logits_bytes": CHUNK * VOCABULARY * 4,
            "head_bytes": WIDTH * VOCABULARY * 4,
            "hidden_bytes": POSITIONS * WIDTH * 4,
            **{f"{name}_logits_copies": run.peak_bytes / logits for name, run in {"plain": plain, **runs}.items()},
        },
    }
