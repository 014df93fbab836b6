"""What the lessons of phase 4 say about their measured artefacts follows from the calculators."""

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
RANKS = 4


def numbers(ident: str) -> dict[str, Any]:
    return json.loads((MEASURED / f"{ident}.json").read_text())["numbers"]


def test_a_quarter_of_the_state_is_under_the_peak_and_the_same_bytes_are_on_the_wire():
    found, counter = numbers("sharded-state"), 4  # the optimiser's count of steps, on every rank
    moments = 2 * found["parameter_bytes"]
    assert found["whole_state_bytes"] == moments + counter
    assert found["sharded_state_bytes"] == moments // RANKS + counter
    spared = found["whole_backward_peak_bytes"] - found["sharded_backward_peak_bytes"]
    assert spared == moments - moments // RANKS


def test_both_ways_send_what_the_ring_formula_says():
    found = numbers("sharded-state")
    buffer = {"devices": RANKS, "buffer": found["parameter_bytes"] / 1e9}
    formula = get("collective-traffic").compute(buffer | {"operation": "all-reduce"})["sent_bytes"]
    assert found["whole_sent_bytes"] == found["sharded_sent_bytes"] == pytest.approx(formula)


@pytest.mark.parametrize(("way", "setting", "rows"), [("whole", "off", 512), ("shared", "on", 128)])
def test_a_rank_keeps_of_a_block_what_the_formula_says_its_norms_statistics_and_one_constant(way, setting, rows):
    block = {"sequence": 128, "batch": 4, "hidden": 128, "heads": 4, "element_bytes": 4, "dropout": "off"}
    inputs = block | {"tensor_parallel": RANKS, "sequence_parallel": setting}
    statistics = 2 * 2 * rows * 4  # two norms, mean and deviation, of the rows that this rank has
    formula = get("activation-bytes-layer").compute(inputs)["layer_bytes"]
    assert numbers("sequence-parallel")[f"{way}_block_saved_bytes"] == formula + statistics + 8


def test_sharing_tokens_out_gathers_twice_more_a_block_in_backward():
    found, tensor, blocks = numbers("sequence-parallel"), 128 * 4 * 128 * 4, 4
    one_pass = tensor * (RANKS - 1) // RANKS
    assert found["whole_sent_bytes"] == blocks * 8 * one_pass
    assert found["shared_sent_bytes"] == blocks * 10 * one_pass
    assert found["whole_step_flops"] == found["shared_step_flops"]


@pytest.mark.timeout(600)
def test_ranks_measure_again_to_the_byte(tmp_path):
    command = [sys.executable, "-m", "bench.figures", "sequence-parallel", "--out", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=500)
    assert json.loads((tmp_path / "sequence-parallel.json").read_text())["numbers"] == numbers("sequence-parallel")
