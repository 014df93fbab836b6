"""Write a KV cache for grouped-query attention: new_cache() makes it, attend() fills and reads it."""

import torch


def new_cache(config, batch, capacity):
    # config has hidden, heads, kv_heads, head_dim, dtype and device. This list remembers nothing about them.
    return []


def attend(q, k, v, cache):
    # q [B, heads, T, head_dim], k and v [B, kv_heads, T, head_dim]: T new tokens, after those that the cache holds.
    # This attends to the new tokens only, so it is right as long as everything comes in one call.
    # Where do the earlier keys and values come from? Which of them may each new token see? What happens when the
    # capacity is used up?
    cache.append(k.shape[2])
    group = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)
    scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
    tokens = q.shape[2]
    future = torch.ones(tokens, tokens, dtype=torch.bool, device=q.device).triu(1)
    return scores.masked_fill(future, float("-inf")).softmax(dim=-1) @ v
