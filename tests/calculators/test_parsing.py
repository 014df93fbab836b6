"""Numbers as people type them: read exactly, asked back where they have two readings, answered at once when absurd."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from courses.calculators import parsing, units


@pytest.mark.parametrize(
    ("typed", "unit", "value"),
    [
        ("1.5 GiB", "bytes", 1_610_612_736),
        ("1.5GiB", "GB", 1_610_612_736),
        ("1,610,612,736", "bytes", 1_610_612_736),
        ("1 610 612 736 bytes", "bytes", 1_610_612_736),
        ("1\u202f024", "bytes", 1024),
        ("12.9 Gbit", "bytes", 1_612_500_000),
        ("16", "GiB", 16 * 2**30),
        ("70 B", "bytes", 70),
        ("70B", "parameters", 70_000_000_000),
        ("15.6T tokens", "tokens", 15_600_000_000_000),
        ("300 billion", "tokens", 300_000_000_000),
        ("3.1e23", "FLOP", 31 * 10**22),
        ("3.1E+23 FLOPs", "FLOP", 31 * 10**22),
        ("989", "TFLOP/s", 989 * 10**12),
        ("0.989 PFLOP/s", "TFLOP/s", 989 * 10**12),
        ("989 TFLOPS", "FLOP/s", 989 * 10**12),
        ("989 TFLOPs", "FLOP/s", 989 * 10**12),
        ("45 %", "fraction", 0.45),
        ("0.45", "fraction", 0.45),
        ("400 Gbps", "bytes/s", 50 * 10**9),
        ("90", "days", 90 * 86400),
        ("2.5 h", "days", 9000),
        ("-0.5", "s", -0.5),
        (1024, "bytes", 1024),
        (0.4, "fraction", 0.4),
        ("540.35B", "parameters", 540_350_000_000),
    ],
)
def test_a_quantity_is_read_exactly(typed, unit, value):
    assert parsing.quantity(typed, unit) == value


@pytest.mark.parametrize(
    ("typed", "unit", "words"),
    [
        ("1,5 GB", "bytes", "1.5 or 15"),
        ("1.610.612", "bytes", "two readings"),
        ("12,34,567", "bytes", "two readings"),
        ("16 G", "bytes", "GB"),
        ("10 Gb", "bytes", "Gbit or GB"),
        ("5 m", "s", "min or ms"),
        ("45", "fraction", "45 %"),
        ("5 furlongs", "bytes", "not a unit"),
        ("5 GB", "s", "this is a field of time"),
        ("70 QB", "parameters", "not a size"),
        ("9**9**9**9", "bytes", "not an expression"),
        ("2^30", "bytes", "not an expression"),
        ("__import__('os')", "bytes", "not an expression"),
        ("1e999", "FLOP", "exponent"),
        ("1e999999999", "FLOP", "exponent"),
        ("9" * 5000, "bytes", "characters long"),
        ("nan", "s", "finite"),
        ("-inf", "s", "finite"),
        (float("nan"), "s", "finite"),
        (float("inf"), "s", "finite"),
        (10**400, "s", "beyond"),
        ("", "s", "not a number"),
        ("twelve", "s", "not a number"),
        ("1e", "s", "not a unit"),
        (True, "s", "number"),
        (None, "s", "number"),
    ],
)
def test_what_cannot_be_read_is_answered_with_a_sentence(typed, unit, words):
    with pytest.raises(ValueError, match=r"\S") as refused:
        parsing.quantity(typed, unit)
    assert words in str(refused.value)


def test_a_count_with_a_k_is_asked_back():
    with pytest.raises(ValueError, match="1,000 or 1,024"):
        parsing.number("8K", "")


@given(st.text(max_size=80), st.sampled_from(["bytes", "s", "FLOP/s", "fraction", "parameters", "layers"]))
def test_any_text_is_read_or_refused_at_once(text, unit):
    start = time.thread_time()
    try:
        value = parsing.quantity(text, unit)
    except ValueError as refused:
        assert str(refused)
    else:
        assert units.finite(value)
    assert time.thread_time() - start < 0.5


@given(st.integers(min_value=0, max_value=10**15))
def test_exact_is_read_back_to_the_unit(value):
    assert parsing.quantity(units.exact(value), "bytes") == value
