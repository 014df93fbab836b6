"""Write checkpoint(): keep the inputs, compute the rest again when backward needs it."""


def checkpoint(function, *args, **kwargs):
    # This runs, and gives the right gradients, but keeps every activation: the byte checks will say no.
    # What does autograd keep when this line runs? What would you have to keep to be able to run it again later?
    # torch.autograd.graph.saved_tensors_hooks and torch.autograd.Function are two ways in.
    return function(*args, **kwargs)
