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


def test_complex_tensors_are_compared_by_their_distance():
    x = torch.tensor([3 + 4j])
    assert compare({"z": x}, {"z": x * (1 + 1e-7)}).equal
    assert abs(only(compare({"z": x}, {"z": x.conj().resolve_conj()})).size - 8 / 5) < 1e-6


def test_tensors_without_elements_are_equal():
    assert compare({"e": torch.empty(0, 3)}, {"e": torch.empty(0, 3)}).equal


def test_a_tolerance_of_ones_own_replaces_the_usual_one():
    assert compare({"g": torch.ones(2)}, {"g": torch.ones(2) * 1.01}, {torch.float32: 0.1}).equal


def test_each_sort_of_difference_has_a_sentence_of_its_own():
    one = torch.ones(2)
    nan, inf = torch.full((2,), float("nan")), torch.full((2,), float("inf"))
    for expected, actual, sentence in [
        (one, None, "g is missing (None): no gradient or value arrived there."),
        (None, one, "g has a value where the plain run has none."),
        (one, nan, "g holds NaN."),
        (one, inf, "g holds infinity."),
        (one, one * 1.5, "g differs by 0.5 of its largest element."),
        (torch.zeros(2), one, "g: is not zero where the plain run has only zeros."),
        (one, torch.ones(3), "g: shape [3] instead of [2]."),
        (one, one.double(), "g: dtype torch.float64 instead of torch.float32."),
        (3, one, "g: expected a plain int."),
        (torch.arange(2), torch.arange(2) + 1, "g: elements differ."),
        (3, 4, "g: is not what the plain run gives."),
    ]:
        assert compare({"g": expected}, {"g": actual}).sentence() == sentence


def test_a_few_differences_are_named_and_the_others_counted():
    found = compare({f"grad.{n}": 1 for n in range(5)} | {"output": 1}, {f"grad.{n}": 2 for n in range(5)})
    assert found.sentence(most=2).endswith("grad.1: is not what the plain run gives. And 4 more.")
