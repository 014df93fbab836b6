"""Compare what a submission computed with what the plain run computes, and say what differs in words.

Tolerances are relative to the largest element of the expected tensor, never absolute alone: under a mean loss
gradients are so small that an absolute 1e-5 would pass doubled ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

RELATIVE_TOLERANCE = {
    torch.float64: 1e-10,
    torch.float32: 1e-5,
    torch.float16: 2e-3,
    torch.bfloat16: 1.6e-2,
}
"""Largest accepted |actual − expected| as a share of max |expected|, by dtype of the expected tensor."""


@dataclass(frozen=True)
class Difference:
    """One disagreement: which tensor or value, of what sort, and how large (relative, where that makes sense).

    sort is one of "missing", "unexpected", "not_a_tensor", "shape", "dtype", "nan", "infinite", "value".
    """

    name: str
    sort: str
    size: float = math.nan
    detail: str = ""

    def sentence(self) -> str:
        """Say it in one sentence that carries no expected value."""
        match self.sort:
            case "missing":
                return f"{self.name} is missing (None): no gradient or value arrived there."
            case "unexpected":
                return f"{self.name} has a value where the plain run has none."
            case "nan":
                return f"{self.name} holds NaN."
            case "infinite":
                return f"{self.name} holds infinity."
            case "value" if math.isfinite(self.size):
                return f"{self.name} differs by {self.size:.2g} of its largest element."
            case _:
                return f"{self.name}: {self.detail}."


@dataclass(frozen=True)
class Comparison:
    """All differences of one case, and the largest relative error among the tensors that could be compared."""

    differences: tuple[Difference, ...]
    largest_error: float

    @property
    def equal(self) -> bool:
        return not self.differences

    def sentence(self, most: int = 3) -> str:
        """Name the first few differences."""
        text = " ".join(difference.sentence() for difference in self.differences[:most])
        more = len(self.differences) - most
        return text + (f" And {more} more." if more > 0 else "")


def compare(
    expected: Mapping[str, Any], actual: Mapping[str, Any], tolerance: Mapping[torch.dtype, float] | None = None
) -> Comparison:
    """Compare named tensors and plain values; NaN and infinity never pass, not even where both sides have them."""
    tolerance = tolerance or RELATIVE_TOLERANCE
    differences: list[Difference] = []
    largest = 0.0
    for name in sorted(expected.keys() | actual.keys()):
        want, got = expected.get(name), actual.get(name)
        if isinstance(want, torch.Tensor) and isinstance(got, torch.Tensor):
            found, error = _tensors(name, want, got, tolerance)
            largest = max(largest, error)
        else:
            found = _values(name, want, got)
        if found:
            differences.append(found)
    return Comparison(tuple(differences), largest)


def _values(name: str, want: Any, got: Any) -> Difference | None:
    if want is None and got is None:
        return None
    if got is None:
        return Difference(name, "missing")
    if want is None:
        return Difference(name, "unexpected")
    if isinstance(want, torch.Tensor) or isinstance(got, torch.Tensor):
        kind = "a tensor" if isinstance(want, torch.Tensor) else f"a plain {type(want).__name__}"
        return Difference(name, "not_a_tensor", detail=f"expected {kind}")
    if type(want) is type(got) and want == got:
        return None
    return Difference(name, "value", detail="is not what the plain run gives")


def _tensors(
    name: str, want: torch.Tensor, got: torch.Tensor, tolerance: Mapping[torch.dtype, float]
) -> tuple[Difference | None, float]:
    if want.shape != got.shape:
        return Difference(name, "shape", detail=f"shape {list(got.shape)} instead of {list(want.shape)}"), 0.0
    if want.dtype != got.dtype:
        return Difference(name, "dtype", detail=f"dtype {got.dtype} instead of {want.dtype}"), 0.0
    if not want.dtype.is_floating_point and not want.dtype.is_complex:
        equal = torch.equal(want, got)
        return (None if equal else Difference(name, "value", detail="elements differ")), 0.0
    if torch.isnan(got).any():
        return Difference(name, "nan"), 0.0
    if torch.isinf(got).any():
        return Difference(name, "infinite"), 0.0
    if not want.numel():
        return None, 0.0
    wide = torch.complex128 if want.dtype.is_complex else torch.float64
    scale = float(want.to(wide).abs().max())
    error = float((got.to(wide) - want.to(wide)).abs().max())
    relative = error / scale if scale > 0 else (0.0 if error == 0 else math.inf)
    if relative <= tolerance.get(want.dtype, 1e-5):
        return None, relative
    detail = "is not zero where the plain run has only zeros" if scale == 0 else ""
    return Difference(name, "value", relative, detail), relative
