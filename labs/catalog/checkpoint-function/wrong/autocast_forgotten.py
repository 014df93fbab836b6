# outcome: crashed
# failing: autocast
"""The replay runs in whatever precision backward happens to run in."""
import torch


def checkpoint(function, *args, **kwargs):
    rng = torch.get_rng_state()
    saved, total = {}, [0]

    def pack(_):
        total[0] += 1
        return total[0] - 1

    def unpack(index):
        if index not in saved:
            count = [0]

            def keep(tensor):
                saved[count[0]] = tensor.detach()
                count[0] += 1
                return count[0] - 1

            with torch.random.fork_rng(devices=[]), torch.enable_grad():
                torch.set_rng_state(rng)
                with torch.autograd.graph.saved_tensors_hooks(keep, saved.__getitem__):
                    function(*args, **kwargs)
        return saved.pop(index)

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        return function(*args, **kwargs)
