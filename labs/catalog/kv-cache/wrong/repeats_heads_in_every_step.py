# outcome: failed
# failing: decode-bytes
"""Repeats keys and values over the query heads, for every token."""
import torch


class Cache:
    def __init__(self, config, batch, capacity):
        shape = (batch, config.kv_heads, capacity, config.head_dim)
        self.k = torch.zeros(shape, dtype=config.dtype)
        self.v = torch.zeros(shape, dtype=config.dtype)
        self.length = 0


def new_cache(config, batch, capacity):
    return Cache(config, batch, capacity)


def attend(q, k, v, cache):
    batch, heads, tokens, dim = q.shape
    start, end = cache.length, cache.length + tokens
    if end > cache.k.shape[2]:
        raise ValueError(f"{tokens} tokens do not fit after {start}")
    cache.k[:, :, start:end] = k
    cache.v[:, :, start:end] = v
    cache.length = end
    group = heads // k.shape[1]
    keys = cache.k[:, :, :end].repeat_interleave(group, dim=1)
    values = cache.v[:, :, :end].repeat_interleave(group, dim=1)
    scores = q @ keys.transpose(-1, -2) * dim**-0.5
    future = torch.ones(tokens, end, dtype=torch.bool).triu(start + 1)
    weights = scores.masked_fill(future, float("-inf")).softmax(-1)
    return weights @ values
