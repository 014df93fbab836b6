# outcome: crashed
# failing: chain, arguments, frozen-input, autograd-grad, nesting, autocast, shared-weights, dropout
"""Keeps one module-level slot for the last call instead of state for each call."""
import torch

STATE = {}


def checkpoint(function, *args, **kwargs):
    rng = torch.get_rng_state()
    amp = torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")
    STATE.update(function=function, args=args, kwargs=kwargs)
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

            with torch.random.fork_rng(devices=[]), torch.enable_grad(), torch.autocast("cpu", amp[1], amp[0]):
                torch.set_rng_state(rng)
                with torch.autograd.graph.saved_tensors_hooks(keep, saved.__getitem__):
                    STATE["function"](*STATE["args"], **STATE["kwargs"])
        return saved.pop(index)

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        return function(*args, **kwargs)
