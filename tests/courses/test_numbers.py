"""Numbers in prose are computed, and what cannot be computed says why."""

from __future__ import annotations

import pytest

from courses import calculators
from courses.authoring.numbers import Sources, evaluate
from courses.authoring.problems import AuthorError
from courses.calculators import Calculator, Figure, Result

MEASURED = {
    "run": {
        "numbers": {"peak_bytes": 50_452_480, "step_seconds": 0.25, "redone_fraction": 0.17, "runs": 3, "name": "x"}
    }
}
LENGTH = Figure.of("length", "Length", 180, "days")
IN_DAYS = Calculator("in-days", "", "", (), lambda: Result((LENGTH,), "", "", "", "", ""))
SOURCES = Sources(
    lambda ident: IN_DAYS if ident == "in-days" else calculators.get(ident), calculators.all_calculators, MEASURED
)


@pytest.mark.parametrize(
    ("expression", "display"),
    [
        ("measured:run.numbers.peak_bytes", "50.5 MB (48.1 MiB)"),
        ("measured:run.numbers.peak_bytes | MiB", "48.1 MiB"),
        ("measured:run.numbers.peak_bytes | 4 MiB", "48.12 MiB"),
        ("measured:run.numbers.peak_bytes | .2 MB", "50.45 MB"),
        ("measured:run.numbers.peak_bytes | exact", "50,452,480"),
        ("measured:run.numbers.peak_bytes | exact bytes", "50,452,480 bytes"),
        ("measured:run.numbers.peak_bytes | MiB bare", "48.1"),
        ("measured:run.numbers.peak_bytes | MiB | 48.1 MiB", "48.1 MiB"),
        ("measured:run.numbers.step_seconds | ms", "250 ms"),
        ("measured:run.numbers.redone_fraction | %", "17.0 %"),
        ("measured:run.numbers.runs", "3"),
        # a figure that is kept in days is not divided again
        ("in-days.length", "180 days"),
        ("in-days.length | days", "180 days"),
        ("in-days.length | .1 days", "180.0 days"),
        ("in-days.length | 2 weeks", "26 weeks"),
        ("in-days.length * 2 | days", "360 days"),
        ("time-to-train.seconds(devices=1024) | days", "180 days"),
        # sums, with units that multiply and cancel
        ("2 * 524 MB / 50 GB/s | ms", "21.0 ms"),
        ("140 GB / (80 % · 4 · 3.35 TB/s) | .1 ms", "13.1 ms"),
        ("7.5e9 * 16 bytes", "120 GB (112 GiB)"),
        ("1 GiB / 128 KiB | exact", "8,192"),
        ("1,024 * 8,192 / 5.10 | 4", "1,645,000"),
        ("1 − 0.25 | %", "75.0 %"),
        ("2 * (3 + 4) - 5 | exact", "9"),
        ("12 - 4 - 3 | exact", "5"),
        ("24 / 4 / 3 | exact", "2"),
        ("3072 FLOP / 1 bytes | 4", "3,072"),
        ("kv-cache.bytes_per_token(layers=32, kv_heads=8) * 2 | KiB", "256 KiB"),
        ("time-to-train.seconds(devices=1024) / time-to-train.seconds(devices=2048) | exact", "2"),
        ("measured:run.numbers.peak_bytes / measured:run.numbers.step_seconds | MB/s", "202 MB/s"),
    ],
)
def test_a_number_is_printed_as_asked(expression: str, display: str) -> None:
    assert evaluate(expression, SOURCES).display == display


def test_a_calculators_figure_is_the_calculators() -> None:
    calculator = calculators.get("time-to-train")
    figure = calculator.compute({}).figures[0]
    assert evaluate(f"time-to-train.{figure.name}()", SOURCES).display == figure.display


def test_the_exact_value_is_kept_for_hovering() -> None:
    html = evaluate("measured:run.numbers.peak_bytes | MiB", SOURCES).html
    assert html == '<span class="num" title="50,452,480 bytes">48.1\u00a0MiB</span>'


@pytest.mark.parametrize(
    ("expression", "message", "cure"),
    [
        ("time-to-trane.days()", "no calculator “time-to-trane”", "time-to-train"),
        ("time-to-train.secondz()", "no figure “secondz”", ""),
        ("time-to-train.seconds(paramz=1)", "no input “paramz”", ""),
        ("time-to-train.seconds(parameters=)", "cannot be read", "name=value"),
        ("time-to-train.seconds(parameters=many)", "refuses these inputs", ""),
        ("measured:rum.numbers.x", "no measured artefact “rum”", "run"),
        ("measured:run.numbers.peak_byte", "“peak_byte” is not in it", "peak_bytes"),
        ("measured:run.numbers.name", "not a finite number", ""),
        ("measured:run.numbers.peak_bytes | GFLOP", "cannot be shown in GFLOP", "GiB"),
        ("measured:run.numbers.peak_bytes | GibB", "“GibB” is not known", "GiB"),
        (
            "measured:run.numbers.peak_bytes | MiB | 47 MiB",
            "the page says 47 MiB, the computation says 48.1 MiB",
            "text",
        ),
        ("one + 1", "is no source of a number", "measured:"),
        ("2 ** 9", "a sum is not complete", "operator"),
        ("2 * (3 + 4", "a sum is not complete", "bracket"),
        ("2 3", "is no source of a number", "sum"),
        ("5 GB + 3 s", "bytes and s cannot be added", "unit"),
        ("5 GB + 3", "bytes and a plain number cannot be added", "unit"),
        ("1 / (2 - 2)", "division by zero", "under"),
        ("5 GB / 2 s | ms", "bytes/s cannot be shown in ms", "GB/s"),
        ("2 * time-to-trane.days", "no calculator “time-to-trane”", "time-to-train"),
        ("2 * measured:run.numbers.name", "not a finite number", ""),
        ("__import__('os')", "is no source of a number", "measured:"),
    ],
)
def test_what_cannot_be_computed_says_why(expression: str, message: str, cure: str) -> None:
    with pytest.raises(AuthorError) as caught:
        evaluate(expression, SOURCES)
    assert message in caught.value.message
    assert cure in caught.value.cure
