"""The judge's side of `kv-cache`: hidden cases, the reference, the checks and their hints."""

import torch
import torch.nn.functional as F

from grader import checks
from grader.verdict import Check

PRIMARY = "decode"

CACHE_TOLERANCE = 0.02
"""How far the live bytes of a full cache may lie above the formula: room for positions and masks."""

DECODE_SHARE = 0.5
"""What a decode step may allocate for a time, as a share of one layer's filled keys.

The scores and weights of grouped attention take about 0.1 of it, a softmax carried from block to block 0.2; a copy of
the keys alone takes 1.
"""

BLOCK_TOKENS = 16
"""A cache may grow by so many positions while tokens arrive, without that counting as a step's memory: room is taken
block by block in some right solutions, and what full caches take is judged by the formula."""

WORK_RATIO = 1.25
"""FLOPs of the decode steps over 4 · B · heads · head_dim · position: room for reading whole blocks. The capacity is
twice the position, so that attending to all of it takes 1.9."""

MEASURED = ("cache", "cache-bfloat16", "decode")

TITLES = {
    "prefill-decode": "Prefill, then token by token",
    "chunked-prefill": "Prefill in chunks of any length",
    "multi-query": "One key/value head for all query heads",
    "multi-head": "As many key/value heads as query heads",
    "head-dim": "A head_dim that is not hidden // heads",
    "bfloat16": "A cache in bfloat16",
    "float64": "A cache in float64",
    "model": "Logits of a decoder of three layers",
    "callers-tensors": "The caller's q, k and v stay the caller's",
    "capacity": "Too many tokens raise ValueError and change nothing",
    "two-caches": "Two caches at once",
    "cache": "The outputs of the caches whose bytes are measured",
    "cache-bfloat16": "The outputs of the bfloat16 caches whose bytes are measured",
    "decode": "The outputs of the decode steps that are measured",
}

CAUSES = {
    "prefill-decode": "A token sees every token before it and itself: with n in the cache, new token t sees positions "
    "0 to n + t.",
    "chunked-prefill": "The causal mask of a chunk starts at the length of the cache: its token t sees n + t + 1 "
    "positions. is_causal=True of scaled_dot_product_attention aligns the mask at the top left, which is position 0.",
    "multi-query": "Query head i reads key/value head i // (heads // kv_heads): neighbours share a head.",
    "multi-head": "With one query head a group, query head i reads key/value head i.",
    "head-dim": "Take head_dim from the config: models set it apart from hidden // heads.",
    "bfloat16": "Store in config.dtype and answer in the dtype of q.",
    "float64": "Store in config.dtype: a cache in float32 loses half of a float64's digits.",
    "model": "Each layer has a cache of its own, and attention at one position must not see a later one.",
    "callers-tensors": "Copy k and v into storage of your own, since the caller writes the next chunk over them, and "
    "leave q, k and v as they were (no in-place operators on them).",
    "capacity": "Compare the length with the capacity before anything is written; raise ValueError; count the tokens "
    "only once they are stored. A cache may be filled to its last token.",
    "two-caches": "Whatever attend() remembers belongs to the cache that it was given, not to the module.",
    "cache": "The same code is right on small cases: look at what depends on the capacity.",
    "cache-bfloat16": "The same code is right on small cases: look at what depends on the dtype and the capacity.",
    "decode": "The same code is right on small cases: look at what depends on the length of the cache.",
}


