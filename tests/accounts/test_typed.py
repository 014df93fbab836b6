"""Numbers that a form or an address carries."""

import pytest

from accounts.typed import whole_number, whole_numbers


@pytest.mark.parametrize("text, number", [("0", 0), ("17", 17), ("007", 7), ("999999999", 999_999_999)])
def test_plain_digits_are_a_number(text: str, number: int) -> None:
    assert whole_number(text, otherwise=5) == number


@pytest.mark.parametrize(
    "text", ["", " 1", "-1", "+1", "1.0", "1e3", "0x10", "1_000", "²", "٣", "1" * 10, "9" * 10_000]
)
def test_any_other_text_is_none(text: str) -> None:
    assert whole_number(text, otherwise=5) == 5
    assert whole_numbers(["3", text, "0"]) == [3, 0]
