# outcome: failed
# failing: decode-bytes
"""Grows by torch.cat: every token allocates the whole cache anew."""
import torch


def new_cache(config, batch, capacity):
    return {"k": None, "v": None, "capacity": capacity}


def attend(q, k, v, cache):
    batch, heads, tokens, dim = q.shape
    start = 0 if cache["k"] is None else cache["k"].shape[2]
    end = start + tokens
    if end > cache["capacity"]:
        raise ValueError("the cache is full")
    cache["k"] = k.clone() if start == 0 else torch.cat([cache["k"], k], dim=2)
    cache["v"] = v.clone() if start == 0 else torch.cat([cache["v"], v], dim=2)
    rows = q.reshape(batch, k.shape[1], -1, dim)
    scores = (rows @ cache["k"].transpose(-1, -2)).view(batch, heads, tokens, end) * dim**-0.5
    future = torch.ones(tokens, end, dtype=torch.bool).triu(start + 1)
    weights = scores.masked_fill(future, float("-inf")).softmax(-1)
    return (weights.view(batch, k.shape[1], -1, end) @ cache["v"]).view(batch, heads, tokens, dim)
