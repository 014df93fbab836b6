# outcome: failed
# failing: append-gather, callers-tensors, exhausted, fork, fork-blocks, free, pool, traces, two-pools, unknown, waste
"""Gathers the keys twice, and no values."""
import torch


class PagedCache:
    def __init__(self, blocks, block_tokens, kv_heads, head_dim):
        self.b = block_tokens
        self.kv = torch.empty(2, blocks * block_tokens, kv_heads, head_dim)
        self.count = torch.zeros(blocks, dtype=torch.int64)
        self.rows = {}  # sequence → (blocks as a tensor, tokens)

    def places(self, blocks, start, end):
        token = torch.arange(start, end)
        return blocks[token // self.b] * self.b + token % self.b

    def append(self, sequence, k, v):
        blocks, n = self.rows.get(sequence, (torch.empty(0, dtype=torch.int64), 0))
        blocks = blocks.clone()
        total = n + k.size(0)
        copies = 1 if n % self.b and self.count[blocks[-1]] > 1 else 0
        unused = (self.count == 0).nonzero().flatten()
        wanted = -(-total // self.b) - blocks.numel() + copies
        if wanted > unused.numel():
            raise MemoryError(f"{wanted} blocks wanted, {unused.numel()} unused")
        taken = unused[:wanted]
        self.count[taken] = 1
        if copies:
            old = blocks[-1].clone()
            blocks[-1] = taken[0]
            self.count[old] -= 1
            self.kv.view(2, -1, self.b, *self.kv.shape[2:])[:, taken[0]] = self.kv.view(
                2, -1, self.b, *self.kv.shape[2:]
            )[:, old]
        blocks = torch.cat([blocks, taken[copies:]])
        where = self.places(blocks, n, total)
        self.kv[0].index_copy_(0, where, k)
        self.kv[1].index_copy_(0, where, v)
        self.rows[sequence] = (blocks, total)

    def gather(self, sequence):
        blocks, n = self.rows[sequence]
        where = self.places(blocks, 0, n)
        return self.kv[0].index_select(0, where), self.kv[0].index_select(0, where)

    def fork(self, sequence, child):
        if sequence not in self.rows:
            raise KeyError(sequence)
        if child in self.rows:
            raise ValueError(child)
        blocks, n = self.rows[sequence]
        self.count[blocks] += 1
        self.rows[child] = (blocks, n)

    def free(self, sequence):
        blocks, _ = self.rows.pop(sequence)
        self.count[blocks] -= 1
