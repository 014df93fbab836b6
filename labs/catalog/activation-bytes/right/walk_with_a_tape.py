"""Runs the block on shapes only. A tape notes which tensors each operator keeps; a tensor kept twice is one tensor."""

import math
from copy import copy
from itertools import count


class Tensor:
    names = count()

    def __init__(self, shape, size):
        self.shape, self.bytes, self.name = shape, math.prod(shape) * size, next(Tensor.names)

    def view(self, *shape):
        """The same bytes in another shape."""
        other = copy(self)
        other.shape = shape
        return other


class Tape:
    def __init__(self, size):
        self.size, self.kept = size, {}

    def new(self, *shape, size=None):
        return Tensor(shape, size or self.size)

    def keep(self, *tensors):
        self.kept.update({tensor.name: tensor.bytes for tensor in tensors})

    def norm(self, x):
        self.keep(x, self.new(*x.shape[:-1], size=4), self.new(*x.shape[:-1], size=4))
        return self.new(*x.shape)

    def linear(self, x, width):
        self.keep(x)
        return self.new(*x.shape[:-1], width)

    def activation(self, x):
        self.keep(x)
        return self.new(*x.shape)

    def times(self, x, y):
        self.keep(x, y)
        return self.new(*x.shape)

    def softmax(self, x):
        y = self.new(*x.shape)
        self.keep(y)
        return y

    def dropout(self, x, p):
        if not p:
            return x
        self.keep(self.new(*x.shape, size=1))
        return self.new(*x.shape)

    def product(self, x, y, *shape):
        self.keep(x, y)
        return self.new(*shape)

    def plus(self, x, _):
        return self.new(*x.shape)


class Blind(Tape):
    """A tape that forgets what lies inside a checkpoint."""

    def keep(self, *tensors):
        pass


def core(tape, c, q, k, v):
    B, A, T, Q = q.shape
    if c["attention"] == "fused":
        out = tape.new(B, A, T, Q)
        tape.keep(q, k, v, out, tape.new(B, A, T, size=4))
        return out.view(B, T, A * Q)  # the kernel writes the heads of a token side by side
    weights = tape.dropout(tape.softmax(tape.product(q, k, B, A, T, T)), c["dropout"])
    tape.product(weights, v, B, A, T, Q)
    return tape.new(B, T, A * Q)  # a copy that puts the heads side by side


def block(tape, c, x):
    B, T, D = x.shape
    y = tape.norm(x)
    tape.keep(y)
    q, k, v = (tape.new(B, c["heads"], T, D // c["heads"]) for _ in range(3))
    if c["checkpoint"] == "attention":
        tape.keep(q, k, v)
        context = core(Blind(tape.size), c, q, k, v)
    else:
        context = core(tape, c, q, k, v)
    x = tape.plus(x, tape.dropout(tape.linear(context, D), c["dropout"]))
    y = tape.norm(x)
    up = tape.linear(y, c["ff"])
    if c["gated"]:
        inner = tape.times(tape.activation(tape.linear(y, c["ff"])), up)
    else:
        inner = tape.activation(up)
    return tape.plus(x, tape.dropout(tape.linear(inner, D), c["dropout"]))


def saved_bytes(config):
    tape = Tape({"bfloat16": 2, "float32": 4}[config["dtype"]])
    x = first = tape.new(config["batch"], config["sequence"], config["hidden"])
    for _ in range(config["layers"]):
        inside = Blind(tape.size) if config["checkpoint"] == "block" else tape
        tape.keep(x)
        x = block(inside, config, x)
        if config["checkpoint"] == "block" and config["dropout"]:
            tape.keep(tape.new(5056, size=1))  # the random state
    tape.keep(x)
    tape.kept.pop(first.name)
    return sum(tape.kept.values())
