# outcome: failed
# failing: dropout
"""A good replay that draws new random numbers."""
import torch


def checkpoint(function, *args, **kwargs):
    amp = torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")
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

            with torch.enable_grad(), torch.autocast("cpu", amp[1], amp[0]):
                with torch.autograd.graph.saved_tensors_hooks(keep, saved.__getitem__):
                    function(*args, **kwargs)
        return saved.pop(index)

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        return function(*args, **kwargs)
