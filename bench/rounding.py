"""Saved tensors kept in fewer bits: what that takes off the peak, and how far it moves the gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.multiprocessing.reductions import StorageWeakRef

from bench.stacks import BATCH, TOKENS, WIDTH, Block, drawn, numbers, plain, update
from grader.meter import Metered

BLOCKS = 8
Packed = tuple[Tensor, Tensor | None]
Pack = Callable[[Tensor], Packed]


def to(dtype: torch.dtype) -> Pack:
    return lambda whole: (whole.to(dtype), None)


def steps(whole: Tensor, *, row: int, random: bool) -> Packed:
    """Round to 127 steps of each row's largest number; `random` rounds up as often as the rest says."""
    rows = whole.reshape(-1, row)
    scale = rows.abs().amax(1, keepdim=True).clamp(min=1e-30) / 127
    exact = rows / scale
    rounded = (exact + torch.rand_like(exact)).floor() if random else exact.round()
    return rounded.clamp(-127, 127).to(torch.int8), scale


def whole_again(packed: Packed) -> Tensor:
    low, scale = packed
    return low.float() if scale is None else (low.float() * scale).flatten()


@contextmanager
def kept_as(pack: Pack | None) -> Iterator[None]:
    """Keep each saved fp32 storage once, packed; parameters, other dtypes and single numbers stay as they are."""
    if pack is None:
        yield
        return
    seen: dict[int, tuple[StorageWeakRef, int, Packed]] = {}

    def keep(tensor: Tensor) -> Any:
        owner = tensor if tensor._base is None else tensor._base
        if tensor.dtype is not torch.float32 or isinstance(owner, nn.Parameter) or tensor.numel() < WIDTH:
            return tensor
        storage = tensor.untyped_storage()
        known = seen.get(storage._cdata)
        if known is None or known[0].expired() or known[1] != tensor._version:
            flat = torch.empty(0).set_(storage)
            known = seen[storage._cdata] = StorageWeakRef(storage), tensor._version, pack(flat)
        return known[2], tensor.shape, tensor.stride(), tensor.storage_offset()

    def restore(kept: Any) -> Tensor:
        if isinstance(kept, Tensor):
            return kept
        packed, *place = kept
        return whole_again(packed).as_strided(*place)

    with torch.autograd.graph.saved_tensors_hooks(keep, restore):
        yield


def made() -> tuple[nn.ModuleList, Tensor]:
    torch.manual_seed(0)
    return nn.ModuleList(Block() for _ in range(BLOCKS)), torch.randn(BATCH, TOKENS, WIDTH)


def loss(blocks: nn.ModuleList, x_BSD: Tensor, pack: Pack | None) -> Tensor:
    with kept_as(pack):
        return plain(blocks, x_BSD).square().mean()


def metered(pack: Pack | None) -> Metered:
    blocks, x_BSD = made()
    return update(blocks, [x_BSD], lambda: loss(blocks, x_BSD, pack))


def gradients(pack: Pack | None) -> list[Tensor]:
    blocks, x_BSD = made()
    loss(blocks, x_BSD, pack).backward()
    return [parameter.grad for parameter in blocks.parameters() if parameter.grad is not None and parameter.dim() > 1]


def compressed_activations() -> dict[str, Any]:
    """Eight blocks whose saved tensors wait in 16 or 8 bits."""
    packs: dict[str, Pack] = {
        "bf16": to(torch.bfloat16),
        "fp16": to(torch.float16),
        "int8": lambda whole: steps(whole, row=WIDTH, random=False),
        "int8_random": lambda whole: steps(whole, row=WIDTH, random=True),
        "int8_tensor": lambda whole: steps(whole, row=whole.numel(), random=False),
    }
    whole, exact = metered(None), gradients(None)
    runs = {name: metered(pack) for name, pack in packs.items()}
    found = numbers("plain", whole)
    for name, run in runs.items():
        torch.manual_seed(1)
        errors = sorted(((a - b).norm() / b.norm()).item() for a, b in zip(gradients(packs[name]), exact, strict=True))
        found |= {
            f"{name}_saved_bytes": run.saved_bytes,
            f"{name}_peak_bytes": run.peak_bytes,
            f"{name}_saved_of_plain_fraction": run.saved_bytes / whole.saved_bytes,
            f"{name}_peak_of_plain_fraction": run.peak_bytes / whole.peak_bytes,
            f"{name}_median_gradient_error_fraction": errors[len(errors) // 2],
            f"{name}_worst_gradient_error_fraction": errors[-1],
        }
    return {
        "title": f"{BLOCKS} transformer blocks, width {WIDTH}, {BATCH} sequences of {TOKENS} tokens, fp32 arithmetic",
        "timelines": drawn({"saved in bf16": runs["bf16"], "plain": whole}),
        "peak": runs["bf16"].peak,
        "numbers": found,
    }
