# outcome: failed
# failing: recomputed-work
"""Right gradients and few bytes, but the whole function is run again for each saved tensor."""
import torch


def checkpoint(function, *args, **kwargs):
    rng = torch.get_rng_state()
    amp = torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")
    total = [0]

    def pack(_):
        total[0] += 1
        return total[0] - 1

    def unpack(index):
        count, found = [0], []

        def keep(tensor):
            if count[0] == index:
                found.append(tensor.detach())
            count[0] += 1
            return count[0] - 1

        with torch.random.fork_rng(devices=[]), torch.enable_grad(), torch.autocast("cpu", amp[1], amp[0]):
            torch.set_rng_state(rng)
            with torch.autograd.graph.saved_tensors_hooks(keep, lambda _: None):
                function(*args, **kwargs)
        return found[0]

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        return function(*args, **kwargs)
