"""How your KV cache is called. This file is the whole of what runs beside your code; the judge plays the same
families with sizes, chunks and seeds of its own, and compares with attention over the whole sequence.

Your module defines

    new_cache(config, batch, capacity)   # a cache for one layer, of any type you like
    attend(q, k, v, cache)               # [B, heads, T, head_dim]

`attend` is given T ≥ 1 new tokens, which follow the ones that the cache holds:

    q     [B, heads, T, head_dim]        query heads; head i reads key/value head i // (heads // kv_heads)
    k, v  [B, kv_heads, T, head_dim]     what the cache has to remember

It remembers k and v and returns causal attention: each new token sees every earlier token and itself, with the scale
1 / sqrt(head_dim), in the dtype of q. If the T tokens do not fit into `capacity`, it raises ValueError and leaves the
cache as it was. As in a model, q, k and v are transposed views of [B, T, heads, head_dim]: not contiguous.

Shape suffixes: B batch, H query heads, K key/value heads, T new tokens, S tokens so far, D head dimension.
"""

from dataclasses import dataclass

import torch
from torch import nn

from grader.program import Program


@dataclass(frozen=True)
class Config:
    """One layer's sizes. `head_dim` is what the model sets: it need not be hidden // heads."""

    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    dtype: torch.dtype = torch.float32
    device: str = "cpu"


class PlainCache:
    """Every key and value so far, joined anew on each call."""

    def __init__(self, capacity):
        self.capacity, self.k, self.v = capacity, None, None


def plain_new_cache(config, batch, capacity):
    """The plain run's cache: nothing is allocated ahead."""
    return PlainCache(capacity)


def plain_attend(q_BHTD, k_BKTD, v_BKTD, cache):
    """The plain run: right at every position, and it moves the whole cache for each token, several times."""
    used = 0 if cache.k is None else cache.k.shape[2]
    if used + k_BKTD.shape[2] > cache.capacity:
        raise ValueError(f"{k_BKTD.shape[2]} tokens do not fit: {used} of {cache.capacity} are used")
    cache.k = k_BKTD.clone() if cache.k is None else torch.cat([cache.k, k_BKTD], dim=2)
    cache.v = v_BKTD.clone() if cache.v is None else torch.cat([cache.v, v_BKTD], dim=2)
    wide = torch.promote_types(q_BHTD.dtype, torch.float32)  # 16-bit inputs are added up in float32
    group = q_BHTD.shape[1] // k_BKTD.shape[1]
    k_BHSD = cache.k.to(wide).repeat_interleave(group, dim=1)
    v_BHSD = cache.v.to(wide).repeat_interleave(group, dim=1)
    scores_BHTS = q_BHTD.to(wide) @ k_BHSD.transpose(-1, -2) * q_BHTD.shape[-1] ** -0.5
    tokens, total = scores_BHTS.shape[-2:]
    future_TS = torch.ones(tokens, total, dtype=torch.bool, device=q_BHTD.device).triu(total - tokens + 1)
    weights_BHTS = scores_BHTS.masked_fill(future_TS, float("-inf")).softmax(dim=-1)
    return (weights_BHTS @ v_BHSD).to(q_BHTD.dtype)


PLAIN = {"new_cache": plain_new_cache, "attend": plain_attend}


def config_of(case):
    """Read a case's sizes; `hidden` is heads · head_dim unless the case says otherwise."""
    heads = case["kv_heads"] * case["group"]
    hidden = case.get("hidden", heads * case["head_dim"])
    dtype = getattr(torch, case.get("dtype", "float32"))
    return Config(hidden, heads, case["kv_heads"], case["head_dim"], dtype, case.get("device", "cpu"))


def draw(config, batch, tokens):
    """Return q, k and v of a whole sequence, as views of [B, T, heads, head_dim]."""
    return tuple(
        torch.randn(batch, tokens, heads, config.head_dim, device=config.device).to(config.dtype).transpose(1, 2)
        for heads in (config.heads, config.kv_heads, config.kv_heads)
    )


def pieces(qkv, chunks):
    """Cut q, k and v along the tokens into chunks of the given lengths."""
    return zip(*(tensor.split(chunks, dim=2) for tensor in qkv), strict=True)


def stream(case, entry):
    """A prefill of one or more chunks, then token by token: the output of every position."""
    config = config_of(case)
    qkv = draw(config, case["batch"], sum(case["chunks"]))
    outputs = []

    def body():
        cache = entry["new_cache"](config, case["batch"], case["capacity"])
        for q, k, v in pieces(qkv, case["chunks"]):
            outputs.append(entry["attend"](q, k, v, cache))

    return Program([("forward", body)], lambda: {"outputs": torch.cat(outputs, dim=2)}, inputs=qkv)


