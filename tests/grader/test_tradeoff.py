"""The plot of memory against work: artefacts read and written, found for a verdict, drawn. Nothing is metered."""

import csv
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
import torch

from grader import catalog, tradeoff
from grader.tradeoff import OWN, Point, Tradeoff, measuring

MIB = 2**20
MADE = Tradeoff(
    "chain",
    (
        Point("plain", "plain: everything kept", 100 * MIB, 1000),
        Point("full", "full: every block run again", 30 * MIB, 1333),
        Point("root", "square root: 4 segments run again", 40 * MIB, 1333),
        Point("selective", "selective: products kept", 60 * MIB, 1000),
    ),
    (
        Point("best", "best: 1 block kept", 25 * MIB, 1300),
        Point("best", "best: 4 blocks kept", 50 * MIB, 1150),
        Point("best", "best: everything kept", 100 * MIB, 1000),
    ),
    "python -m grader tradeoff some-lab",
    "2.13.0",
)
MINE = Point(OWN, "your run", 45 * MIB, 1200)
LABS = [lab for lab in catalog.all_labs() if tradeoff.load(lab)]


def texts(picture: str) -> dict[str, tuple[float, float]]:
    """Where each word of a picture stands."""
    found = ET.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")
    return {one.text or "": (float(one.get("x", 0)), float(one.get("y", 0))) for one in found}


def marks(picture: str, kind: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(rf'class="{kind}"[^>]*? d="M([\d.]+),([\d.]+)', picture)]


class TestArtefacts:
    def test_the_labs_about_schedules_have_one(self):
        wanted = {"checkpoint-function", "sqrt-segments", "selective-recompute", "byte-budget"}
        assert {lab.slug for lab in LABS} == wanted

    @pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.slug)
    def test_the_frontier_trades_work_for_bytes_and_no_whole_block_method_is_below_it(self, lab):
        for made in tradeoff.load(lab):
            assert [point.name for point in made.methods] == ["plain", "full", "root", "selective"]
            assert made.command == f"python -m grader tradeoff {lab.slug}"
            stair = [(point.peak_bytes, point.step_flops) for point in made.frontier]
            assert stair == sorted(stair) and [work for _, work in stair] == sorted({w for _, w in stair}, reverse=True)
            assert made.frontier[-1].step_flops == made.plain.step_flops
            for method in made.methods[:3]:
                within = [work for peak, work in stair if peak <= method.peak_bytes]
                assert within and min(within) <= method.step_flops, method

    def test_what_is_written_is_what_is_read(self, monkeypatch, tmp_path):
        lab = replace(catalog.get("sqrt-segments"), folder=tmp_path)
        sizes = [{"name": "small"}, {"name": "chain"}]
        monkeypatch.setattr(measuring, "sizes", lambda lab: sizes)
        monkeypatch.setattr(measuring, "measure", lambda lab, case: replace(MADE, case=case["name"]))
        made = measuring.write(lab)
        assert [one.case for one in made] == ["small", "chain"]
        command = "python -m grader tradeoff sqrt-segments"
        version = torch.__version__.partition("+")[0]
        assert tradeoff.load(lab) == [replace(one, command=command, torch=version) for one in made]


class TestFind:
    @pytest.fixture
    def lab(self):
        return catalog.get("sqrt-segments")

    def test_a_verdict_finds_the_size_that_it_measured(self, lab):
        for made in tradeoff.load(lab):
            assert tradeoff.find(lab, made.plain.peak_bytes, made.plain.step_flops) == made
            assert tradeoff.find(lab, int(made.plain.peak_bytes * 1.005), made.plain.step_flops) == made

    @pytest.mark.parametrize(("peak", "flops"), [(1.02, 1.0), (1.0, 1.0001), (0, 1.0), (1.0, 0)])
    def test_another_update_finds_nothing(self, lab, peak, flops):
        plain = tradeoff.load(lab)[0].plain
        assert tradeoff.find(lab, int(plain.peak_bytes * peak), int(plain.step_flops * flops)) is None

    def test_a_verdict_without_figures_and_a_lab_without_artefact_have_none(self, lab):
        assert tradeoff.find(lab, None, None) is None
        assert tradeoff.load(catalog.get("kv-cache")) == []


class TestPicture:
    def test_more_bytes_lie_to_the_right_and_more_work_higher(self):
        plain, full, root, selective = marks(tradeoff.svg(MADE), "method")
        assert full[0] < root[0] < selective[0] < plain[0]
        assert max(full[1], root[1]) < min(plain[1], selective[1]) - 100  # y grows downwards

    def test_ones_own_run_is_named_and_drawn_once(self):
        picture = tradeoff.svg(MADE, MINE)
        assert picture.count('class="mine"') == 1 and "this run" in texts(picture)
        assert 'class="mine"' not in tradeoff.svg(MADE)

    @pytest.mark.parametrize("size", [(720, 340), (340, 320)])
    @pytest.mark.parametrize("share", [0.25, 0.3, 0.4, 0.6, 0.97, 1.0, 1.6])
    def test_words_lie_inside_and_clear_of_each_other(self, size, share):
        own = replace(MINE, peak_bytes=int(share * 100 * MIB))
        picture = tradeoff.svg(MADE, own, *size)
        named = {
            word: at for word, at in texts(picture).items() if word in (*tradeoff.drawing.SHORT.values(), "best found")
        }
        assert len(named) == 6
        boxes = [(x, y - 11, x + 6.7 * len(word), y + 3) for word, (x, y) in named.items()]
        for number, box in enumerate(boxes):
            assert box[0] > 40 and box[2] <= size[0] and box[1] > 0 and box[3] < size[1]
            for other in boxes[number + 1 :]:
                assert box[2] <= other[0] or other[2] <= box[0] or box[3] <= other[1] or other[3] <= box[1], named

    def test_every_point_says_its_figures(self):
        said = tradeoff.svg(MADE, MINE)
        assert "<title>your run: 45.0 MiB, 20 % of the work again</title>" in said
        assert said.count("<title>") == 8

    def test_it_holds_no_style_attribute_and_is_wellformed(self):
        for standalone in (True, False):
            picture = tradeoff.svg(MADE, MINE, standalone=standalone)
            ET.fromstring(picture)
            assert " style=" not in picture and ("<style>" in picture) == standalone


def test_the_csv_holds_every_point():
    rows = list(csv.DictReader(tradeoff.csv(MADE, MINE).splitlines()))
    assert len(rows) == 8
    assert rows[0] == {
        "run": "your run", "peak_bytes": str(45 * MIB), "step_flops": "1200", "repeated_fraction": "0.200000",
    }  # fmt: skip
