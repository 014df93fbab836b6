"""What holds for every calculator that the loader finds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from latex2mathml.converter import convert

from courses import drawing
from courses.calculators import InputError, all_calculators, get, units

CALCULATORS = {calculator.id: calculator for calculator in all_calculators()}


def test_the_loader_finds_the_ones_of_the_course():
    assert {
        "time-to-train", "activation-bytes-layer", "mfu-hfu", "training-memory", "kv-cache", "checkpoint-tradeoff",
    } <= set(CALCULATORS)  # fmt: skip


def test_an_unknown_id_is_a_key_error_that_names_the_known_ones():
    with pytest.raises(KeyError, match="kv-cache"):
        get("kv_cash")


@pytest.mark.parametrize("ident", CALCULATORS)
def test_defaults_compute_and_every_sentence_is_there(ident):
    result = CALCULATORS[ident].compute({})
    assert result.figures
    assert all((result.formula, result.establishes, result.to_measure, result.convention))
    assert "<math" in convert(result.latex)
    names = [figure.name for figure in result.figures]
    assert len(names) == len(set(names))
    assert result.figure(names[0]).display
    # a figure is kept in the base unit of its kind, so nothing is shown twice in two units
    assert all(units.scale(figure.unit) == 1 for figure in result.figures)


@pytest.mark.parametrize("ident", CALCULATORS)
def test_every_choice_computes(ident):
    calculator = CALCULATORS[ident]
    for field in calculator.fields:
        for value, _ in field.choices:
            inputs = {field.name: value}
            if (field.name, value) == ("sequence_parallel", "on"):
                inputs["tensor_parallel"] = 8
            if ident == "mfu-hfu":
                inputs["tokens_per_s"] = 10
            assert calculator.compute(inputs).figures


@pytest.mark.parametrize("ident", CALCULATORS)
def test_a_required_input_left_empty_is_asked_for(ident):
    calculator = CALCULATORS[ident]
    field = next(field for field in calculator.fields if not field.optional)
    with pytest.raises(InputError) as refused:
        calculator.compute({field.name: "  "})
    assert refused.value.errors[field.name]


@pytest.mark.parametrize("ident", CALCULATORS)
def test_the_largest_inputs_are_answered(ident):
    calculator = CALCULATORS[ident]
    inputs = {field.name: field.max for field in calculator.fields if field.max is not None}
    try:
        result = calculator.compute(inputs)
    except InputError as refused:
        assert refused.errors
    else:
        assert all(figure.display for figure in result.figures)


def test_calculators_import_neither_django_nor_torch():
    code = (
        "import sys, courses.calculators as c; c.all_calculators();"
        "print(sorted({'django', 'torch'} & {name.split('.')[0] for name in sys.modules}))"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("ident", CALCULATORS)
def test_a_default_is_shown_as_someone_would_type_it_and_means_the_same(ident):
    for row in drawing.context(CALCULATORS[ident], {})["rows"]:
        if not row["field"].optional:
            assert len(row["value"]) < 12 or row["field"].kind == "choice"
            typed, default = (row["field"].read(each) for each in (row["value"], row["field"].default))
            assert typed == (default if isinstance(default, str) else pytest.approx(default, rel=1e-12))
