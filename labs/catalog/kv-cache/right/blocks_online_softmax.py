"""Allocates block after block as tokens arrive, and never joins them: the softmax is carried from block to block."""
import torch

BLOCK = 16


class Cache:
    def __init__(self, config, batch, capacity):
        self.config, self.batch, self.capacity = config, batch, capacity
        self.length = 0
        self.blocks = []

    def extend(self, k, v):
        done, tokens = 0, k.shape[2]
        while done < tokens:
            at = self.length % BLOCK
            if at == 0:
                size = min(BLOCK, self.capacity - self.length)
                shape = (2, self.batch, self.config.kv_heads, size, self.config.head_dim)
                self.blocks.append(torch.empty(shape, dtype=self.config.dtype, device=self.config.device))
            count = min(self.blocks[-1].shape[3] - at, tokens - done)
            self.blocks[-1][0, :, :, at : at + count] = k[:, :, done : done + count]
            self.blocks[-1][1, :, :, at : at + count] = v[:, :, done : done + count]
            self.length += count
            done += count


new_cache = Cache


def attend(q, k, v, cache):
    batch, heads, tokens, dim = q.shape
    start = cache.length
    if start + tokens > cache.capacity:
        raise ValueError(f"no room for {tokens} tokens: {start} of {cache.capacity} are taken")
    cache.extend(k, v)
    wide = torch.promote_types(q.dtype, torch.float32)
    kv_heads = k.shape[1]
    rows = q.reshape(batch, kv_heads, -1, dim)
    position = torch.arange(start, start + tokens, device=q.device).repeat(heads // kv_heads)
    highest = torch.full(rows.shape[:3], -torch.inf, dtype=wide, device=q.device)
    total = torch.zeros(rows.shape[:3], dtype=wide, device=q.device)
    mix = torch.zeros(rows.shape, dtype=wide, device=q.device)
    for number, block in enumerate(cache.blocks):
        first = number * BLOCK
        size = min(block.shape[3], cache.length - first)
        keys, values = block[0, :, :, :size], block[1, :, :, :size]
        scores = (rows @ keys.transpose(-1, -2)).to(wide) * dim**-0.5
        column = torch.arange(first, first + size, device=q.device)
        scores = scores.masked_fill(column > position[:, None], -torch.inf)
        peak = torch.maximum(highest, scores.amax(-1))
        weights = (scores - peak[..., None]).exp()
        keep = (highest - peak).exp()
        total = total * keep + weights.sum(-1)
        mix = mix * keep[..., None] + (weights.to(q.dtype) @ values).to(wide)
        highest = peak
    return (mix / total[..., None]).to(q.dtype).view(batch, heads, tokens, dim)
