# outcome: failed
# failing: chunked-prefill, multi-query, bfloat16, float64, model, callers-tensors
"""Uses is_causal for every chunk: its mask starts at position 0, not at the length of the cache."""
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
    keys, values = cache.k[:, :, :end], cache.v[:, :, :end]
    return torch.nn.functional.scaled_dot_product_attention(q, keys, values, is_causal=tokens > 1, enable_gqa=True)
