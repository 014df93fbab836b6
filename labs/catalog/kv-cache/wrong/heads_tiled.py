# outcome: failed
# failing: prefill-decode, chunked-prefill, head-dim, bfloat16, float64, model, callers-tensors, capacity, two-caches, cache, cache-bfloat16, decode
"""Query head i reads key/value head i % kv_heads, as repeat() would give."""
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
    rows = q.unflatten(1, (-1, k.shape[1])).transpose(1, 2).reshape(batch, k.shape[1], -1, dim)
    scores = (rows @ cache.k[:, :, :end].transpose(-1, -2)).view(batch, heads, tokens, end) * dim**-0.5
    future = torch.ones(tokens, end, dtype=torch.bool).triu(start + 1)
    weights = scores.masked_fill(future, float("-inf")).softmax(-1)
    mix = (weights.view(batch, k.shape[1], -1, end) @ cache.v[:, :, :end]).view(batch, k.shape[1], -1, tokens, dim)
    return mix.transpose(1, 2).reshape(batch, heads, tokens, dim)
