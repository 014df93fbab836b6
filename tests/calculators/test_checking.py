"""A typed number against the computed one: any sensible unit, GB against GiB, slips named, absurd input at once."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from courses.calculators import checking, parsing, units

GIB = 2**30


@pytest.mark.parametrize(
    ("typed", "wanted", "unit"),
    [
        ("1.5 GiB", 1.5 * GIB, "GiB"),
        ("1.5", 1.5 * GIB, "GiB"),
        ("1,610,612,736 bytes", 1.5 * GIB, "GiB"),
        ("12.9 Gbit", 1.5 * GIB, "GiB"),
        ("1.61 GB", 1.5 * GIB, "GiB"),
        ("3.1e23", 3.1e23, "FLOP"),
        ("3.10 × 10²³", 3.1e23, "FLOP"),
        ("3.1*10^23 FLOP", 3.1e23, "FLOP"),
        ("40", 0.40, "%"),
        ("40 %", 0.40, "%"),
        ("64 devices", 64, "devices"),
        ("295 FLOP/byte", 295, "FLOP/byte"),
        ("295 FLOPs/byte", 295, "FLOP/byte"),
        ("36 h", 1.5 * 86400, "days"),
    ],
)
def test_any_sensible_unit_is_right(typed, wanted, unit):
    assert checking.check(typed, wanted, unit, 0.01) == checking.Checked(True, checking.read(typed, unit))


@pytest.mark.parametrize(
    ("typed", "wanted", "unit", "remark"),
    [
        ("1.5 GB", 1.5 * GIB, "GiB", "right in GiB, and you wrote it in GB"),
        ("1.61 GiB", 1.61e9, "GB", "right in GB, and you wrote it in GiB"),
        ("2 MB", 2 * 2**20, "MiB", "1 MiB is 1,048,576 B"),
        ("2 kB", 2048, "bytes", "right in KiB"),
        ("12 GiB", 1.5 * GIB, "GiB", "8 bits"),
        ("1.5 MiB", 1.5 * GIB, "GiB", "1,024 times too small"),
        ("1.3 GiB", 1.5 * GIB, "GiB", ""),
        ("3.1e20", 3.1e23, "FLOP", "1,000 times too small"),
        ("3.1e26", 3.1e23, "FLOP", "1,000 times too large"),
        ("0.4", 0.40, "%", "fraction and per cent"),
        ("32", 64, "devices", "half of it"),
        ("7", 64, "devices", ""),
        ("-64", 64, "devices", ""),
        ("0", 64, "devices", ""),
    ],
)
def test_what_is_not_right_is_told_apart(typed, wanted, unit, remark):
    checked = checking.check(typed, wanted, unit, 0.01)
    assert not checked.right
    assert remark in checked.remark if remark else checked.remark == ""


@pytest.mark.parametrize(
    "typed", ["", "  ", "1,5 GB", "9**9**9", "2^30", "10^9^9", "9*10**9**9", "1e999999999", "16 G"]
)
def test_ambiguous_and_absurd_input_is_asked_back_at_once(typed):
    started = time.thread_time()
    with pytest.raises(ValueError, match=r"[.!?]$"):
        checking.check(typed, GIB, "GiB", 0.01)
    assert time.thread_time() - started < 0.5


SIZES = st.floats(min_value=1e-3, max_value=1e30, allow_nan=False)
UNITS = st.sampled_from(sorted(units.TABLE))


@given(value=SIZES, unit=UNITS)
def test_what_these_pages_print_is_read_back(value, unit):
    """A figure as `units.rounded` sets it, powers of ten included, is a right answer to itself."""
    typed = f"{units.rounded(value, 4)} {unit}" if unit != "fraction" else units.rounded(value, 4)
    if unit == "fraction" and 1 < value <= 100:
        return  # asked back: 45 could be 45 %
    assert checking.check(typed, float(value * units.scale(unit)), unit, 0.001).right


@given(value=st.integers(min_value=1, max_value=10**12), prefix=st.sampled_from("KMGTP"))
def test_a_binary_figure_written_with_a_decimal_prefix_is_never_right(value, prefix):
    decimal, binary = f"{'k' if prefix == 'K' else prefix}B", f"{prefix}iB"
    checked = checking.check(f"{value} {decimal}", int(value * units.scale(binary)), binary, checking.WIDEST_FOR_BYTES)
    assert not checked.right
    assert f"right in {binary}" in checked.remark


@given(typed=st.text(max_size=80), unit=st.sampled_from(["bytes", "GiB", "s", "fraction", "tokens", "devices", ""]))
@example(typed="9" * 64, unit="bytes")
@example(typed="1e60", unit="GiB")
@example(typed="٣", unit="bytes")
def test_no_text_does_anything_but_be_read_or_be_asked_back(typed, unit):
    try:
        checked = checking.check(typed, 7, unit, 0.01)
    except ValueError as error:
        assert str(error)
    else:
        assert units.finite(checked.value)


@given(st.from_regex(r"[0-9]{1,4}([*^x]{1,2}[0-9]{1,9}){1,6}", fullmatch=True))
def test_an_expression_is_never_computed(typed):
    try:
        value = parsing.quantity(typed, "bytes")
    except ValueError:
        return
    digits, _, exponent = typed.replace("**", "^").replace("x10^", "*10^").partition("*10^")
    assert value == int(digits) * 10 ** int(exponent)