def cases(rng, harness, mode):
    """Draw the cases of one grading: public ones for Run, fresh seeds and sizes for Submit."""
    if mode == "run":
        return harness.PUBLIC_CASES
    drawn = [_small(rng, family) for family in harness.FAMILIES if family not in MEASURED]
    filled = rng.choice((20, 22, 24))
    cache = {"layers": 8, "batch": 68, "kv_heads": 4, "group": 2, "head_dim": 256}
    cache |= {"capacity": filled, "chunks": [filled - 2, 1, 1]}
    narrow = {**cache, "layers": 3, "batch": 4, "head_dim": 64, "dtype": "bfloat16"}
    capacity = rng.choice((160, 168, 176))
    decode = {"batch": 64, "kv_heads": 4, "group": 4, "head_dim": 128, "capacity": capacity, "tokens": 4}
    decode |= {"prefill": [20] * (capacity // 40)}
    for name, sizes in (("decode", decode), ("cache", cache), ("cache-bfloat16", narrow)):
        drawn.append({"name": name, "family": name, "seed": rng.getrandbits(31), "measure": True, **sizes})
    return drawn


def _small(rng, family):
    """Draw a small case of one family."""
    case = {
        "name": family,
        "family": family,
        "seed": rng.getrandbits(31),
        "measure": False,
        "batch": rng.randrange(2, 5),
        "kv_heads": {"multi-query": 1}.get(family) or rng.randrange(2, 4),
        "group": {"multi-head": 1}.get(family) or rng.randrange(2, 5),
        "head_dim": rng.choice((12, 20, 24)),
    }
    if family in ("chunked-prefill", "multi-query", "model", "bfloat16", "float64", "callers-tensors"):
        chunks = [rng.randrange(1, 8) for _ in range(rng.randrange(4, 7))] + [1, rng.randrange(3, 6)]
    else:
        chunks = [rng.randrange(5, 12)] + [1] * rng.randrange(6, 10)
    case |= {"chunks": chunks, "capacity": sum(chunks) + rng.randrange(0, 9)}
    if family in ("bfloat16", "float64"):
        case["dtype"] = family
    if family == "head-dim":
        case["hidden"] = case["kv_heads"] * case["group"] * (case["head_dim"] - 4)
    return case


class ReferenceCache:
    """Keys and values as [B, K, capacity, D], and how many tokens of them are filled."""

    def __init__(self, config, batch, capacity):
        shape = (2, batch, config.kv_heads, capacity, config.head_dim)
        self.kv = torch.empty(shape, dtype=config.dtype, device=config.device)
        self.used = 0


def reference_attend(q, k, v, cache):
    """Write in place, read through a view; the query heads of one group are rows of one product."""
    start, end = cache.used, cache.used + k.shape[2]
    if end > cache.kv.shape[3]:
        raise ValueError(f"{k.shape[2]} tokens do not fit: {start} of {cache.kv.shape[3]} are used")
    cache.kv[0, :, :, start:end], cache.kv[1, :, :, start:end] = k, v
    cache.used = end
    batch, heads, tokens, dim = q.shape
    grouped = q.reshape(batch, k.shape[1], -1, dim)
    mask = torch.ones(tokens, end, dtype=torch.bool, device=q.device).tril(start)
    mask = None if tokens == 1 else mask.repeat(heads // k.shape[1], 1)
    out = F.scaled_dot_product_attention(grouped, cache.kv[0, :, :, :end], cache.kv[1, :, :, :end], attn_mask=mask)
    return out.view(batch, heads, tokens, dim)


REFERENCE = {"new_cache": ReferenceCache, "attend": reference_attend}


def timed_case(rng, harness, mode):
    """The case on which step times are shown (they decide nothing)."""
    sizes = {"batch": 16, "kv_heads": 4, "group": 4, "head_dim": 128, "capacity": 160, "prefill": [40] * 2, "tokens": 4}
    return {"name": "time", "family": "decode", "seed": 4, "measure": False, **sizes}


def check(runs):
    """Return the checks of one grading; `runs` are grader.runs.CaseRun, one a case."""
    found = []
    for run in runs:
        found.append(checks.same_results(run, TITLES, CAUSES))
        if run.crash is None and run.case["family"] == "cache":
            found.append(_cache_bytes(run, "cache-bytes", "Live bytes of full caches, by the formula"))
        if run.crash is None and run.case["family"] == "cache-bfloat16":
            found.append(_cache_bytes(run, "bfloat16-bytes", "Live bytes of full caches in bfloat16, by the formula"))
        if run.crash is None and run.case["family"] == "decode":
            found += [_decode_bytes(run), _decode_work(run)]
    return found


def layer_bytes(case, tokens):
    """Return the bytes of one layer's keys for so many tokens; its values take as much."""
    element = getattr(torch, case.get("dtype", "float32")).itemsize
    return case["batch"] * case["kv_heads"] * case["head_dim"] * tokens * element


def _cache_bytes(run, name, title):
    limit = int(2 * run.case["layers"] * layer_bytes(run.case, run.case["capacity"]) * (1 + CACHE_TOLERANCE))
    # The kernel's figure cannot tell one small cache from another: it decides on the large one.
    actual = run.decided_bytes("saved_bytes") if run.case["family"] == "cache" else run.metered.saved_bytes
    hint = "" if actual <= limit else (
        "Two tensors a layer, of batch · kv_heads · capacity · head_dim elements in config.dtype. Look for heads that "
        "were repeated before they were stored, for another dtype, for a copy that is kept beside the cache."
    )  # fmt: skip
    return Check(name, title, actual <= limit, limit, actual, "bytes", hint)


def decode_growth(line, block_bytes):
    """Return how far the live bytes of a timeline rise in its phase "decode", above where that starts.

    What still lives at the end is a block that the cache took, up to `block_bytes`, and not counted.
    """
    start = next(phase["start"] for phase in line["phases"] if phase["name"] == "decode")
    line = line["total"][start:]
    kept = max(0, line[-1] - line[0])
    return max(line) - line[0] - min(kept, block_bytes)


def _decode_bytes(run):
    limit = int(DECODE_SHARE * layer_bytes(run.case, sum(run.case["prefill"]) + run.case["tokens"]))
    block_bytes = 2 * layer_bytes(run.case, BLOCK_TOKENS)
    actual = decode_growth(run.metered.timeline, block_bytes) + run.kernel_excess_bytes()
    hint = "" if actual <= limit else (
        "A decode step made something as large as the cached keys. Look for torch.cat, for repeat_interleave or expand "
        "followed by reshape over the heads, for einsum or matmul over a layout that it has to copy first, for .to() "
        "or .contiguous() on the cache."
    )  # fmt: skip
    return Check("decode-bytes", "Bytes that decode steps allocate", actual <= limit, limit, actual, "bytes", hint)


def decode_flops(case):
    """Return the FLOPs of the case's decode steps: scores and mix, two products over every position so far."""
    per_position = 4 * case["batch"] * case["kv_heads"] * case["group"] * case["head_dim"]
    start = sum(case["prefill"])
    return per_position * sum(range(start + 1, start + case["tokens"] + 1))


def _decode_work(run):
    actual = round(run.metered.flops_by_phase.get("decode", 0) / decode_flops(run.case), 4)
    hint = "" if actual <= WORK_RATIO else (
        "One token's attention reads the positions so far, once. Look for products over the whole capacity with the "
        "rest masked out, and for outputs of earlier tokens computed again."
    )  # fmt: skip
    title = "Work of decode steps, linear in the position"
    return Check("decode-work", title, actual <= WORK_RATIO, WORK_RATIO, actual, "of the formula", hint)
