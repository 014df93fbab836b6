# outcome: failed
# failing: exhausted, traces, pool-bytes, peak-bytes
"""A dictionary of tensors: right contents, no blocks, no sharing, no end."""
import torch


class PagedCache:
    def __init__(self, blocks, block_tokens, kv_heads, head_dim):
        self.sequences = {}

    def append(self, sequence, k, v):
        if sequence in self.sequences:
            old_k, old_v = self.sequences[sequence]
            k, v = torch.cat([old_k, k]), torch.cat([old_v, v])
        self.sequences[sequence] = (k.clone(), v.clone())

    def gather(self, sequence):
        return self.sequences[sequence]

    def fork(self, sequence, child):
        k, v = self.sequences[sequence]
        if child in self.sequences:
            raise ValueError(child)
        self.sequences[child] = (k.clone(), v.clone())

    def free(self, sequence):
        del self.sequences[sequence]
