"""A dictionary for a cache, token-major storage, and torch's attention over strided views of it."""
import torch
from torch.nn.functional import scaled_dot_product_attention


def new_cache(config, batch, capacity):
    shape = (2, batch, capacity, config.kv_heads, config.head_dim)
    return {"kv": torch.empty(shape, dtype=config.dtype, device=config.device), "length": 0, "capacity": capacity}


def attend(q, k, v, cache):
    start, tokens = cache["length"], q.shape[2]
    end = start + tokens
    if end > cache["capacity"]:
        raise ValueError(f"capacity {cache['capacity']} exceeded: {start} tokens and {tokens} more")
    cache["kv"][0, :, start:end].copy_(k.transpose(1, 2))
    cache["kv"][1, :, start:end].copy_(v.transpose(1, 2))
    cache["length"] = end
    keys, values = cache["kv"][:, :, :end].transpose(2, 3)
    mask = torch.zeros(tokens, end, dtype=q.dtype, device=q.device)
    mask[:, start:].masked_fill_(torch.ones(tokens, tokens, dtype=torch.bool, device=q.device).triu(1), float("-inf"))
    return scaled_dot_product_attention(q, keys, values, attn_mask=mask, enable_gqa=True)
