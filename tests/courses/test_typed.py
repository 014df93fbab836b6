"""A number with a unit in the prose of a page has a source, or is found."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from courses.authoring.typed import Quantity, find, quantity


def assumes(ident: str, inputs: Mapping[str, str]) -> set[Quantity]:
    """What a calculator of one field, 30 hours of `save`, is given."""
    return {quantity(float(inputs.get("save", "30")), "h")} if ident == "one" else set()


def words(text: str, title: str = "The concept", calculator: str = "", **inputs: str) -> list[str]:
    return [each.words for each in find([(title, 1, text)], assumes, calculator, inputs)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Weights take 33.6 GB and 10.0 ms.", ["33.6 GB", "10.0 ms"]),
        ("It is 4.4 million GPU-hours on 1,024 devices.", ["4.4 million GPU-hours"]),
        ("a 90-day plan, 312 TFLOP/s, 2.43 TFLOP, 5,000 tokens/s, 700 W", ["90-day", "312 TFLOP/s", "2.43 TFLOP", "5,000 tokens/s", "700 W"]),  # noqa: E501
        ("between 41 and\n43 % of it", ["43 %"]),
        ("| a | 15 GB |\n|---|---|\n| b | 1.4 GB |", ["15 GB", "1.4 GB"]),
        ("/// details | Why\nIt is 12 GiB.\n///", ["12 GiB"]),
        ("/// figure | a-run\nPeaks at 12 GiB.\n///", ["12 GiB"]),
        ("A footnote elsewhere.[^a]\n\nBut not here: 12 GiB.", ["12 GiB"]),
        # computed, an input of what is computed here, an input of the section's calculator
        ("[[= kv-cache.total_bytes(tokens=4096) | GiB ]] a request", []),
        ("Of 20 hours and 1,200 minutes, not 20 GB: [[= one.figure(save=20) ]].", ["20 GB"]),
        ("Of 30 hours, not 20 hours: [[= 2 * one.figure ]].", ["20 hours"]),
        ("Of 20 hours.\n\n[[= one.figure(save=20) ]]", ["20 hours"]),
        ("140 GB at 3.35 TB/s: [[= 140 GB / 3.35 TB/s | ms ]], of which 41 ms", ["41 ms"]),
        ("/// calculator | one\nsave: 40\n///\n\nSaves of 40 h, not of 30 h.", ["30 h"]),
        ("/// calculator | one\n///\n\nSaves of 30 h.", []),
        # assumed: once on a page is enough
        ("[[given a device of 80 GB]] or 141 GB", ["141 GB"]),
        ("[[given 80 GB]]\n\n80 GB again, 80,000 MB too", []),
        ("**Assumptions.** An 8B model, 50 GiB of pool.\n\nThe 50 GiB hold it, 51 GiB would not.", ["51 GiB"]),
        # printed by a run block, and the block itself
        ("```python run\nprint(59.994, 'GB')\n```\n```output\n59.994 GB\n```\n\nSo 59.994 GB, some 60 GB, not 61 GB.", ["61 GB"]),  # noqa: E501
        ("```python run\nprint(6.4)\n```\n```output\n6.40\n```\n\n6.4 GB, hardly 6 GB", ["6 GB"]),
        ("```python\nx = 3  # 12 GB\n```", []),
        # a source, code, formulas, formats, the whole
        ("They print 153 TFLOP/s.[^n]", []),
        ("They print [153 TFLOP/s](https://example.org/a).", []),
        ("$2 + 3 = 5$ ms, $a = 7$, $0.5^2 = 25\\%$ of it", ["5 ms", "25 %"]),
        ("`--memory 40 GB` and $M = 40 \\text{ GB}$", []),
        ("4 bytes each, 100 % of them, 0 % of others, 3 bytes never", ["3 bytes"]),
        # what is no quantity
        ("Llama-2-7B, section 3.3, 8-bit, a 70 B model, CUDA 12 has H100s, 16384 devices", []),
    ],
)  # fmt: skip
def test_numbers_without_a_source_are_found(text: str, found: list[str]) -> None:
    assert words(text) == found


def test_the_inputs_of_a_questions_calculator_are_its_assumptions() -> None:
    assert words("At 50 hours, 60 hours.", calculator="one", save="50") == ["60 hours"]


def test_the_wording_of_an_exercise_assumes_and_its_answer_does_not() -> None:
    text = "1. Thirty days at 45 %?\n\n    /// details | Answer\n    At 45 % it takes 12 days.\n    ///"
    assert words(text, "Exercises") == ["12 days"]
    assert words(text) == ["45 %", "45 %", "12 days"]


def test_only_the_sections_named_are_judged_and_all_are_read() -> None:
    sections = [("Worked answer", 1, "12 GB, 13 GB"), ("Numbers", 5, "[[given 12 GB]] and 14 GB")]
    assert [each.words for each in find(sections, assumes, only=("Worked answer",))] == ["13 GB"]
    assert [each.words for each in find(sections, assumes)] == ["13 GB", "14 GB"]


def test_the_line_is_that_of_the_number() -> None:
    text = "First.\n\nA [[= goodput.goodput(\nsave=30) ]] and\n`12 GB` or\n13 GB"
    assert [(each.line, each.words) for each in find([("The concept", 7, text)], assumes)] == [(12, "13 GB")]
