"""A table over whole units of memory, filled from the end of the chain, in numpy; saved-tensor hooks that replay."""
import math

import numpy as np
import torch
from torch.autograd.graph import saved_tensors_hooks


def plan(profile, budget):
    n = len(profile)
    unit = math.gcd(*(size for block in profile for size in block[:3]))
    budget = min(budget, sum(sum(block[:3]) for block in profile)) // unit
    if budget < 0:
        raise ValueError("a negative budget")
    kept = [(block.saved_bytes + block.output_bytes) // unit for block in profile]
    live = [kept[i] + profile[i].workspace_bytes // unit for i in range(n)]
    out = [block.output_bytes // unit for block in profile]
    cost = np.full((n + 1, budget + 1), np.inf)
    cost[n] = 0
    choice = np.zeros((n, budget + 1), dtype=int)
    for i in reversed(range(n)):
        options = [(i + 1, live[i], kept[i], 0, 0)]  # end, bytes needed, bytes kept, FLOPs, code
        need = inside = flops = 0
        for end in range(i + 1, n + 1):
            need = max(need, inside + live[end - 1])
            inside += kept[end - 1]
            flops += profile[end - 1].forward_flops
            options.append((end, need, out[end - 1], flops, end))
        for end, need, stays, flops, code in options:
            first = max(need, stays)
            if first > budget:
                continue
            here = cost[end, first - stays : budget + 1 - stays] + flops
            better = here < cost[i, first:]
            cost[i, first:][better] = here[better]
            choice[i, first:][better] = code
    if not np.isfinite(cost[0, budget]):
        raise ValueError("no plan fits")
    i, parts = 0, []
    while i < n:
        code = choice[i, budget]
        end = code or i + 1
        parts.append((i, end, code > 0))
        budget -= out[end - 1] if code else kept[i]
        i = end
    return parts


def replayed(blocks, x):
    made, count = {}, 0

    def run():
        h = x
        for block in blocks:
            h = block(h)
        return h

    def pack(_):
        nonlocal count
        count += 1
        return count - 1

    def unpack(index):
        if index not in made:
            numbers = iter(range(count))

            def keep(tensor):
                number = next(numbers)
                made[number] = tensor.detach()
                return number

            with torch.enable_grad(), saved_tensors_hooks(keep, made.get):
                run()
        return made.pop(index)

    with saved_tensors_hooks(pack, unpack):
        return run()


def forward(blocks, x, budget_bytes, profile):
    for first, end, replay in plan(profile, budget_bytes):
        if replay:
            x = replayed(blocks[first:end], x)
        else:
            for block in blocks[first:end]:
                x = block(x)
    return x
