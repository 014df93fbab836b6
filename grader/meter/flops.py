"""FLOPs of one operator call: torch's own formulas, and the matrix products that torch 2.13 leaves out on CPU.

A multiply and an add are two FLOPs. Elementwise operators, reductions, normalisations and softmax count as nothing,
as in torch's counter, so that a plain update of matrix products costs exactly three forwards.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils.flop_counter import flop_registry, sdpa_backward_flop_count, sdpa_flop_count

aten = torch.ops.aten


def _mv(matrix: torch.Tensor, _vector: torch.Tensor, *_: Any, **__: Any) -> int:
    return 2 * matrix.numel()


def _addmm(_sum: torch.Tensor, left: torch.Tensor, right: torch.Tensor, *_: Any, **__: Any) -> int:
    """Return the FLOPs of one product of matrices, or of each pair of a batch."""
    return 2 * left.numel() * right.shape[-1]


def _addmv(_bias: torch.Tensor, matrix: torch.Tensor, *_: Any, **__: Any) -> int:
    return 2 * matrix.numel()


def _dot(left: torch.Tensor, *_: Any, **__: Any) -> int:
    return 2 * left.numel()


def _attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, *_: Any, **__: Any) -> int:
    return int(sdpa_flop_count(query.shape, key.shape, value.shape))


def _attention_backward(
    grad: torch.Tensor, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, *_: Any, **__: Any
) -> int:
    return int(sdpa_backward_flop_count(grad.shape, query.shape, key.shape, value.shape))


def _shape(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.shape
    return tuple(map(_shape, value)) if isinstance(value, tuple | list) else value


def _over_shapes(formula: Callable[..., Any]) -> Callable[..., Any]:
    """Call one of torch's formulas with shapes, as its own wrapper does, at a tenth of the cost of its tree map."""
    inner = getattr(formula, "__wrapped__", None)
    if inner is None or getattr(formula, "_get_raw", False):
        return formula

    def count(*args: Any, out_val: Any, **kwargs: Any) -> Any:
        named = {name: _shape(value) for name, value in kwargs.items()}
        return inner(*map(_shape, args), out_shape=_shape(out_val), **named)

    return count


FORMULAS: dict[Any, Callable[..., Any]] = {
    aten.mv: _mv,
    aten.addmv: _addmv,
    aten.addmv_: _addmv,
    # In place they are operators of their own, and torch's registry has none of them.
    aten.addmm_: _addmm,
    aten.baddbmm_: _addmm,
    aten.addbmm: _addmm,
    aten.addbmm_: _addmm,
    aten.dot: _dot,
    aten.vdot: _dot,
    aten._scaled_dot_product_flash_attention_for_cpu: _attention,
    aten._scaled_dot_product_flash_attention_for_cpu_backward: _attention_backward,
    **{packet: _over_shapes(formula) for packet, formula in flop_registry.items()},
}
"""Operator packet → formula, called with the operator's arguments and `out_val`."""
