"""Decode steps over a latent cache: keys and values expanded in every step, and projections absorbed."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from bench.stacks import drawn
from grader import meter
from grader.meter import Metered
from grader.program import Program

SEQUENCES, CACHED, STEPS = 2, 1024, 8
LAYERS, WIDTH, HEADS, HEAD_DIM, LATENT, ROPE = 4, 512, 16, 64, 256, 32
CAPACITY = CACHED + STEPS


class Attention(nn.Module):
    """Latent attention of one layer; the positional parts of query and key are taken as rotated already."""

    def __init__(self, absorb: bool) -> None:
        super().__init__()
        self.absorb = absorb
        self.q = nn.Linear(WIDTH, HEADS * (HEAD_DIM + ROPE), bias=False)
        self.down = nn.Linear(WIDTH, LATENT + ROPE, bias=False)
        self.up_k = nn.Parameter(torch.randn(HEADS, LATENT, HEAD_DIM) / LATENT**0.5)
        self.up_v = nn.Parameter(torch.randn(HEADS, LATENT, HEAD_DIM) / LATENT**0.5)
        self.out = nn.Linear(HEADS * HEAD_DIM, WIDTH, bias=False)

    def forward(self, x_BD: Tensor, cache_BTC: Tensor, tokens: int) -> Tensor:
        """Append one token a sequence to the cache, which holds `tokens`, and attend over all of it."""
        cache_BTC[:, tokens] = self.down(x_BD)
        latent_BTC, rope_BTR = cache_BTC[:, : tokens + 1].split([LATENT, ROPE], dim=-1)
        q_BHK, rope_BHR = self.q(x_BD).view(-1, HEADS, HEAD_DIM + ROPE).split([HEAD_DIM, ROPE], dim=-1)
        scores_BHT = rope_BHR @ rope_BTR.mT
        if self.absorb:
            scores_BHT = scores_BHT + torch.einsum("bhk,hck->bhc", q_BHK, self.up_k) @ latent_BTC.mT
            weights_BHT = (scores_BHT / (HEAD_DIM + ROPE) ** 0.5).softmax(-1)
            y_BHK = torch.einsum("bhc,hck->bhk", weights_BHT @ latent_BTC, self.up_v)
        else:
            # not latent.unsqueeze(1) @ up: a broadcast product copies the latents for every head first
            k_BHTK, v_BHTK = (torch.einsum("btc,hck->bhtk", latent_BTC, up) for up in (self.up_k, self.up_v))
            scores_BHT = scores_BHT + (k_BHTK @ q_BHK.unsqueeze(-1)).squeeze(-1)
            weights_BHT = (scores_BHT / (HEAD_DIM + ROPE) ** 0.5).softmax(-1)
            y_BHK = (weights_BHT.unsqueeze(2) @ v_BHTK).squeeze(2)
        return x_BD + self.out(y_BHK.flatten(1))


def decode(absorb: bool) -> tuple[Metered, Tensor]:
    """Meter some steps over a cache that is there already; return the run and the last step's output."""
    torch.manual_seed(0)
    layers = nn.ModuleList(Attention(absorb) for _ in range(LAYERS))
    caches = [torch.randn(SEQUENCES, CAPACITY, LATENT + ROPE) for _ in range(LAYERS)]
    x_BD = torch.randn(SEQUENCES, WIDTH)
    said: list[Tensor] = [x_BD]

    @torch.no_grad()
    def steps() -> None:
        for step in range(STEPS):
            x_BD = said[-1]
            for layer, cache_BTC in zip(layers, caches, strict=True):
                x_BD = layer(x_BD, cache_BTC, CACHED + step)
            said.append(x_BD)

    return meter.run(Program([("decode", steps)], dict, modules=layers, inputs=caches)), said[-1]


def latent_decode() -> dict[str, Any]:
    """Eight steps over a cache of 1,024 tokens, expanded and absorbed."""
    expanded, one = decode(absorb=False)
    absorbed, other = decode(absorb=True)
    if not torch.allclose(one, other, rtol=1e-4, atol=1e-4):
        raise AssertionError("the two forms give different results")
    cache = LAYERS * SEQUENCES * CAPACITY * (LATENT + ROPE) * 4
    found: dict[str, Any] = {"cache_bytes": cache}
    for name, run in (("expanded", expanded), ("absorbed", absorbed)):
        found |= {f"{name}_flops": run.flops_by_phase["decode"], f"{name}_peak_bytes": max(run.timeline["total"])}
    found["work_ratio"] = found["expanded_flops"] / found["absorbed_flops"]
    return {
        "title": f"{STEPS} decode steps over {CACHED:,} latents, {SEQUENCES} sequences, {LAYERS} layers, fp32",
        "timelines": drawn({"expanded": expanded, "absorbed": absorbed}),
        "peak": expanded.peak,
        "numbers": found,
    }
