"""How your PagedCache is called. This file is the whole of what runs beside your code; the judge plays the same
families with operations, sizes and contents of its own, and compares with a model that keeps every sequence apart.

Your module defines a class (or a function that returns an object with these methods)

    PagedCache(blocks, block_tokens, kv_heads, head_dim)
        A pool of `blocks` blocks for `block_tokens` tokens each: their keys and values, in float32.

    append(sequence, k, v)
        k, v [T, kv_heads, head_dim], T ≥ 1: the next T tokens of `sequence`, an int. An unknown sequence begins here.
        It takes a block where the last one is full, and where the last one is partly filled and shared with another
        sequence (copy-on-write). If the free blocks are not enough it raises MemoryError, and nothing has changed.
    gather(sequence)
        Returns (k, v), each [tokens, kv_heads, head_dim]: the whole sequence, in order. Changes nothing.
    fork(sequence, child)
        `child` begins with all of `sequence`'s tokens, and takes no block and copies nothing until one of them
        appends. ValueError if `child` exists already.
    free(sequence)
        The sequence is gone; a block that no other sequence uses is free again.

gather, fork and free raise KeyError for an unknown sequence, such as one that was freed before.

A case's operations are lists: ["append", sequence, T], ["gather", sequence], ["fork", sequence, child],
["free", sequence]. What each of them did is compared, and every tensor that gather returned.
"""

import torch

from grader.program import Program


class PlainCache:
    """The plain run: a pair of tensors for each sequence, grown by joining; a fork copies. There is no pool."""

    def __init__(self, blocks, block_tokens, kv_heads, head_dim):
        self.sequences = {}

    def append(self, sequence, k, v):
        old = self.sequences.get(sequence, (k[:0], v[:0]))
        self.sequences[sequence] = torch.cat([old[0], k]), torch.cat([old[1], v])

    def gather(self, sequence):
        k, v = self.sequences[sequence]
        return k.clone(), v.clone()

    def fork(self, sequence, child):
        if child in self.sequences:
            raise ValueError(f"sequence {child} exists already")
        self.sequences[child] = self.gather(sequence)

    def free(self, sequence):
        del self.sequences[sequence]


PLAIN = {"PagedCache": PlainCache}


def contents(case):
    """Return what the case's appends bring: a [T, kv_heads, head_dim] pair each, drawn from the case's seed."""
    draw = torch.Generator().manual_seed(case["seed"])
    shape = (case["kv_heads"], case["head_dim"])
    counts = [operation[2] for operation in case["operations"] if operation[0] == "append"]
    if case["measure"]:  # slices of one pair: the inputs are to be small beside the pool
        k, v = (torch.randn(2 * max(counts), *shape, generator=draw) for _ in range(2))
        starts = [7 * number % max(counts) for number in range(len(counts))]
        return [
            (k[start : start + count], v[start : start + count]) for start, count in zip(starts, counts, strict=True)
        ]
    return [tuple(torch.randn(count, *shape, generator=draw) for _ in range(2)) for count in counts]


def label(step, operation):
    """Name one operation of a case, as feedback does."""
    verb, sequence, *rest = operation
    text = {
        "append": "append {1} tokens to {0}",
        "gather": "gather {0}",
        "fork": "fork {0} to {1}",
        "free": "free {0}",
    }[verb]
    return f"step {step + 1}, {text.format(sequence, *rest)}"


def new_cache(case, entry):
    """Build one pool of the case's sizes."""
    return entry["PagedCache"](case["blocks"], case["block_tokens"], case["kv_heads"], case["head_dim"])


def play(cache, step, operation, given, seen, overwrite=False):
    """Do one operation; write down what it did: "done", or the exception that it raised; and what gather returned."""
    verb, sequence, *rest = operation
    name = label(step, operation)
    try:
        if verb == "append":
            k, v = (tensor.clone() for tensor in given) if overwrite else given
            cache.append(sequence, k, v)
            if overwrite:
                k.fill_(99.0)
                v.fill_(99.0)
        elif verb == "gather":
            k, v = cache.gather(sequence)
            seen[f"{name}: k"], seen[f"{name}: v"] = k.clone(), v.clone()
        elif verb == "fork":
            cache.fork(sequence, rest[0])
        else:
            cache.free(sequence)
    except (KeyError, ValueError, MemoryError) as error:
        kind = next(kind for kind in (KeyError, ValueError, MemoryError) if isinstance(error, kind))
        seen[name] = f"{kind.__name__}: {error}"
    else:
        seen[name] = "done"


def trace(case, entry):
    """The operations one after another, on one pool; with `overwrite`, k and v are written over after each append."""
    given, seen = contents(case), {}

    def body():
        cache = new_cache(case, entry)
        waiting = iter(given)
        for step, operation in enumerate(case["operations"]):
            brought = next(waiting) if operation[0] == "append" else None
            play(cache, step, operation, brought, seen, case.get("overwrite", False))

    return Program([("forward", body)], lambda: seen)


