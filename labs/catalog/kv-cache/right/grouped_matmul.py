"""One allocation a layer, filled in place; the query heads of a group are rows of one product."""
import torch


class Cache:
    def __init__(self, config, batch, capacity):
        shape = (batch, config.kv_heads, capacity, config.head_dim)
        self.k = torch.zeros(shape, dtype=config.dtype, device=config.device)
        self.v = torch.zeros_like(self.k)
        self.length = 0


def new_cache(config, batch, capacity):
    return Cache(config, batch, capacity)


def attend(q, k, v, cache):
    batch, heads, tokens, dim = q.shape
    kv_heads, start = k.shape[1], cache.length
    end = start + tokens
    if end > cache.k.shape[2]:
        raise ValueError(f"the cache holds {start} of {cache.k.shape[2]} tokens; {tokens} more do not fit")
    cache.k[:, :, start:end] = k
    cache.v[:, :, start:end] = v
    cache.length = end
    rows = q.reshape(batch, kv_heads, heads // kv_heads * tokens, dim)
    scores = rows @ cache.k[:, :, :end].transpose(-1, -2) * dim**-0.5
    scores = scores.view(batch, heads, tokens, end)
    seen = torch.arange(end, device=q.device) <= torch.arange(start, end, device=q.device)[:, None]
    weights = scores.masked_fill(~seen, float("-inf")).softmax(dim=-1)
    return (weights.view(batch, kv_heads, -1, end) @ cache.v[:, :, :end]).view(batch, heads, tokens, dim)
