# outcome: failed
# failing: fork-blocks
# sometimes: traces
"""Copies the partly filled block at once, in fork, instead of when it is written."""
import torch


class PagedCache:
    def __init__(self, blocks, block_tokens, kv_heads, head_dim):
        self.size = block_tokens
        self.k = torch.zeros(blocks, block_tokens, kv_heads, head_dim)
        self.v = torch.zeros(blocks, block_tokens, kv_heads, head_dim)
        self.free_blocks = list(range(blocks))
        self.users = [0] * blocks
        self.tables = {}
        self.lengths = {}

    def append(self, sequence, k, v):
        table = self.tables.get(sequence, [])
        length = self.lengths.get(sequence, 0)
        row = length % self.size
        shared = row > 0 and self.users[table[-1]] > 1
        more = (length + len(k) + self.size - 1) // self.size - len(table)
        if more + shared > len(self.free_blocks):
            raise MemoryError("no free blocks")
        if shared:
            block = self._take()
            self.k[block, :row] = self.k[table[-1], :row]
            self.v[block, :row] = self.v[table[-1], :row]
            self._drop(table[-1])
            table[-1] = block
        table.extend(self._take() for _ in range(more))
        self.tables[sequence] = table
        done = 0
        while done < len(k):
            block, row = table[length // self.size], length % self.size
            count = min(self.size - row, len(k) - done)
            self.k[block, row : row + count] = k[done : done + count]
            self.v[block, row : row + count] = v[done : done + count]
            done += count
            length += count
        self.lengths[sequence] = length

    def gather(self, sequence):
        table, length = self.tables[sequence], self.lengths[sequence]
        k, v = self.k[table].flatten(0, 1), self.v[table].flatten(0, 1)
        return k[:length], v[:length]

    def fork(self, sequence, child):
        table = self.tables[sequence]
        if child in self.tables:
            raise ValueError(f"{child} is in use")
        length = self.lengths[sequence]
        partial = length % self.size > 0
        if partial and not self.free_blocks:
            raise MemoryError("no free blocks")
        full = table[:-1] if partial else table
        for block in full:
            self.users[block] += 1
        copies = []
        if partial:
            copies = [self._take()]
            self.k[copies[0]], self.v[copies[0]] = self.k[table[-1]], self.v[table[-1]]
        self.tables[child], self.lengths[child] = full + copies, length

    def free(self, sequence):
        for block in self.tables.pop(sequence):
            self._drop(block)
        del self.lengths[sequence]

    def _take(self):
        block = self.free_blocks.pop()
        self.users[block] = 1
        return block

    def _drop(self, block):
        self.users[block] -= 1
        if self.users[block] == 0:
            self.free_blocks.append(block)
