"""What the lessons of phase 3 say about their measured artefacts follows from shapes and from a schedule's model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.tradeoffs import pictures

MEASURED = Path(__file__).resolve().parents[2] / "courses" / "content" / "measured"
RANDOM_STATE = 5056  # bytes of the CPU generator's state, kept by every checkpoint


def numbers(ident: str) -> dict[str, Any]:
    return json.loads((MEASURED / f"{ident}.json").read_text())["numbers"]


def test_leaving_the_random_state_out_saves_a_state_a_block_and_spoils_the_gradients():
    found = numbers("replay-dropout")
    assert found["kept_saved_bytes"] - found["stateless_saved_bytes"] == 8 * RANDOM_STATE
    assert found["kept_gradient_error_fraction"] == found["outside_gradient_error_fraction"] == 0
    assert found["stateless_gradient_error_fraction"] > 0.25


def test_dropout_outside_the_segment_lets_the_replay_skip_the_last_product():
    found = numbers("replay-dropout")
    assert found["kept_replayed_of_forward_fraction"] == 1
    assert found["outside_replayed_of_forward_fraction"] == pytest.approx(1 - 8 / (24 + 4))  # s = h


def test_policies_repeat_the_products_that_they_do_not_keep():
    found = numbers("selective-policies")
    core = 4 * 256 / (24 * 128 + 4 * 256)  # both products of the core, of a forward: s = 2h
    assert found["weights_replayed_of_forward_fraction"] == pytest.approx(core)
    assert found["core_replayed_of_forward_fraction"] == pytest.approx(core / 2)
    assert found["ranked_replayed_of_forward_fraction"] == pytest.approx(core / 2)
    assert found["products_replayed_flops"] == 0
    assert found["ranked_saved_bytes"] == found["weights_saved_bytes"]


def test_a_fused_kernel_keeps_what_replaying_the_core_keeps_and_a_number_a_row():
    found = numbers("selective-policies")
    rows = 2 * 4 * 256 * 4  # a log-sum-exp for each sequence, head and row, in four bytes
    replay = RANDOM_STATE + 8  # and the constant that scales the scores
    assert found["core_saved_bytes"] - found["fused_saved_bytes"] == 6 * (replay - rows)


def test_executed_schedules_peak_where_predicted_but_for_their_random_states():
    found = numbers("byte-frontier")
    names = [name.removesuffix("_predicted_peak_bytes") for name in found if name.endswith("_predicted_peak_bytes")]
    assert len(names) == 14
    for name in names:
        above = found[f"{name}_peak_bytes"] - found[f"{name}_predicted_peak_bytes"]
        assert 0 <= above <= 16 * (RANDOM_STATE + 16), name


@pytest.mark.parametrize("segments", [4, 8, 16])
def test_the_best_schedule_needs_no_more_than_equal_segments_and_repeats_less(segments):
    found = numbers("byte-frontier")
    best, equal = f"best_at_equal{segments}", f"equal{segments}"
    assert found[f"{best}_predicted_peak_bytes"] <= found[f"{equal}_predicted_peak_bytes"]
    assert found[f"{best}_replayed_of_forward_fraction"] < found[f"{equal}_replayed_of_forward_fraction"]


def test_only_replayed_chunks_make_a_fourth_product_with_the_vocabulary():
    found = numbers("chunked-loss")
    product = 2 * 2048 * 8192 * 128
    assert found["chunks_replayed_flops"] == found["small_chunks_replayed_flops"] == product
    assert found["early_step_flops"] == found["loop_step_flops"] == found["plain_step_flops"]
    assert found["plain_peak_bytes"] > 3 * found["logits_bytes"]
    assert found["logits_bytes"] < found["loop_peak_bytes"] < 1.2 * found["logits_bytes"]


def test_three_more_bits_are_an_eighth_of_the_error():
    found = numbers("compressed-activations")
    bf16, fp16 = (found[f"{name}_median_gradient_error_fraction"] for name in ("bf16", "fp16"))
    assert bf16 / fp16 == pytest.approx(8, rel=0.1)
    assert found["int8_saved_of_plain_fraction"] == pytest.approx((1 + 4 / 128) / 4, rel=0.01)


@pytest.mark.parametrize(
    ("tradeoff", "method", "figure", "run"),
    [
        ("stack-tradeoff", "plain", "checkpoint-every-block", "plain"),
        ("stack-tradeoff", "full", "checkpoint-every-block", "full"),
        ("stack-tradeoff", "selective", "checkpoint-every-block", "selective"),
        ("stack-tradeoff", "root", "checkpoint-segments", "four"),
        ("pyramid-tradeoff", "plain", "byte-frontier", "plain"),
        ("pyramid-tradeoff", "full", "byte-frontier", "equal16"),
        ("pyramid-tradeoff", "root", "byte-frontier", "equal4"),
    ],
)
def test_memory_against_work_shows_the_runs_of_the_other_figures(tradeoff: str, method: str, figure: str, run: str):
    assert numbers(tradeoff)[f"{method}_peak_bytes"] == numbers(figure)[f"{run}_peak_bytes"]


@pytest.mark.parametrize("ident", ["stack-tradeoff", "pyramid-tradeoff"])
def test_a_frontier_falls_and_is_drawn_as_it_was_measured(ident: str):
    made = json.loads((MEASURED / f"{ident}.json").read_text())
    best = [(point["peak_bytes"], point["step_flops"]) for point in made["frontier"]]
    assert best == sorted(best) and [work for _, work in best] == sorted((work for _, work in best), reverse=True)
    assert best[-1] == (made["methods"][0]["peak_bytes"], made["methods"][0]["step_flops"])
    for end, picture in pictures(made, ident).items():
        assert (MEASURED / f"{ident}{end}.svg").read_text() == picture + "\n"
