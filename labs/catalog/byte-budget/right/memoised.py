"""A recursion with a memory over (block, bytes left), written with harness.predicted_peak as its guard."""
from functools import cache

from harness import predicted_peak
from torch.utils.checkpoint import checkpoint


def plan(profile, budget):
    n = len(profile)

    @cache
    def least(i, free):
        """(FLOPs, parts) of the blocks from i on with `free` bytes, None if they do not fit."""
        if i == n:
            return 0, ()
        found = []
        for end in range(i + 1, n + 1):
            if predicted_peak(profile[i:end], [(0, end - i, True)]) > free:
                break
            block = profile[end - 1]
            if end == i + 1 and (rest := least(end, free - block.saved_bytes - block.output_bytes)):
                found.append((rest[0], ((i, end, False), *rest[1])))
            if rest := least(end, free - block.output_bytes):
                work = sum(block.forward_flops for block in profile[i:end])
                found.append((rest[0] + work, ((i, end, True), *rest[1])))
        return min(found, default=None)

    best = least(0, budget)
    if best is None:
        raise ValueError(f"{budget} bytes are too few")
    parts = best[1]
    assert predicted_peak(profile, parts) <= budget
    return parts


def forward(blocks, x, budget_bytes, profile):
    for first, end, replay in plan(profile, budget_bytes):

        def run(x, segment=blocks[first:end]):
            for block in segment:
                x = block(x)
            return x

        x = checkpoint(run, x, use_reentrant=False) if replay else run(x)
    return x
