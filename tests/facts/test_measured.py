"""The measured artefacts agree with the formulas that the lessons put beside them, and measure again to the byte."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from courses.calculators import get

ROOT = Path(__file__).resolve().parents[2]
MEASURED = ROOT / "courses" / "content" / "measured"
RANDOM_STATE = 5056  # bytes of the CPU generator's state, kept by every checkpoint


def numbers(ident: str) -> dict[str, Any]:
    return json.loads((MEASURED / f"{ident}.json").read_text())["numbers"]


def test_a_block_keeps_what_the_formula_says_plus_its_norms_statistics_and_one_constant():
    block = {"sequence": 128, "batch": 4, "hidden": 128, "heads": 4, "element_bytes": 4, "dropout": "off"}
    formula = get("activation-bytes-layer").compute(block)["layer_bytes"]
    statistics = 2 * 2 * 4 * 128 * 4  # two norms, mean and deviation, 512 rows, 4 bytes
    assert numbers("checkpoint-every-block")["block_saved_bytes"] == formula + statistics + 8


def test_checkpointing_every_thin_layer_adds_only_the_random_states():
    found = numbers("checkpoint-sweep")
    assert found["thin_k36_peak_bytes"] - found["thin_plain_peak_bytes"] == 36 * RANDOM_STATE


def test_the_square_root_is_the_lowest_of_the_measured_equal_cuts():
    found = numbers("checkpoint-sweep")
    peaks = {count: found[f"thin_k{count}_peak_bytes"] for count in (1, 2, 3, 4, 6, 9, 12, 18, 36)}
    best = get("checkpoint-tradeoff").compute({"blocks": 36, "block_bytes": 1, "boundary_bytes": 1})["segments"]
    assert min(peaks, key=peaks.__getitem__) == best == 6


def test_early_stop_skips_the_last_product_and_nothing_under_dropout():
    found = numbers("checkpoint-every-block")
    assert found["full_replayed_of_forward_fraction"] == pytest.approx(1 - 8 / (24 + 4))
    assert found["whole_replay_replayed_of_forward_fraction"] == 1
    assert found["dropout_replayed_of_forward_fraction"] == 1


def test_the_measured_peak_is_the_models_within_four_layers():
    found = numbers("checkpoint-sweep")
    for count in (1, 2, 3, 4, 6, 9, 12, 18, 36):
        sizes = {"blocks": 36, "block_bytes": 1, "boundary_bytes": 1, "segments": count}
        model = get("checkpoint-tradeoff").compute(sizes)["peak_bytes"]
        assert 2 <= (found[f"thin_k{count}_peak_bytes"] - model) / found["thin_layer_bytes"] < 4.2


def test_a_latents_decode_costs_what_the_calculator_says_beside_the_projections_that_both_forms_share():
    found = numbers("latent-decode")
    layers, width, heads, head_dim, latent, rope, sequences = 4, 512, 16, 64, 256, 32, 2
    shape = {"layers": layers, "heads": heads, "head_dim": head_dim, "latent": latent, "rope": rope, "batch": sequences}
    shared = 8 * layers * sequences * 2 * width * (heads * (head_dim + rope) + latent + rope + heads * head_dim)
    absorbing = 8 * layers * sequences * 4 * heads * latent * head_dim
    for name, more in (("expanded", shared), ("absorbed", shared + absorbing)):
        steps = (shape | {"kind": name, "tokens": tokens} for tokens in range(1025, 1033))
        assert found[f"{name}_flops"] == sum(get("decode-attention").compute(step)["flops"] for step in steps) + more


def test_an_artefact_measures_again_to_the_byte(tmp_path):
    command = [sys.executable, "-m", "bench.figures", "autograd-saves", "--out", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=240)
    assert json.loads((tmp_path / "autograd-saves.json").read_text())["numbers"] == numbers("autograd-saves")


def test_full_recomputation_repeats_the_layers_and_not_the_logits():
    found = numbers("recompute-work")
    small = {
        "convention": "megatron",
        "layers": 8,
        "hidden": 128,
        "vocabulary": 1024,
        "sequence": 256,
        "recompute": "full",
    }
    formula = get("mfu-hfu").compute(small | {"tokens_per_s": 1})["recomputed_of_forward"]
    assert found["late_replayed_of_forward_fraction"] == pytest.approx(formula, rel=1e-12)
    assert found["full_replayed_of_forward_fraction"] < formula


def test_adams_state_is_under_the_second_peak_and_not_under_the_first():
    found = numbers("adam-two-updates")
    assert found["adam_backward_2_peak_bytes"] - found["adam_backward_1_peak_bytes"] == found["state_bytes"]
    assert found["adam_backward_1_peak_bytes"] == found["sgd_backward_1_peak_bytes"]


def test_gradients_that_are_zeroed_instead_of_freed_stand_under_the_peak():
    found = numbers("adam-two-updates")
    assert found["held_backward_2_peak_bytes"] - found["adam_backward_2_peak_bytes"] == found["parameter_bytes"]


def test_a_decode_step_multiplies_each_weight_once_and_attends_to_all_before_it():
    found = numbers("decode-cache")
    sequences, prompt, made, layers, width, kv_width, vocabulary = 4, 32, 224, 4, 256, 64, 512
    weights = layers * (2 * width * width + 2 * width * kv_width + 8 * width * width) + vocabulary * width
    attention = sum(4 * layers * width * (prompt + step) for step in range(1, made + 1))
    assert found["preallocated_decode_flops"] == sequences * (2 * weights * made + attention)
    assert found["grown_decode_flops"] == found["preallocated_decode_flops"]


def test_joining_writes_the_whole_cache_for_every_token():
    found = numbers("decode-cache")
    tokens = range(33, 257)
    assert found["grown_copied_bytes"] == sum(found["cache_bytes"] // 256 * count for count in tokens)
