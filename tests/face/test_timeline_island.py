"""The memory timeline in a browser: read by pointer and keys, switched by kind, saved as PNG and CSV."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from grader import timeline
from tests.face.conftest import Stage

MIB = 2**20
ZERO = {kind: [0] * 6 for kind in timeline.KINDS}


def run(**live: list[int]) -> dict[str, Any]:
    phases = [("forward", 0), ("backward", 3)]
    return timeline.build(phases, range(6), ZERO | {kind: [n * MIB for n in values] for kind, values in live.items()})


RUNS = {
    "yours": run(saved_activation=[1, 2, 3, 3, 2, 0], replay_workspace=[0, 0, 0, 5, 3, 0], gradient=[0, 0, 0, 0, 1, 2]),
    "plain": run(saved_activation=[4, 8, 12, 10, 5, 0]),
}
FIGURE = (
    '<h1>A run</h1><figure data-timeline data-name="a run">{{ svg|safe }}{{ data|json_script }}'
    "<figcaption>One update.</figcaption></figure>"
)


@pytest.fixture
def page(stage: Stage) -> Page:
    svg = timeline.svg(RUNS, peak={"phase": "backward", "module": "blocks.3", "operator": "mm"})
    shown = stage.show(FIGURE, ["timeline.js"], svg=svg, data=RUNS)
    expect(shown.get_by_role("slider")).to_be_visible()
    return shown


def said(page: Page) -> str:
    return page.get_by_role("slider").get_attribute("aria-valuetext") or ""


def test_it_names_the_peak_as_the_server_did(page: Page) -> None:
    expect(page.locator(".peaktext")).to_have_text("peak 8.00 MiB in backward of blocks.3: mm")


def test_it_begins_at_the_peak_and_reads_every_kind(page: Page) -> None:
    page.get_by_role("slider").focus()
    assert said(page).startswith("backward, moment 4 of 6, the peak: 8.00 MiB (8,388,608 bytes)")
    assert "saved activations 3.00 MiB" in said(page)
    assert "replay workspace 5.00 MiB" in said(page)
    assert "plain run 10.0 MiB" in said(page)


def test_keys_move_through_the_moments_and_stop_at_the_ends(page: Page) -> None:
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    assert "moment 5 of 6" in said(page)
    page.keyboard.press("Shift+ArrowRight")
    assert "moment 6 of 6" in said(page)
    page.keyboard.press("Home")
    assert "forward, moment 1 of 6" in said(page)
    page.keyboard.press("ArrowLeft")
    assert "moment 1 of 6" in said(page)
    page.keyboard.press("p")
    assert "the peak" in said(page)
    expect(page.locator(".reading")).to_have_text(said(page))


def test_the_pointer_reads_the_moment_under_it(page: Page) -> None:
    box = page.locator(".plotbox").bounding_box()
    assert box
    page.mouse.move(box["x"] + 60, box["y"] + 50)
    assert "forward, moment 1 of 6" in said(page)


def test_a_kind_can_be_taken_out_and_the_peak_is_then_not_claimed(page: Page) -> None:
    expect(page.locator("path.m-replay_workspace")).to_have_count(1)
    page.get_by_label("replay workspace").uncheck()
    expect(page.locator("path.m-replay_workspace")).to_have_count(0)
    expect(page.locator(".peaktext")).to_have_count(0)
    page.get_by_label("replay workspace").check()
    expect(page.locator(".peaktext")).to_have_count(1)


def test_it_is_drawn_at_the_width_of_the_screen(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 780})
    expect(page.locator(".plotbox svg")).to_have_attribute("width", re.compile(r"^3[0-3]\d$"))
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert page.locator(".plotbox text").first.evaluate("one => getComputedStyle(one).fontSize") == "12px"


def test_the_csv_holds_every_point_of_every_run(page: Page, tmp_path: Path) -> None:
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    assert download.value.suggested_filename == "a-run.csv"
    lines = Path(download.value.path()).read_text().splitlines()
    assert lines[0].startswith("run,point,phase,total_bytes,saved_activation_bytes")
    assert len(lines) == 1 + 6 + 6
    assert lines[4].startswith(f"yours,3,backward,{8 * MIB},{3 * MIB},{5 * MIB}")


def test_the_png_is_a_picture_of_the_plot(page: Page) -> None:
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as PNG").click()
    content = Path(download.value.path()).read_bytes()
    assert content.startswith(b"\x89PNG")
    assert int.from_bytes(content[16:20], "big") == 2 * page.locator(".plotbox").evaluate("one => one.clientWidth")


def test_without_script_the_picture_of_the_server_stays(stage: Stage) -> None:
    page = stage.show(FIGURE, [], svg=timeline.svg(RUNS), data=RUNS)
    expect(page.locator("figure > svg.plot")).to_be_visible()
    assert json.loads(page.locator("figure script").inner_text())["yours"]["total"] == RUNS["yours"]["total"]
