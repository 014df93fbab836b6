"""Write checkpoint() so that the replay sees the state that forward saw, and leaves none of its own behind."""

from torch.utils.checkpoint import checkpoint as torch_checkpoint


def checkpoint(function, *args, **kwargs):
    # The library's replay puts torch's own random stream back, and nothing else. BatchNorm's statistics, counters,
    # caches, generators of their own and Python's random numbers move a second time. (Your checkpoint() of the first
    # lab is as good a start.)
    return torch_checkpoint(function, *args, use_reentrant=False, **kwargs)
