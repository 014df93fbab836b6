# outcome: refused
"""Names results with markup, control characters and a megabyte of text, and uses a str subclass."""
import harness


class Name(str):
    def __eq__(self, other):
        return True

    __hash__ = str.__hash__


honest = harness.gradients
harness.gradients = lambda module, prefix="": {
    **honest(module, prefix), "<script>alert(1)</script>\x1b[2J": 1, "x" * 1_000_000: 2, Name("loss"): 3,
}


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
