"""`python -m grader meter FILE` meters a step of one's own, and says what is wrong with a file that it cannot."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image, ImageColor

from grader import meter
from grader.meter.cli import main_meter
from grader.meter.report import format_flops, report
from grader.timeline.geometry import FILLS, PEAK
from tests.grader import meter_models as models

STEP = """
import torch
model = torch.nn.Sequential(torch.nn.Linear(16, 32, bias=False), torch.nn.ReLU(), torch.nn.Linear(32, 16, bias=False))
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.ones(8, 16)
def step():
    optimiser.zero_grad()
    model(x).sum().backward()
    optimiser.step()
"""
PROGRAM = """
from tests.grader import meter_models
def program():
    return meter_models.blocks("checkpoint")
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "mine.py"


def test_a_step_is_metered_and_cut_into_phases(file, capsys):
    file.write_text(STEP)
    assert main_meter([str(file), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    hidden = 8 * 32 * 4
    loss_and_its_gradient = 8
    assert figures["saved_bytes"] == hidden + loss_and_its_gradient
    assert [phase["name"] for phase in figures["timeline"]["phases"]] == ["forward", "backward", "optimiser"]
    # No gradient of the input: two products forward, three backward.
    assert figures["flops"] == 5 * 2 * 8 * 16 * 32


def test_a_program_is_metered_as_a_table_and_a_picture(file, capsys, tmp_path):
    file.write_text(PROGRAM)
    assert main_meter([str(file), "--svg", str(tmp_path / "out.svg")]) == 0
    out = capsys.readouterr().out
    metered = meter.run(models.blocks("checkpoint"))
    assert f"{metered.peak_bytes:,} bytes  in backward of blocks." in out
    assert "replay workspace" in out and "gelu" in out
    ElementTree.parse(tmp_path / "out.svg")


def test_the_picture_as_png_has_its_size_and_the_peak_in_its_colour(file, tmp_path):
    file.write_text(STEP)
    assert main_meter([str(file), "--png", str(tmp_path / "out.png")]) == 0
    with Image.open(tmp_path / "out.png") as image:
        assert (image.format, image.size, image.mode) == ("PNG", (1800, 640), "RGB")
        colours = dict(map(reversed, image.getcolors(image.width * image.height)))
    assert colours[ImageColor.getrgb(PEAK)] > 100  # a dot of radius 8, and its label
    assert colours[ImageColor.getrgb(FILLS["saved_activation"])] > 1000


def test_without_pillow_the_step_does_not_run_and_what_to_do_is_said(file, tmp_path, monkeypatch, capsys):
    file.write_text("def step(): raise ValueError('it ran')")
    monkeypatch.setitem(sys.modules, "PIL", None)
    assert main_meter([str(file), "--png", str(tmp_path / "out.png")]) == 2
    assert "pip install pillow" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("x = 1", 2, "neither step() nor program()"),
        ("def step(): raise ValueError('mine')", 1, "ValueError: mine"),
        ("def step(:", 1, "SyntaxError"),
    ],
)
def test_a_file_that_cannot_be_metered_says_why(file, text, status, said, capsys):
    file.write_text(text)
    assert main_meter([str(file)]) == status
    assert said in capsys.readouterr().err


def test_a_file_that_is_no_python_module_by_its_name_is_wrong_usage(tmp_path, capsys):
    (tmp_path / "notes.txt").write_text(STEP)
    assert main_meter([str(tmp_path / "notes.txt")]) == 2
    assert "its name must end in .py" in capsys.readouterr().err


def test_a_device_that_is_not_here_is_wrong_usage_before_the_file_runs(file, capsys, monkeypatch):
    file.write_text("raise ValueError('it ran')")
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert main_meter([str(file), "--device", "cuda"]) == 2
    assert "torch finds no CUDA device here" in capsys.readouterr().err


def test_a_step_without_a_backward_is_one_phase(file, capsys):
    file.write_text("import torch\nx = torch.ones(8)\ndef step(): return x.neg()\n")
    assert main_meter([str(file), "--json", "--first"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert [phase["name"] for phase in figures["timeline"]["phases"]] == ["step"]
    assert (figures["peak_bytes"], figures["saved_bytes"]) == (8 * 4, 0)


def test_wrong_usage_is_status_2(tmp_path, capsys):
    assert main_meter([str(tmp_path / "none.py")]) == 2
    assert "is not a file" in capsys.readouterr().err
    assert main_meter([]) == 2
    assert main_meter(["--help"]) == 0


def test_the_table_names_kind_module_and_operator():
    meter.warm()
    table = report(meter.run(models.blocks("plain")))
    line = next(line for line in table.splitlines() if "gelu" in line)
    assert line.split() == [
        "192",
        "KiB",
        "[64,",
        "128]",
        "float32",
        "×",
        "6",
        "saved",
        "activations",
        "blocks.0–5,",
        "gelu",
    ]


def test_what_other_threads_moved_is_said():
    meter.warm()
    metered = meter.run(models.linear_stack(2, 4, 4))
    assert "unseen" not in report(metered)
    line = next(line for line in report(replace(metered, unseen_bytes=4_096)).splitlines() if "unseen" in line)
    assert line.split()[:4] == ["unseen", "4.00", "KiB", "4,096"]


@pytest.mark.parametrize(
    ("flops", "text"), [(0, "0 FLOP"), (1500, "1.5 kFLOP"), (3_221_225_472, "3.22 GFLOP"), (5 * 10**16, "50,000 TFLOP")]
)
def test_flops_are_written_to_three_digits(flops, text):
    assert format_flops(flops) == text
