"""The meter on CUDA's caching allocator: the same bytes and FLOPs every time, and the allocator's own peak."""

import pytest
import torch
from torch.utils.checkpoint import checkpoint

from grader import meter
from grader.program import Program

ROUNDING = 512
"""The caching allocator rounds each block up to this many bytes."""


def block() -> torch.nn.Module:
    return torch.nn.Sequential(torch.nn.Linear(512, 2048), torch.nn.GELU(), torch.nn.Linear(2048, 512))


def update(kind: str) -> Program:
    """Return a training update on the GPU: eight blocks, plain or each one checkpointed."""
    torch.manual_seed(0)
    layers = (block() for _ in range(8))
    blocks = torch.nn.Sequential(*layers).to("cuda")
    x = torch.randn(1024, 512, device="cuda")
    held: dict[str, torch.Tensor] = {}

    def forward() -> None:
        y = x
        for each in blocks:
            y = each(y) if kind == "plain" else checkpoint(each, y, use_reentrant=False)
        held["loss"] = y.square().mean()

    return Program([("forward", forward), ("backward", lambda: held.pop("loss").backward())], dict, modules=blocks)


def warmed(kind: str) -> None:
    """Create the context and cuBLAS's workspace, which the first update would otherwise be charged for."""
    meter.warm()
    for _, phase in update(kind).phases:
        phase()
    torch.cuda.synchronize()


@pytest.mark.parametrize("kind", ["plain", "checkpoint"])
def test_bytes_and_flops_repeat_to_the_unit(kind):
    warmed(kind)
    runs = [meter.run(update(kind), device="cuda") for _ in range(5)]
    seen = {(run.saved_bytes, run.peak_bytes, run.replay_bytes, run.flops, run.replay_flops) for run in runs}
    assert len(seen) == 1
    assert runs[0].peak_bytes > 0 and runs[0].device == "cuda"


@pytest.mark.parametrize("kind", ["plain", "checkpoint"])
def test_the_peak_is_the_caching_allocators_own(kind):
    warmed(kind)
    metered = meter.run(update(kind), device="cuda")
    program = update(kind)
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    for _, phase in program.phases:
        phase()
    torch.cuda.synchronize()
    bare = torch.cuda.max_memory_allocated() - before
    assert abs(metered.peak_bytes - bare) <= ROUNDING * metered.events


def test_checkpointing_saves_memory_and_costs_a_replay():
    warmed("checkpoint")
    plain, checkpointed = (meter.run(update(kind), device="cuda") for kind in ("plain", "checkpoint"))
    assert checkpointed.saved_bytes < plain.saved_bytes / 2
    assert plain.replay_flops == 0 < checkpointed.replay_flops


def test_flops_are_the_cpus():
    """The same update counts the same on either device: FLOPs are a matter of shapes."""
    warmed("plain")
    on_gpu = meter.run(update("plain"), device="cuda").flops
    forward = 8 * 2 * 2 * 1024 * 512 * 2048
    backward = 2 * forward - 2 * 1024 * 512 * 2048  # nobody asks for the gradient of the input
    assert on_gpu == forward + backward