def callers_tensors(case, entry):
    """One buffer for q, k and v, used again for the next chunk: what you were given is not yours to keep or change."""
    config = config_of(case)
    qkv = draw(config, case["batch"], sum(case["chunks"]))
    buffers = draw(config, case["batch"], max(case["chunks"]))
    outputs, seen = [], {"given tensors are unchanged": True}

    def body():
        cache = entry["new_cache"](config, case["batch"], case["capacity"])
        for piece in pieces(qkv, case["chunks"]):
            given = [buffer[:, :, : part.shape[2]] for buffer, part in zip(buffers, piece, strict=True)]
            for mine, part in zip(given, piece, strict=True):
                mine.copy_(part)
            outputs.append(entry["attend"](*given, cache))
            same = all(torch.equal(mine, part) for mine, part in zip(given, piece, strict=True))
            seen["given tensors are unchanged"] &= same

    return Program([("forward", body)], lambda: {**seen, "outputs": torch.cat(outputs, dim=2)}, inputs=qkv)


def capacity(case, entry):
    """Ask for more than there is room for; then use what is left, to the last token."""
    config = config_of(case)
    room = case["capacity"]
    qkv = draw(config, case["batch"], room)
    too_much, others = draw(config, case["batch"], 3), draw(config, case["batch"], 2)
    outputs, seen = [], {}

    def attempt(name, tokens, cache):
        try:
            entry["attend"](*(tensor[:, :, :tokens] for tensor in too_much), cache)
        except Exception as error:  # which one it is gets judged
            seen[name] = "ValueError" if isinstance(error, ValueError) else type(error).__name__
        else:
            seen[name] = "accepted"

    def body():
        cache = entry["new_cache"](config, case["batch"], room)
        for number, (q, k, v) in enumerate(pieces(qkv, [room - 2, 1, 1])):
            outputs.append(entry["attend"](q, k, v, cache))
            attempt(f"{2 - number + 1} tokens where {2 - number} fit", 2 - number + 1, cache)
        small = entry["new_cache"](config, case["batch"], 2)
        attempt("3 tokens into an empty cache of 2", 3, small)
        outputs.append(entry["attend"](*others, small))

    return Program([("forward", body)], lambda: {**seen, "outputs": torch.cat(outputs, dim=2)}, inputs=qkv)


def two_caches(case, entry):
    """Two requests of different batch, sizes and length, served in turn."""
    small, large = config_of(case), config_of({**case, "kv_heads": case["kv_heads"] + 1, "head_dim": 8})
    jobs = [(small, case["batch"], 0), (large, case["batch"] + 1, 3)]
    given = [draw(config, batch, sum(case["chunks"]) + more) for config, batch, more in jobs]
    outputs = [[], []]

    def body():
        caches = [entry["new_cache"](config, batch, case["capacity"] + more) for config, batch, more in jobs]
        lengths = [case["chunks"], [case["chunks"][0] + 3, *case["chunks"][1:]]]
        parts = [list(pieces(qkv, chunks)) for qkv, chunks in zip(given, lengths, strict=True)]
        for turn in range(len(case["chunks"])):
            for number, cache in enumerate(caches):
                outputs[number].append(entry["attend"](*parts[number][turn], cache))

    def observe():
        return {f"outputs of cache {number + 1}": torch.cat(found, dim=2) for number, found in enumerate(outputs)}

    return Program([("forward", body)], observe)


class Decoder(nn.Module):
    """A small decoder: per layer a norm, projections of q, k and v, attention, a residual; then the logits."""

    def __init__(self, config, layers, vocabulary):
        super().__init__()
        width, head_dim = config.hidden, config.head_dim
        self.config = config
        self.table = nn.Embedding(vocabulary, width)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(layers))
        rows = (config.heads + 2 * config.kv_heads) * head_dim
        self.projections = nn.ModuleList(nn.Linear(width, rows, bias=False) for _ in range(layers))
        self.mixers = nn.ModuleList(nn.Linear(config.heads * head_dim, width, bias=False) for _ in range(layers))
        self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, ids_BT, attend, caches):
        config = self.config
        x_BTW = self.table(ids_BT)
        for norm, project, mix, cache in zip(self.norms, self.projections, self.mixers, caches, strict=True):
            mixed = project(norm(x_BTW)).unflatten(-1, (-1, config.head_dim)).transpose(1, 2)
            q, k, v = mixed.split([config.heads, config.kv_heads, config.kv_heads], dim=1)
            x_BTW = x_BTW + mix(attend(q, k, v, cache).transpose(1, 2).flatten(2))
        return self.head(x_BTW)