def two_pools(case, entry):
    """Two pools in a process: the operations on one, with half of them on the other in between."""
    given, seen, others = contents(case), {}, {}

    def body():
        cache, other = new_cache(case, entry), new_cache(case, entry)
        waiting = iter(given)
        for step, operation in enumerate(case["operations"]):
            brought = next(waiting) if operation[0] == "append" else None
            play(cache, step, operation, brought, seen)
            if operation[0] == "append":
                play(other, step, operation, tuple(-tensor for tensor in brought), others)

    return Program([("forward", body)], lambda: {**seen, **{f"other pool, {name}": v for name, v in others.items()}})


def pool(case, entry):
    """Measured: a pool nearly filled, forked and appended to; then sequences are gathered one by one, and freed."""
    given, seen, state = contents(case), {}, {}

    def forward():
        state["cache"] = cache = new_cache(case, entry)
        waiting = iter(given)
        for verb, sequence, argument in case["operations"]:
            try:
                if verb == "append":
                    cache.append(sequence, *next(waiting))
                else:
                    cache.fork(sequence, argument)
            except MemoryError as error:
                raise RuntimeError(f"append raised MemoryError while blocks were free: {error}") from error

    def gather():
        for sequence in case["gathered"]:
            k, v = state["cache"].gather(sequence)
            for name, tensor in (("k", k), ("v", v)):  # every 16th token is kept to be compared
                seen[f"sequence {sequence}: length of {name}"] = len(tensor)
                seen[f"sequence {sequence}: {name}"] = tensor[::16].clone()
            del k, v, tensor

    def free():
        for sequence in case["gathered"]:
            state["cache"].free(sequence)

    phases = [("forward", forward), ("gather", gather), ("free", free)]
    return Program(phases, lambda: seen, inputs=[tensor for pair in given[:1] for tensor in pair])


FAMILIES = {
    "append-gather": trace,
    "callers-tensors": trace,
    "waste": trace,
    "fork": trace,
    "fork-blocks": trace,
    "exhausted": trace,
    "free": trace,
    "unknown": trace,
    "traces": trace,
    "two-pools": two_pools,
    "pool": pool,
}


def operations(text):
    """Read operations from a line such as "append 1 5, fork 1 2, gather 2"."""
    words = (operation.split() for operation in text.split(", "))
    return [[verb, *map(int, numbers)] for verb, *numbers in words]


SMALL = {"seed": 1, "measure": False, "kv_heads": 2, "head_dim": 8, "block_tokens": 4}

APPENDED = "append 1 5, append 2 4, gather 2, append 1 1, append 2 6, append 1 9, gather 1, gather 2"
FORKED = "append 1 6, fork 1 2, append 1 1, append 2 3, fork 2 3, append 3 5, free 1, append 2 1, gather 2, gather 3"
FILLED = "append 1 1, append 2 3, append 1 3, append 3 4, append 2 1, append 3 3, append 1 1, gather 1, gather 3"
SHARED = "append 1 6, fork 1 2, fork 1 3, append 2 1, append 3 2, append 1 1, fork 2 4, gather 1, gather 4"
FULL = (
    "append 1 4, append 2 5, append 1 12, append 3 9, gather 3, gather 1, append 2 3, append 1 1, append 3 5, "
    "gather 1, gather 2"
)
FREED = "append 1 12, free 1, append 2 6, fork 2 3, free 2, append 4 4, gather 3, free 3, append 4 8, gather 4"
UNKNOWN = "gather 1, free 1, fork 1 2, append 1 5, append 2 3, fork 1 2, gather 2, free 1, free 1, append 1 2, gather 1"
MIXED = f"{APPENDED}, free 1, free 2, {FORKED}, free 3, free 2, free 2, append 7 36, append 8 1, gather 7"
LARGE = "append 1 300, append 2 500, append 3 900, fork 3 4, fork 3 5, append 5 1, append 4 20"

PUBLIC = {
    "append-gather": (12, APPENDED),
    "callers-tensors": (12, APPENDED),
    "waste": (5, FILLED),
    "fork": (12, FORKED),
    "fork-blocks": (4, SHARED),
    "exhausted": (4, FULL),
    "free": (3, FREED),
    "unknown": (6, UNKNOWN),
    "traces": (9, MIXED),
    "two-pools": (12, FORKED),
}

PUBLIC_CASES = [
    {
        **SMALL,
        "name": family,
        "family": family,
        "blocks": blocks,
        "operations": operations(text),
        "overwrite": family == "callers-tensors",
    }
    for family, (blocks, text) in PUBLIC.items()
]
PUBLIC_CASES.append(
    {
        "name": "pool", "family": "pool", "seed": 2, "measure": True, "blocks": 160, "block_tokens": 16, "kv_heads": 4,
        "head_dim": 64, "gathered": [1, 2, 5],
        "operations": operations(LARGE),
    }
)  # fmt: skip


def prepare(case, entry):
    """Build one run of one case. `entry["PagedCache"]` is your class, or the plain one."""
    return FAMILIES[case["family"]](case, entry)
