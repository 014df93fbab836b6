# outcome: failed
# failing: callers-tensors
"""Puts the caller's tensors into the table when they fill a block by themselves."""
import torch


class PagedCache:
    """Blocks are lists of (k, v) pieces; a piece is a view of what append was given."""

    def __init__(self, blocks, block_tokens, kv_heads, head_dim):
        self.size, self.left = block_tokens, blocks
        self.tables, self.lengths, self.users = {}, {}, {}

    def append(self, sequence, k, v):
        table, length = list(self.tables.get(sequence, ())), self.lengths.get(sequence, 0)
        row = length % self.size
        shared = row > 0 and self.users[id(table[-1])] > 1
        more = -(-(length + len(k)) // self.size) - len(table)
        if more + shared > self.left:
            raise MemoryError("no free blocks")
        self.left -= more + shared
        if shared:
            self.users[id(table[-1])] -= 1
            table[-1] = list(table[-1])
            self.users[id(table[-1])] = 1
        done = 0
        while done < len(k):
            row = (length + done) % self.size
            if row == 0:
                table.append([])
                self.users[id(table[-1])] = 1
            count = min(self.size - row, len(k) - done)
            table[-1].append((k[done : done + count], v[done : done + count]))
            done += count
        self.tables[sequence], self.lengths[sequence] = table, length + len(k)

    def gather(self, sequence):
        pieces = [piece for block in self.tables[sequence] for piece in block]
        return torch.cat([k for k, _ in pieces]), torch.cat([v for _, v in pieces])

    def fork(self, sequence, child):
        table = self.tables[sequence]
        if child in self.tables:
            raise ValueError(child)
        for block in table:
            self.users[id(block)] += 1
        self.tables[child], self.lengths[child] = list(table), self.lengths[sequence]

    def free(self, sequence):
        for block in self.tables.pop(sequence):
            self.users[id(block)] -= 1
            if self.users[id(block)] == 0:
                self.left += 1
        del self.lengths[sequence]
