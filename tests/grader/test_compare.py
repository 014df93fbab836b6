"""What counts as the same result."""

import torch

from grader.compare import compare


def only(comparison):
    (difference,) = comparison.differences
    return difference


def test_equal_tensors_and_values_are_equal():
    assert compare({"x": torch.ones(3), "n": 3, "none": None}, {"x": torch.ones(3), "n": 3, "none": None}).equal


def test_a_doubled_gradient_fails_however_small_it_is():
    tiny = torch.full((4,), 1e-9)
    difference = only(compare({"g": tiny}, {"g": 2 * tiny}))
    assert difference.sort == "value"
    assert abs(difference.size - 1.0) < 1e-6


def test_rounding_in_the_last_place_passes():
    x = torch.rand(1000) + 0.5
    assert compare({"g": x}, {"g": x * (1 + 1e-6)}).equal


def test_nan_never_passes_not_even_where_both_have_it():
    nan = torch.tensor([float("nan"), 1.0])
    assert only(compare({"g": nan}, {"g": nan})).sort == "nan"
    assert only(compare({"g": torch.ones(2)}, {"g": torch.tensor([float("inf"), 1.0])})).sort == "infinite"


def test_missing_unexpected_shape_dtype_and_kind_are_told_apart():
    one = torch.ones(2)
    assert only(compare({"g": one}, {"g": None})).sort == "missing"
    assert only(compare({"g": one}, {})).sort == "missing"
    assert only(compare({"g": None}, {"g": one})).sort == "unexpected"
    assert only(compare({"g": one}, {"g": torch.ones(3)})).sort == "shape"
    assert only(compare({"g": one}, {"g": one.double()})).sort == "dtype"
    assert only(compare({"g": one}, {"g": "<list>"})).sort == "not_a_tensor"
    assert only(compare({"n": 1}, {"n": True})).sort == "value"


def test_something_where_the_plain_run_has_only_zeros_fails():
    assert only(compare({"g": torch.zeros(2)}, {"g": torch.full((2,), 1e-12)})).sort == "value"


def test_an_integer_tensor_must_be_equal_to_the_unit():
    assert compare({"i": torch.arange(3)}, {"i": torch.arange(3)}).equal
    assert not compare({"i": torch.arange(3)}, {"i": torch.arange(3) + 1}).equal


def test_the_sentence_carries_no_expected_value():
    text = compare({"secret": torch.tensor([12345.0])}, {"secret": torch.tensor([0.0])}).sentence()
    assert "12345" not in text
    assert "secret differs by 1" in text