def model(case, entry):
    """A decoder of three layers, a cache for each: the logits of every position."""
    config = config_of(case)
    decoder = Decoder(config, layers=3, vocabulary=31).requires_grad_(False)
    ids_BT = torch.randint(31, (case["batch"], sum(case["chunks"])))
    logits = []

    def body():
        caches = [entry["new_cache"](config, case["batch"], case["capacity"]) for _ in range(3)]
        for part_BT in ids_BT.split(case["chunks"], dim=1):
            logits.append(decoder(part_BT, entry["attend"], caches))

    return Program([("forward", body)], lambda: {"logits": torch.cat(logits, dim=1)}, modules=decoder)


def cache(case, entry):
    """Measured: caches of several layers, filled to the last token. What lives at the end is the cache and no more."""
    config = config_of(case)
    qkv = draw(config, case["batch"], case["capacity"])
    state = {"caches": []}

    def body():
        for _ in range(case["layers"]):
            layer = entry["new_cache"](config, case["batch"], case["capacity"])
            state["caches"].append(layer)
            for q, k, v in pieces(qkv, case["chunks"]):
                state["last"] = entry["attend"](q, k, v, layer)
        state["last"] = state["last"][0].clone()  # of one sequence: no more than the caches is to live at the end

    return Program([("forward", body)], lambda: {"outputs of the last token": state["last"]}, inputs=qkv)


def decode(case, entry):
    """Measured: a prefill in small chunks, then token by token. Outputs are not kept."""
    config = config_of(case)
    qkv = draw(config, case["batch"], sum(case["prefill"]) + case["tokens"])
    steps = list(pieces(qkv, [*case["prefill"], *[1] * case["tokens"]]))
    state = {}

    def prefill():
        state["cache"] = entry["new_cache"](config, case["batch"], case["capacity"])
        for q, k, v in steps[: -case["tokens"]]:
            entry["attend"](q, k, v, state["cache"])

    def one_by_one():
        for q, k, v in steps[-case["tokens"] :]:
            state["last"] = None
            state["last"] = entry["attend"](q, k, v, state["cache"])

    phases = [("prefill", prefill), ("decode", one_by_one)]
    return Program(phases, lambda: {"outputs of the last token": state["last"]}, inputs=qkv)


FAMILIES = {
    "prefill-decode": stream,
    "chunked-prefill": stream,
    "multi-query": stream,
    "multi-head": stream,
    "head-dim": stream,
    "bfloat16": stream,
    "float64": stream,
    "model": model,
    "callers-tensors": callers_tensors,
    "capacity": capacity,
    "two-caches": two_caches,
    "cache": cache,
    "cache-bfloat16": cache,
    "decode": decode,
}

SMALL = {"seed": 1, "measure": False, "batch": 2, "kv_heads": 2, "group": 3, "head_dim": 12}
ONE_BY_ONE = {**SMALL, "chunks": [7, 1, 1, 1, 1, 1], "capacity": 12}
CHUNKED = {**SMALL, "chunks": [1, 4, 5, 1, 3], "capacity": 20}

PUBLIC_CASES = [
    {"name": "prefill-decode", "family": "prefill-decode", **ONE_BY_ONE},
    {"name": "chunked-prefill", "family": "chunked-prefill", **CHUNKED},
    {"name": "multi-query", "family": "multi-query", **CHUNKED, "kv_heads": 1},
    {"name": "multi-head", "family": "multi-head", **ONE_BY_ONE, "group": 1},
    {"name": "head-dim", "family": "head-dim", **ONE_BY_ONE, "hidden": 48},
    {"name": "bfloat16", "family": "bfloat16", **CHUNKED, "dtype": "bfloat16"},
    {"name": "float64", "family": "float64", **CHUNKED, "dtype": "float64"},
    {"name": "model", "family": "model", **CHUNKED},
    {"name": "callers-tensors", "family": "callers-tensors", **CHUNKED},
    {"name": "capacity", "family": "capacity", **SMALL, "capacity": 9},
    {"name": "two-caches", "family": "two-caches", **ONE_BY_ONE},
    {
        "name": "decode", "family": "decode", "seed": 3, "measure": True, "batch": 32, "kv_heads": 4, "group": 4,
        "head_dim": 128, "capacity": 160, "prefill": [20] * 4, "tokens": 4,
    },
    {
        "name": "cache", "family": "cache", "seed": 2, "measure": True, "layers": 4, "batch": 32, "kv_heads": 4,
        "group": 2, "head_dim": 128, "capacity": 20, "chunks": [18, 1, 1],
    },
    {
        "name": "cache-bfloat16", "family": "cache-bfloat16", "seed": 2, "measure": True, "layers": 2, "batch": 8,
        "kv_heads": 4, "group": 2, "head_dim": 64, "dtype": "bfloat16", "capacity": 20, "chunks": [18, 1, 1],
    },
]  # fmt: skip


def prepare(case, entry):
    """Build one run of one case. `entry` holds your two functions, or the plain ones."""
    torch.manual_seed(case["seed"])
    return FAMILIES[case["family"]](case, entry)
