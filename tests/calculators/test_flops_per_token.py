"""Parameters and FLOPs from a configuration: published counts, a counted step, and what 6N leaves out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from courses.calculators import InputError, get, transformer
from tests.calculators.facts import facts

compute = get("flops-per-token").compute
MEASURED = Path(__file__).resolve().parents[2] / "courses" / "content" / "measured"
SMALL = {
    "layers": 8, "hidden": 128, "heads": 4, "kv_heads": 4, "head_dim": 32, "d_ff": 512, "mlp": "plain",
    "vocabulary": 1024, "embeddings": "tied", "sequence": 256,
}  # fmt: skip


@pytest.mark.parametrize("row", facts("models")["rows"], ids=lambda row: row["model"])
def test_a_published_model_has_its_published_parameters(row):
    assert compute(row["inputs"])["parameters"] == row["parameters"]


def test_a_counted_step_has_the_flops_of_the_formula_to_the_unit():
    counted = json.loads((MEASURED / "recompute-work.json").read_text())["numbers"]
    assert compute(SMALL)["train_flops"] == counted["counted_per_token_flops"]
    assert compute(SMALL)["forward_flops"] * counted["tokens"] == counted["plain_forward_flops"]


def test_it_is_the_megatron_count_for_a_gpt():
    result = compute(SMALL | {"vocabulary": 51200})
    published = transformer.megatron_model_flops(1, 8, 256, 128, 51200) / 256
    assert result["train_flops"] == pytest.approx(published, rel=1e-12)


def test_experts_add_parameters_and_only_the_active_ones_add_work():
    dense, sparse = compute({}), compute({"experts": 64})
    router = 32 * 4096 * 64
    assert sparse["train_flops"] - dense["train_flops"] == 6 * router
    assert sparse["parameters"] > 30 * dense["parameters"]


def test_tied_embeddings_halve_the_tables_and_leave_the_work():
    untied, tied = compute({}), compute({"embeddings": "tied"})
    assert untied["parameters"] - tied["parameters"] == 128_256 * 4096
    assert untied["train_flops"] == tied["train_flops"]


@pytest.mark.parametrize(
    ("inputs", "field"), [({"active_experts": 2}, "active_experts"), ({"kv_heads": 7}, "kv_heads")]
)
def test_an_impossible_configuration_says_why(inputs, field):
    with pytest.raises(InputError) as refused:
        compute(inputs)
    assert field in refused.value.errors
