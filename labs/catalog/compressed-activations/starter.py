"""Write compress(): inside it, autograd keeps half the bytes."""

import contextlib


@contextlib.contextmanager
def compress():
    # This runs, and changes nothing: everything is kept as it is, and the byte checks will say no.
    # torch.autograd.graph.saved_tensors_hooks(pack, unpack) is a context manager too. Print what arrives in pack():
    # shape, dtype, is it a parameter, has it been here before?
    yield
