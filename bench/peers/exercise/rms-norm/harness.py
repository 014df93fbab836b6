"""How `rms_norm(x, weight, eps)` is called and what is compared. `bench.peers` gives its peers the same cases."""

import torch

from grader.program import Program

CASES = {
    "matrix": ((4, 64), 1.0),
    "sequences": ((2, 16, 128), 1.0),
    "one-row": ((1, 32), 1.0),
    "odd-sizes": ((3, 5, 7), 1.0),
    "large-numbers": ((8, 64), 1e4),
    "zeros": ((2, 8), 0.0),
}
"""Shape of `x` and what its numbers are multiplied by."""


def plain(x, weight, eps):
    return x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps) * weight


def results(function, shape, scale, seed):
    """Return what is compared: the output and both gradients."""
    generator = torch.Generator().manual_seed(seed)
    x = (scale * torch.randn(shape, generator=generator)).requires_grad_()
    weight = torch.randn(shape[-1], generator=generator, requires_grad=True)
    y = function(x, weight, 1e-6)
    (y * torch.randn(shape, generator=generator)).sum().backward()
    return {"y": y, "gradient of x": x.grad, "gradient of weight": weight.grad}


PLAIN = {"rms_norm": plain}


def prepare(case, entry):
    found = {}
    shape, scale = CASES[case["name"]]
    run = lambda: found.update(results(entry["rms_norm"], shape, scale, case["seed"]))  # noqa: E731
    return Program(phases=[("update", run)], observe=lambda: found)
