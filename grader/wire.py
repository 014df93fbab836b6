"""Messages between judge and subject: a JSON head and raw tensor bytes. Nothing is ever unpickled.

One message is `u32 head length | head JSON | tensor bytes…`. The transport (`grader.sandbox`) frames messages
and bounds their size. Whatever comes from the subject is untrusted: `decode` accepts nothing that it does
not expect, and raises WireError.
"""

from __future__ import annotations

import json
import struct
from typing import Any

import torch

MAX_TENSORS = 4096
MAX_DIMENSIONS = 16

DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.complex64,
        torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool,
    )
}  # fmt: skip


class WireError(ValueError):
    """The other side sent something that is not a message."""


def encode(body: dict[str, Any], tensors: dict[str, torch.Tensor] | None = None) -> bytes:
    """Return one message. `body` must be plain JSON without NaN; tensors may live on any device."""
    return b"".join(parts(body, tensors))


def parts(body: dict[str, Any], tensors: dict[str, torch.Tensor] | None = None) -> list[bytes | memoryview]:
    """Return one message in parts; a contiguous tensor on the CPU is a view of its own memory, not a copy."""
    entries: list[dict[str, Any]] = []
    blobs: list[bytes | memoryview] = []
    for name, tensor in (tensors or {}).items():
        flat = tensor.detach().to("cpu").contiguous().reshape(-1)
        dtype = str(flat.dtype).removeprefix("torch.")
        if dtype not in DTYPES:
            raise WireError(f"{name} has dtype {dtype}, which cannot be sent")
        blob = flat.view(torch.uint8).numpy().data if flat.numel() else b""
        entries.append({"name": name, "dtype": dtype, "shape": list(tensor.shape)})
        blobs.append(blob)
    head = json.dumps({"body": body, "tensors": entries}, allow_nan=False).encode()
    return [struct.pack("<I", len(head)), head, *blobs]


def decode(message: bytes) -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
    """Return the body and the tensors (on CPU) of one message. Raises WireError on anything malformed."""
    if len(message) < 4:
        raise WireError("shorter than its own length field")
    (head_length,) = struct.unpack_from("<I", message)
    if 4 + head_length > len(message):
        raise WireError("the head is cut off")
    try:
        head = json.loads(message[4 : 4 + head_length], parse_constant=_no_constant)
        body, entries = head["body"], head["tensors"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise WireError(f"the head is not the JSON expected: {type(error).__name__}") from None
    if not isinstance(body, dict) or not isinstance(entries, list) or len(entries) > MAX_TENSORS:
        raise WireError("the head has the wrong form")
    tensors: dict[str, torch.Tensor] = {}
    offset = 4 + head_length
    for entry in entries:
        name, dtype, shape, count = _entry(entry)
        if name in tensors:
            raise WireError(f"tensor {name!r} is sent twice")
        nbytes = count * dtype.itemsize
        if offset + nbytes > len(message):
            raise WireError(f"tensor {name!r} is cut off")
        if count:
            flat = torch.frombuffer(bytearray(message[offset : offset + nbytes]), dtype=torch.uint8)
            tensors[name] = flat.view(dtype).reshape(shape)
        else:
            tensors[name] = torch.empty(shape, dtype=dtype)
        offset += nbytes
    if offset != len(message):
        raise WireError(f"{len(message) - offset} bytes too many")
    return body, tensors


def _entry(entry: Any) -> tuple[str, torch.dtype, list[int], int]:
    if not isinstance(entry, dict) or entry.keys() != {"name", "dtype", "shape"}:
        raise WireError("a tensor's entry has the wrong form")
    name, dtype, shape = entry["name"], entry["dtype"], entry["shape"]
    if not isinstance(name, str) or not isinstance(dtype, str) or dtype not in DTYPES:
        raise WireError("a tensor's name or dtype is not one that is used here")
    if not isinstance(shape, list) or len(shape) > MAX_DIMENSIONS:
        raise WireError(f"tensor {name!r} has no proper shape")
    count = 1
    for size in shape:
        if type(size) is not int or not 0 <= size < 2**40:
            raise WireError(f"tensor {name!r} has no proper shape")
        count *= size
    return name, DTYPES[dtype], shape, count


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def split(observed: dict[str, Any]) -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
    """Sort what a harness observed into plain values and tensors, so that both sides compare the same forms.

    Floats become float64 scalars (JSON has no NaN); anything that is neither a tensor nor a plain value is
    named by its type, so that a wrong kind of output is a difference and not an error.
    """
    values: dict[str, Any] = {}
    tensors: dict[str, torch.Tensor] = {}
    for name, value in observed.items():
        if isinstance(value, torch.Tensor):
            tensors[name] = value.detach()
        elif isinstance(value, float):
            tensors[name] = torch.tensor(value, dtype=torch.float64)
        elif value is None or isinstance(value, bool | str) or (isinstance(value, int) and abs(value) < 2**62):
            values[name] = value
        else:
            values[name] = f"<{type(value).__name__}>"
    return values, tensors
