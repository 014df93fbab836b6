# outcome: failed
# failing: callers-tensors, decode-bytes
"""Keeps references to k and v, which the caller overwrites, and joins them when it needs them."""
import torch


def new_cache(config, batch, capacity):
    return {"k": [], "v": [], "length": 0, "capacity": capacity}


def attend(q, k, v, cache):
    batch, heads, tokens, dim = q.shape
    start, end = cache["length"], cache["length"] + tokens
    if end > cache["capacity"]:
        raise ValueError("the cache is full")
    cache["k"].append(k)
    cache["v"].append(v)
    cache["length"] = end
    keys, values = torch.cat(cache["k"], dim=2), torch.cat(cache["v"], dim=2)
    rows = q.reshape(batch, k.shape[1], -1, dim)
    scores = (rows @ keys.transpose(-1, -2)).view(batch, heads, tokens, end) * dim**-0.5
    future = torch.ones(tokens, end, dtype=torch.bool).triu(start + 1)
    weights = scores.masked_fill(future, float("-inf")).softmax(-1)
    return (weights.view(batch, k.shape[1], -1, end) @ values).view(batch, heads, tokens, dim)
