"""How numbers are shown: GB and GiB told apart, three significant digits, every digit on demand."""

from __future__ import annotations

import pytest

from courses.calculators import units


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (7_079_985_152, "bytes", "7.08 GB (6.59 GiB)"),
        (512, "bytes", "512 bytes"),
        (131_072, "bytes", "131 kB (128 KiB)"),
        (1_000_000_000, "bytes", "1.00 GB (0.931 GiB)"),
        (22.987 * 86400, "s", "23.0 days"),
        (7200, "s", "2.00 hours"),
        (0.0107, "s", "10.7 ms"),
        (395.6e12, "FLOP/s", "396 TFLOP/s"),
        (3.14e23, "FLOP", "3.14 × 10²³ FLOP"),
        (0.4623, "fraction", "46.2 %"),
        (2048, "devices", "2,048 devices"),
        (774_123.4, "device-hours", "774,000 device-hours"),
        (0.0, "fraction", "0 %"),
    ],
)
def test_a_value_is_shown_with_its_unit(value, unit, shown):
    assert units.show(value, unit) == shown


@pytest.mark.parametrize(
    ("value", "spec", "shown"),
    [
        (1_610_612_736, "GiB", "1.50 GiB"),
        (1_610_612_736, "GB", "1.61 GB"),
        (1_610_612_736, ".3 GB", "1.611 GB"),
        (1_610_612_736, "exact bytes", "1,610,612,736 bytes"),
        (1_610_612_736, "exact", "1,610,612,736"),
        (0.1713, ".1 %", "17.1 %"),
        (86400 * 30, "days", "30 days"),
        (1.17, ".2", "1.17"),
    ],
)
def test_an_author_chooses_the_wording(value, spec, shown):
    assert units.format_as(value, spec) == shown


def test_an_unknown_wording_is_refused():
    with pytest.raises(ValueError, match="not known"):
        units.format_as(1, "GIB")


def test_gb_and_gib_differ_by_seven_per_cent():
    assert float(units.scale("GiB") / units.scale("GB")) == pytest.approx(1.074, abs=0.0005)


def test_rounding_carries_into_the_next_power():
    assert units.rounded(9.996) == "10.0"
    assert units.rounded(999_600_000_000.0) == "1.00 × 10¹²"
    assert units.rounded(0.00012345) == "1.23 × 10⁻⁴"
