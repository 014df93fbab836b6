# outcome: failed
# failing: cache-bytes, bfloat16-bytes
"""Repeats the heads before it stores them: the cache is a group times too large."""
import torch


class Cache:
    def __init__(self, config, batch, capacity):
        shape = (batch, config.heads, capacity, config.head_dim)
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
    group = heads // k.shape[1]
    cache.k[:, :, start:end] = k.repeat_interleave(group, dim=1)
    cache.v[:, :, start:end] = v.repeat_interleave(group, dim=1)
    cache.length = end
    scores = q @ cache.k[:, :, :end].transpose(-1, -2) * dim**-0.5
    future = torch.ones(tokens, end, dtype=torch.bool).triu(start + 1)
    weights = scores.masked_fill(future, float("-inf")).softmax(-1)
    return weights @ cache.v[:, :, :end]
