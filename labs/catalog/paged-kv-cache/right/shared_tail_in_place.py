"""Blocks are objects that are made when needed and disappear with their last user; the pool only counts them.

A fork's parent goes on writing in place behind the tokens that its child can see: a block knows how many of its rows
are written, and only a sequence that wants a row which is taken makes a copy. So it needs fewer blocks at times.
"""
import torch


class OutOfBlocks(MemoryError):
    pass


class Block:
    def __init__(self, pool):
        self.kv = torch.empty(2, pool.size, *pool.shape)
        self.written = 0
        self.users = 1


class PagedCache:
    def __init__(self, blocks, block_tokens, kv_heads, head_dim):
        self.left, self.size, self.shape = blocks, block_tokens, (kv_heads, head_dim)
        self.tables, self.lengths = {}, {}

    def append(self, sequence, k, v):
        table, n = self.tables.get(sequence, []), self.lengths.get(sequence, 0)
        row = n % self.size
        tail = table[-1] if row else None
        if tail is not None and tail.users == 1:
            tail.written = row  # whatever lies behind belonged to sequences that are gone
        copy = tail is not None and tail.written > row
        need = -(-(n + k.shape[0]) // self.size) - len(table) + copy
        if need > self.left:
            raise OutOfBlocks(f"{need} blocks, {self.left} left")
        self.left -= need
        table = list(table)
        if copy:
            table[-1] = Block(self)
            table[-1].kv[:, :row] = tail.kv[:, :row]
            tail.users -= 1
        done = 0
        while done < k.shape[0]:
            row = n % self.size
            if row == 0:
                table.append(Block(self))
            count = min(self.size - row, k.shape[0] - done)
            table[-1].kv[0, row : row + count] = k[done : done + count]
            table[-1].kv[1, row : row + count] = v[done : done + count]
            table[-1].written = row + count
            n, done = n + count, done + count
        self.tables[sequence], self.lengths[sequence] = table, n

    def gather(self, sequence):
        table, n = self.tables[sequence], self.lengths[sequence]
        kv = torch.cat([block.kv for block in table], dim=1)[:, :n]
        return kv[0], kv[1]

    def fork(self, sequence, child):
        table = self.tables[sequence]
        if child in self.tables:
            raise ValueError("that sequence exists")
        for block in table:
            block.users += 1
        self.tables[child], self.lengths[child] = list(table), self.lengths[sequence]

    def free(self, sequence):
        table = self.tables.pop(sequence)
        del self.lengths[sequence]
        for block in table:
            block.users -= 1
            self.left += block.users == 0
