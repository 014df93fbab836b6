"""A timeline is thinned without losing a spike, refused when malformed, and drawn, tabulated and exported alike."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from csv import DictReader
from io import BytesIO, StringIO
from itertools import pairwise
from typing import Any

import pytest
from PIL import Image, ImageColor

from grader import timeline
from grader.timeline.geometry import OTHER, REFERENCE

SVG = "{http://www.w3.org/2000/svg}"


def run(scale: int = 1, phases: tuple[str, ...] = ("forward", "backward")) -> dict[str, Any]:
    """Ten points a phase: activations rise and fall, temporaries flicker."""
    points = 10 * len(phases)
    saved = [scale * 2**20 * min(i, points - i) for i in range(points)]
    temporary = [scale * 2**19 * (i % 2) for i in range(points)]
    live = {"saved_activation": saved, "temporary": temporary}
    return timeline.build([(name, 10 * i) for i, name in enumerate(phases)], range(points), live)


def test_thinning_keeps_the_spike_and_the_ends_of_every_phase():
    totals = [i % 7 for i in range(50_000)]
    totals[31_337], totals[40_000] = 10**9, -5
    kept = timeline.thin(totals, [0, 20_000, 45_000])
    assert len(kept) <= timeline.MOST_POINTS
    assert kept == sorted(set(kept))
    assert {0, 19_999, 20_000, 44_999, 45_000, 49_999, 31_337, 40_000} <= set(kept)


def test_a_short_series_is_kept_whole():
    assert timeline.thin([3, 1, 2], [0, 2]) == [0, 1, 2]


def test_thinning_to_less_than_the_phases_need_is_refused():
    with pytest.raises(ValueError, match="do not fit"):
        timeline.thin(list(range(100)), list(range(0, 100, 10)), most=8)


def test_a_built_timeline_is_valid_and_comes_back_as_a_copy():
    data = run()
    checked = timeline.validate(json.loads(json.dumps(data)))
    assert checked == data
    assert checked["total"] is not data["total"]


def broken(**changes: Any) -> dict[str, Any]:
    data = copy.deepcopy(run())
    data.update(changes)
    return data


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (None, "exactly"),
        ([], "exactly"),
        ({}, "exactly"),
        (broken(more=1), "exactly"),
        (broken(total=[]), "at least one"),
        (broken(total="x" * 20), "must be a list"),
        (broken(total=[0] * 2001), "at most"),
        (broken(total=[True] * 20), "whole numbers"),
        (broken(total=[0.5] * 20), "whole numbers"),
        (broken(total=[float("nan")] * 20), "whole numbers"),
        (broken(total=[2**60] * 20), "whole numbers"),
        (broken(total=[0] * 19), "same length"),
        (broken(total=[1] * 20), "sum"),
        (broken(kinds=["saved_activation", "secret"]), "kinds must be"),
        (broken(kinds=["saved_activation", ["temporary"]]), "kinds must be"),
        (broken(kinds=["temporary", "temporary"]), "twice"),
        (broken(live=[]), "one list for each"),
        (broken(live={"saved_activation": [0] * 20}), "one list for each"),
        (broken(peak_index=0), "highest"),
        (broken(peak_index=True), "highest"),
        (broken(peak_index=20), "highest"),
        (broken(peak_index=-10), "highest"),
        (broken(phases=[]), "between 1 and"),
        (broken(phases=[{"name": "forward", "start": 1}]), "follow"),
        (broken(phases=[{"name": "forward", "start": 0}, {"name": "backward", "start": 0}]), "follow"),
        (broken(phases=[{"name": "forward", "start": 0}, {"name": "backward", "start": 20}]), "follow"),
        (broken(phases=[{"name": "<b>", "start": 0}]), "name"),
        (broken(phases=[{"name": "a" * 33, "start": 0}]), "name"),
        (broken(phases=[{"name": 3, "start": 0}]), "name"),
        (broken(phases=[{"name": "forward"}]), "exactly name and start"),
    ],
)
def test_a_malformed_timeline_is_refused_and_the_reason_named(data, reason):
    with pytest.raises(ValueError, match=reason):
        timeline.validate(data)


def picture(*args: Any, **options: Any) -> ElementTree.Element:
    return ElementTree.fromstring(timeline.svg(*args, **options))


def texts(root: ElementTree.Element) -> list[str]:
    return [text.text or "" for text in root.iter(f"{SVG}text")]


def test_the_picture_stacks_kinds_by_class_and_draws_the_other_runs_as_lines():
    root = picture({"yours": run(), "plain": run(2), "reference": run(), "missing": None})
    classes = [path.get("class") for path in root.iter(f"{SVG}path")]
    assert [c for c in classes if c and c.startswith("m-")] == ["m-saved_activation", "m-temporary"]
    assert [c for c in classes if c and c.startswith("line")] == ["line line-plain", "line line-reference"]
    assert {"forward", "backward", "MiB live", "saved activations", "plain run 20.0 MiB"} <= set(texts(root))


def test_the_picture_passes_a_strict_content_policy():
    assert "style=" not in timeline.svg({"yours": run()}) and "<style" not in timeline.svg({"yours": run()})


def test_a_file_of_its_own_carries_its_style():
    root = picture({"yours": run()}, standalone=True)
    assert root.find(f"{SVG}style") is not None


def test_the_peak_is_marked_where_it_is_and_named():
    peak = {"phase": "backward", "module": "blocks.3", "operator": "gelu"}
    root = picture({"yours": run()}, peak=peak)
    assert "peak 10.0 MiB in backward of blocks.3: gelu" in texts(root)
    circle = root.find(f"{SVG}circle")
    assert circle is not None and float(circle.get("cx", 0)) == pytest.approx(52 + 0.5 * (888 - 52), abs=0.1)


@pytest.mark.parametrize(("name", "colour", "share"), [("reference", REFERENCE, 1.0), ("plain", OTHER, 4 / 7)])
def test_another_run_is_a_line_in_the_painting_too_whole_or_in_dashes(name, colour, share):
    """A level line above everything: dashes of 4 with gaps of 3, all of it for the reference."""
    level = timeline.build([("forward", 0), ("backward", 10)], range(20), {"temporary": [2**25] * 20})
    with Image.open(BytesIO(timeline.png({"yours": run(), name: level}, legend=False, scale=1))) as painted:
        wanted = ImageColor.getrgb(colour)
        near = [
            max(
                sum(abs(a - b) for a, b in zip(painted.getpixel((x, y)), wanted, strict=True)) < 120
                for y in range(24, 60)
            )
            for x in range(60, 880)
        ]
    assert sum(near) / len(near) == pytest.approx(share, abs=0.12)


def test_without_a_run_there_is_no_painting():
    assert timeline.png({}) == timeline.png({"yours": None}) == b""


def test_runs_of_different_length_line_up_by_phase():
    longer = timeline.build(
        [("forward", 0), ("backward", 30)],
        range(40),
        {"saved_activation": [2**20] * 30 + [2**24] * 10, "temporary": [0] * 40},
    )
    root = picture({"yours": run(), "plain": longer})
    line = next(path for path in root.iter(f"{SVG}path") if path.get("class") == "line line-plain")
    corners = [tuple(map(float, corner.split(","))) for corner in line.get("d", "")[1:].split("L")]
    jump = next(x for (x, y), (_, after) in pairwise(corners) if after < y)
    assert jump == pytest.approx(52 + 0.5 * (888 - 52), abs=0.1), "the other run's backward starts where ours does"


def test_names_from_outside_are_escaped():
    data = run()
    data["phases"][0]["name"] = "<b>&"
    drawn = timeline.svg({"yours": data, "<i>": run()}, peak={"phase": "x", "module": "<script>", "operator": '"'})
    assert "<script>" not in drawn and "<b>" not in drawn and "<i>" not in drawn
    ElementTree.fromstring(drawn)


def test_a_long_run_is_a_small_picture():
    total = [(i * 7919) % 2**24 for i in range(2000)]
    data = timeline.build([("forward", 0), ("backward", 900)], range(2000), dict.fromkeys(timeline.KINDS, total))
    assert len(timeline.svg({"yours": data, "plain": data, "reference": data})) < 250_000


def test_a_run_below_zero_and_an_empty_one_are_drawn_flat():
    for total in ([-5, -9], [0, 0]):
        data = timeline.build([("forward", 0)], [0, 1], {"temporary": total})
        assert "peak" in timeline.svg({"yours": data})
    assert timeline.svg({}) == "" and timeline.svg({"yours": None}) == ""


def test_the_table_tells_the_same_story():
    data = run()
    rows = timeline.rows(data, most=8)
    assert len(rows) <= 8
    assert [row["total"] for row in rows if row["peak"]] == [max(data["total"])]
    assert {row["phase"] for row in rows} == {"forward", "backward"}
    assert all(sum(row["live"].values()) == row["total"] for row in rows)


def test_the_csv_holds_every_point_of_every_run():
    lines = list(DictReader(StringIO(timeline.csv({"yours": run(), "plain": run(2), "reference": None}))))
    assert len(lines) == 40
    assert sum(int(line["total_bytes"]) for line in lines if line["run"] == "yours") == sum(run()["total"])
    assert all(
        int(line["saved_activation_bytes"]) + int(line["temporary_bytes"]) == int(line["total_bytes"]) for line in lines
    )
    assert lines[15]["phase"] == "backward"


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1023, "1.00 KiB"),
        (50_436_505, "48.1 MiB"),
        (191_260_262, "182 MiB"),
        (2**30, "1.00 GiB"),
        (-(2**20), "-1.00 MiB"),
        (5 * 2**50, "5,120 TiB"),
    ],
)
def test_bytes_are_written_to_three_digits(count, text):
    assert timeline.format_bytes(count) == text


def test_drawing_needs_no_torch():
    command = "import sys, grader.timeline; print('torch' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True, timeout=60)
    assert shown.stdout.strip() == "False"
