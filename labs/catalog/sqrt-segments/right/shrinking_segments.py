"""Segments that get shorter, since later ones find more inputs kept; the last one is not replayed at all.
Written with saved-tensor hooks: a position is kept, and the first one asked for replays the whole segment."""
import torch
from torch.autograd.graph import saved_tensors_hooks


def lengths(n):
    budget = 1
    while True:
        found, kept = [], 0
        while sum(found) < n and budget - kept >= 2:
            found.append(min((budget - kept) // 2, n - sum(found)))
            kept += 1
        if sum(found) == n:
            return found
        budget += 1


def replayed(blocks, x):
    rng = torch.get_rng_state()
    made, count = {}, 0

    def run(x):
        for block in blocks:
            x = block(x)
        return x

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

            with torch.random.fork_rng(devices=[]), torch.enable_grad(), saved_tensors_hooks(keep, made.get):
                torch.set_rng_state(rng)
                run(x)
        return made.pop(index)

    with saved_tensors_hooks(pack, unpack):
        return run(x)


def forward(blocks, x):
    first, parts = 0, lengths(len(blocks))
    for number, length in enumerate(parts):
        segment = blocks[first : first + length]
        if number < len(parts) - 1:
            x = replayed(segment, x)
        else:
            for block in segment:
                x = block(x)
        first += length
    return x
