"""An autograd.Function per call. Forward runs once with grad enabled to learn which tensors (arguments and
parameters behind closures) it depends on; backward replays and returns gradients for exactly those."""

import torch
from torch.utils import _pytree as pytree


def _leaves_of(outputs):
    """Find the leaf tensors that the graph behind `outputs` accumulates into."""
    seen, leaves, stack = set(), [], [o.grad_fn for o in outputs if o.grad_fn is not None]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            leaves.append(node.variable)
        stack.extend(parent for parent, _ in node.next_functions if parent is not None)
    return leaves


class _Replay(torch.autograd.Function):
    @staticmethod
    def forward(ctx, call, positions, *tensors):
        ctx.call, ctx.positions = call, positions
        ctx.save_for_backward(*tensors)
        return tuple(call["values"].pop(p) for p in positions)

    @staticmethod
    def backward(ctx, *grads):
        tensors = ctx.saved_tensors
        call = ctx.call
        flat = list(call["flat"])
        count = len(call["where"])
        with torch.enable_grad():
            fresh = [t.detach().requires_grad_(t.requires_grad) for t in tensors[:count]]
            for position, tensor in zip(call["where"], fresh, strict=True):
                flat[position] = tensor
            args, kwargs = pytree.tree_unflatten(flat, call["spec"])
            here = torch.get_rng_state()
            torch.set_rng_state(call["rng"])
            try:
                with torch.autocast("cpu", dtype=call["amp"][1], enabled=call["amp"][0], cache_enabled=False):
                    out = pytree.tree_leaves(call["function"](*args, **kwargs))
            finally:
                torch.set_rng_state(here)
        wanted = [*fresh, *tensors[count:]]
        sources = [t for t in wanted if t.requires_grad]
        pairs = [(out[p], g) for p, g in zip(ctx.positions, grads, strict=True) if g is not None and out[p].requires_grad]
        got = iter(torch.autograd.grad([o for o, _ in pairs], sources, [g for _, g in pairs], allow_unused=True))
        return None, None, *[next(got) if t.requires_grad else None for t in wanted]


def checkpoint(function, *args, **kwargs):
    if not torch.is_grad_enabled():
        return function(*args, **kwargs)
    flat, spec = pytree.tree_flatten((args, kwargs))
    where = [i for i, value in enumerate(flat) if isinstance(value, torch.Tensor)]
    call = {
        "function": function,
        "spec": spec,
        "where": where,
        "flat": [None if i in set(where) else value for i, value in enumerate(flat)],
        "rng": torch.get_rng_state(),
        "amp": (torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")),
    }
    inputs = [flat[i] for i in where]
    cut = [t.detach().requires_grad_(t.requires_grad) for t in inputs]
    inner = list(flat)
    for position, tensor in zip(where, cut, strict=True):
        inner[position] = tensor
    a, k = pytree.tree_unflatten(inner, spec)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: None, lambda _: None):
        out, out_spec = pytree.tree_flatten(function(*a, **k))
    positions = [i for i, o in enumerate(out) if isinstance(o, torch.Tensor) and o.requires_grad]
    mine = {id(t) for t in cut}
    leaves = [leaf for leaf in _leaves_of([out[p] for p in positions]) if id(leaf) not in mine]
    if not positions:
        return pytree.tree_unflatten(out, out_spec)
    call["values"] = {p: out[p].detach() for p in positions}
    for p in positions:
        out[p] = None
    with torch.autocast("cpu", enabled=False):
        new = _Replay.apply(call, positions, *inputs, *leaves)
    for p, tensor in zip(positions, new, strict=True):
        out[p] = tensor
    return pytree.tree_unflatten(out, out_spec)
