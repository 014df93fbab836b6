# outcome: failed
# failing: waste, fork-blocks, exhausted, free, traces
"""Starts a new block with every append, and leaves the last one partly filled."""
import torch


class PagedCache:
    def __init__(self, blocks, block_tokens, kv_heads, head_dim):
        self.size = block_tokens
        self.k = torch.zeros(blocks, block_tokens, kv_heads, head_dim)
        self.v = torch.zeros(blocks, block_tokens, kv_heads, head_dim)
        self.free_blocks = list(range(blocks))
        self.users = [0] * blocks
        self.tables = {}

    def append(self, sequence, k, v):
        parts = list(zip(k.split(self.size), v.split(self.size)))
        if len(parts) > len(self.free_blocks):
            raise MemoryError("no free blocks")
        for keys, values in parts:
            block = self.free_blocks.pop()
            self.users[block] = 1
            self.k[block, : len(keys)], self.v[block, : len(keys)] = keys, values
            self.tables.setdefault(sequence, []).append((block, len(keys)))

    def gather(self, sequence):
        table = self.tables[sequence]
        return (torch.cat([store[block, :count] for block, count in table]) for store in (self.k, self.v))

    def fork(self, sequence, child):
        table = self.tables[sequence]
        if child in self.tables:
            raise ValueError(child)
        for block, _ in table:
            self.users[block] += 1
        self.tables[child] = list(table)

    def free(self, sequence):
        for block, _ in self.tables.pop(sequence):
            self.users[block] -= 1
            if self.users[block] == 0:
                self.free_blocks.append(block)
