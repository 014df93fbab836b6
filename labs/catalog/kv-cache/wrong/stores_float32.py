# outcome: failed
# failing: bfloat16-bytes
"""Ignores config.dtype where it is narrower: a bfloat16 cache takes twice its bytes."""
import torch


class Cache:
    def __init__(self, config, batch, capacity):
        shape = (batch, config.kv_heads, capacity, config.head_dim)
        self.k = torch.zeros(shape, dtype=torch.promote_types(config.dtype, torch.float32))
        self.v = torch.zeros(shape, dtype=torch.promote_types(config.dtype, torch.float32))
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
    rows = q.reshape(batch, k.shape[1], -1, dim).to(cache.k.dtype)
    scores = (rows @ cache.k[:, :, :end].transpose(-1, -2)).view(batch, heads, tokens, end) * dim**-0.5
    future = torch.ones(tokens, end, dtype=torch.bool).triu(start + 1)
    weights = scores.masked_fill(future, float("-inf")).softmax(-1)
    return (weights.view(batch, k.shape[1], -1, end) @ cache.v[:, :, :end]).view(batch, heads, tokens, dim).to(q.dtype)
