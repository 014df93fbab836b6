"""Whatever comes over the pipe is either a message of ours or a WireError, never anything else."""

import json
import struct

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from grader import wire


def test_tensors_of_every_dtype_arrive_bit_for_bit():
    tensors = {name: torch.arange(6).reshape(2, 3).to(dtype) for name, dtype in wire.DTYPES.items()}
    body, arrived = wire.decode(wire.encode({"op": "report"}, tensors))
    assert body == {"op": "report"}
    for name, tensor in tensors.items():
        assert arrived[name].dtype == tensor.dtype
        assert torch.equal(arrived[name], tensor)


def test_a_transposed_an_empty_and_a_scalar_tensor_keep_their_shapes():
    tensors = {"t": torch.arange(6.0).reshape(2, 3).T, "empty": torch.empty(0, 4), "scalar": torch.tensor(2.5)}
    _, arrived = wire.decode(wire.encode({}, tensors))
    assert all(torch.equal(arrived[name], tensor) for name, tensor in tensors.items())


def test_nan_in_a_tensor_is_carried_and_in_the_head_is_refused():
    _, arrived = wire.decode(wire.encode({}, {"x": torch.tensor([float("nan")])}))
    assert arrived["x"].isnan().all()
    head = b'{"body": {"x": NaN}, "tensors": []}'
    with pytest.raises(wire.WireError):
        wire.decode(struct.pack("<I", len(head)) + head)


def message(entries, blob=b"", body=None):
    head = json.dumps({"body": {} if body is None else body, "tensors": entries}).encode()
    return struct.pack("<I", len(head)) + head + blob


@pytest.mark.parametrize(
    "entry",
    [
        {"name": "x", "dtype": "float32", "shape": [-1]},
        {"name": "x", "dtype": "float32", "shape": [2**60]},
        {"name": "x", "dtype": "float32", "shape": [True]},
        {"name": "x", "dtype": "float32", "shape": [1] * 17},
        {"name": "x", "dtype": "object", "shape": [1]},
        {"name": 7, "dtype": "float32", "shape": [1]},
        {"name": "x", "dtype": "float32", "shape": [2]},
        {"name": "x", "dtype": "float32"},
        [],
    ],
)
def test_an_entry_that_lies_about_its_tensor_is_refused(entry):
    with pytest.raises(wire.WireError):
        wire.decode(message([entry], b"\0" * 4))


def test_trailing_bytes_and_a_name_sent_twice_are_refused():
    entry = {"name": "x", "dtype": "uint8", "shape": [1]}
    with pytest.raises(wire.WireError, match="too many"):
        wire.decode(message([entry], b"ab"))
    with pytest.raises(wire.WireError, match="twice"):
        wire.decode(message([entry, entry], b"ab"))


def test_a_head_that_is_longer_than_its_message_is_cut_off_and_one_of_another_form_refused():
    with pytest.raises(wire.WireError, match="cut off"):
        wire.decode(struct.pack("<I", 100) + b"{}")
    with pytest.raises(wire.WireError, match="shorter"):
        wire.decode(b"abc")
    for body, entries in (([1], []), ({}, {}), ({}, [{}] * (wire.MAX_TENSORS + 1))):
        with pytest.raises(wire.WireError, match="wrong form"):
            wire.decode(message(entries, body=body))


def test_a_dtype_that_the_other_side_does_not_know_is_not_sent():
    with pytest.raises(wire.WireError, match="x has dtype complex128, which cannot be sent"):
        wire.encode({}, {"x": torch.ones(1, dtype=torch.complex128)})


@given(st.binary(max_size=200))
def test_random_bytes_are_a_wire_error(data):
    with pytest.raises(wire.WireError):
        wire.decode(data)


def test_a_head_nested_too_deeply_is_a_wire_error():
    head = b"[" * 100_000
    with pytest.raises(wire.WireError):
        wire.decode(struct.pack("<I", len(head)) + head)


def test_what_is_neither_tensor_nor_plain_value_is_named_by_its_type():
    values, tensors = wire.split({"a": object(), "b": 3, "c": None, "d": float("nan"), "e": torch.ones(1)})
    assert values == {"a": "<object>", "b": 3, "c": None}
    assert tensors["d"].isnan()
    assert set(tensors) == {"d", "e"}
