"""Generating tokens with a small decoder: without a cache, with one that is grown, with one that is allocated once."""

from __future__ import annotations

from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from bench.stacks import drawn
from grader import meter
from grader.meter import Metered
from grader.program import Program

SEQUENCES, PROMPT, GENERATED = 4, 32, 224
LAYERS, WIDTH, HEADS, KV_HEADS = 4, 256, 8, 2
HEAD_DIM = WIDTH // HEADS
CAPACITY = PROMPT + GENERATED
Way = Literal["none", "grown", "preallocated"]


class Layer(nn.Module):
    """A pre-norm decoder block with grouped-query attention; `cache` holds this layer's keys and values."""

    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.q, self.out = nn.Linear(WIDTH, WIDTH, bias=False), nn.Linear(WIDTH, WIDTH, bias=False)
        self.kv = nn.Linear(WIDTH, 2 * KV_HEADS * HEAD_DIM, bias=False)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH, bias=False), nn.Linear(4 * WIDTH, WIDTH, bias=False)

    def forward(self, x_BSD: Tensor, cache: Cache, layer: int) -> Tensor:
        B, S, _ = x_BSD.shape
        y_BSD = self.norm1(x_BSD)
        q_BHSK = self.q(y_BSD).view(B, S, HEADS, HEAD_DIM).transpose(1, 2)
        kv_2BGSK = self.kv(y_BSD).view(B, S, 2, KV_HEADS, HEAD_DIM).permute(2, 0, 3, 1, 4)
        kv_2BGTK = cache.extend(layer, kv_2BGSK)
        T = kv_2BGTK.shape[3]
        # the query heads of a group are rows of one product, so keys and values are never repeated
        q_BGRK = q_BHSK.reshape(B, KV_HEADS, HEADS // KV_HEADS * S, HEAD_DIM)
        scores_BGRT = q_BGRK @ kv_2BGTK[0].transpose(-2, -1) * HEAD_DIM**-0.5
        if S > 1:
            later_ST = torch.ones(S, T, dtype=torch.bool).triu(T - S + 1)
            scores_BGRT = scores_BGRT.view(B, HEADS, S, T).masked_fill(later_ST, -torch.inf).view_as(scores_BGRT)
        y_BGRK = scores_BGRT.softmax(-1) @ kv_2BGTK[1]
        x_BSD = x_BSD + self.out(y_BGRK.view(B, HEADS, S, HEAD_DIM).transpose(1, 2).reshape(B, S, WIDTH))
        return x_BSD + self.down(functional.gelu(self.up(self.norm2(x_BSD))))


class Cache:
    """Keys and values of every layer, kept one of three ways; `tokens` says how many are kept,
    `copied_bytes` what joining old and new tensors has written."""

    def __init__(self, way: Way, tensors: list[Tensor]) -> None:
        self.way, self.tensors, self.tokens, self.copied_bytes = way, tensors, 0, 0

    def extend(self, layer: int, new_2BGSK: Tensor) -> Tensor:
        """Add a layer's new keys and values and return all of them, 2 × B × G × T × K."""
        if self.way == "none":
            return new_2BGSK
        if self.way == "grown":
            if layer == len(self.tensors):
                self.tensors.append(new_2BGSK.contiguous())
            else:
                self.tensors[layer] = torch.cat([self.tensors[layer], new_2BGSK], dim=3)
                self.copied_bytes += self.tensors[layer].nbytes
            return self.tensors[layer]
        if layer == len(self.tensors):
            self.tensors.append(torch.empty(2, SEQUENCES, KV_HEADS, CAPACITY, HEAD_DIM))
        end = self.tokens + new_2BGSK.shape[3]
        self.tensors[layer][:, :, :, self.tokens : end] = new_2BGSK
        return self.tensors[layer][:, :, :, :end]


def generate(way: Way) -> tuple[Metered, list[int], int]:
    """Meter a prompt and then one token after the other; return the metered run, the tokens of the first row, and
    the bytes that joining wrote."""
    torch.manual_seed(0)
    layers = nn.ModuleList(Layer() for _ in range(LAYERS))
    embedding = nn.Embedding(512, WIDTH)
    prompt_BS = torch.randint(512, (SEQUENCES, PROMPT))
    kept: list[Tensor] = []
    cache = Cache(way, kept)
    said_BS = [prompt_BS]

    @torch.no_grad()
    def step(new_BS: Tensor) -> None:
        x_BSD = embedding(new_BS)
        for index, layer in enumerate(layers):
            x_BSD = layer(x_BSD, cache, index)
        cache.tokens += new_BS.shape[1]
        said_BS.append(functional.linear(x_BSD[:, -1:], embedding.weight).argmax(-1))

    def prefill() -> None:
        step(prompt_BS)

    def decode() -> None:
        for _ in range(GENERATED):
            step(torch.cat(said_BS, dim=1) if way == "none" else said_BS[-1])

    modules = nn.ModuleList([embedding, layers])
    # the cache is data that a step is given and hands on: it is listed as the program's input
    run = meter.run(Program([("prefill", prefill), ("decode", decode)], dict, modules=modules, inputs=kept))
    return run, torch.cat(said_BS[1:], dim=1)[0].tolist(), cache.copied_bytes


def decode_cache() -> dict[str, Any]:
    """224 tokens after a prompt of 32, three ways; the picture leaves out the one without a cache."""
    runs, said, copied = {}, {}, {}
    for way in ("none", "grown", "preallocated"):
        runs[way], said[way], copied[way] = generate(way)  # type: ignore[arg-type]
    if not said["none"] == said["grown"] == said["preallocated"]:
        raise AssertionError("the three ways say different tokens")
    found: dict[str, Any] = {
        "cache_bytes": 2 * LAYERS * KV_HEADS * HEAD_DIM * 4 * CAPACITY * SEQUENCES,
        "grown_copied_bytes": copied["grown"],
    }
    for way, run in runs.items():
        starts = [phase["start"] for phase in run.timeline["phases"]]
        found |= {
            f"{way}_prefill_flops": run.flops_by_phase["prefill"],
            f"{way}_decode_flops": run.flops_by_phase["decode"],
            f"{way}_prefill_peak_bytes": max(run.timeline["total"][: starts[1]]),
            f"{way}_decode_peak_bytes": max(run.timeline["total"][starts[1] :]),
        }
    found["work_without_a_cache"] = found["none_decode_flops"] / found["preallocated_decode_flops"]
    return {
        "title": f"{GENERATED} tokens after a prompt of {PROMPT}, {SEQUENCES} sequences, {LAYERS} layers, fp32",
        "timelines": drawn({"allocated once": runs["preallocated"], "grown token by token": runs["grown"]}),
        "peak": runs["preallocated"].peak,
        "numbers": found,
    }
