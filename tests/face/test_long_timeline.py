"""A timeline of twelve thousand moments on a verdict's page: small enough, read by keys and as a table, saved.

A grading keeps at most `MOST_POINTS` moments; whatever an older or another grader keeps has to be readable too.
"""

import gzip
import math
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from grader import timeline
from grader.verdict import Measurements, Outcome, Verdict
from labs import verdict_page
from tests.face.conftest import Stage

POINTS, SPIKE = 12_000, 9_137
MIB = 2**20

PICTURE_BYTES = 80_000
"""Most that the server's picture may weigh, however many moments there are."""
FIGURE_BYTES = 300_000
"""Most that the figure may weigh on the way, compressed: picture, table and every moment of three runs."""
DRAWN_BYTES = 400_000
"""Most characters of the paths that the browser draws at 1,200 pixels."""


def run(points: int, scale: int, spike: int | None = None) -> dict[str, Any]:
    """A run that saves activations, then replays block by block: a saw on a hill, and one moment above all."""
    half, saved, replay, gradient = points // 2, [], [], []
    for n in range(points):
        hill = n / half if n < half else (points - n) / (points - half)
        saved.append(int(scale * 100 * MIB * hill) + 37 * (n % 11))
        replay.append(0 if n < half else int(scale * 8 * MIB * abs(math.sin(n / 40))) + 512 * (n % 7))
        gradient.append(0 if n < half else scale * MIB * (n - half) // half)
    if spike is not None:
        replay[spike] = 400 * scale * MIB
    live = {"saved_activation": saved, "replay_workspace": replay, "gradient": gradient}
    return timeline.build([("forward", 0), ("backward", half)], range(points), live)


@pytest.fixture(scope="module")
def context() -> dict[str, Any]:
    """What the verdict's page gives the template of the figure."""
    timelines = {"yours": run(POINTS, 1, SPIKE), "plain": run(POINTS + 500, 3), "reference": run(POINTS - 800, 1)}
    peak = max(timelines["yours"]["total"])
    measured = Measurements(peak_bytes=peak, plain_peak_bytes=max(timelines["plain"]["total"]))
    where = {"bytes": peak, "phase": "backward", "module": "blocks.3"}
    verdict = Verdict("some-lab", Outcome.PASSED, measurements=measured, timeline=timelines, peak=where)
    return {
        "verdict": verdict,
        "submission": {"lab": "some-lab", "public_id": "b" * 16},
        "lab_title": "A lab",
        "plot": verdict_page.picture(verdict),
        "plot_data": verdict_page.plot_data(verdict),
        "peak_text": verdict_page.peak_text(verdict),
        "kinds": verdict_page.kinds(timelines["yours"]),
        "moments": verdict_page.moments(timelines["yours"]),
    }


@pytest.fixture
def page(stage: Stage, context: dict[str, Any]) -> Page:
    shown = stage.show('<h1>A run</h1>{% include "labs/timeline.html" %}', ["timeline.js"], **context)
    expect(shown.get_by_role("slider")).to_be_visible()
    return shown


def said(page: Page) -> str:
    return page.get_by_role("slider").get_attribute("aria-valuetext") or ""


def test_picture_and_figure_stay_small(stage: Stage, context: dict[str, Any]) -> None:
    assert len(context["plot"]) < PICTURE_BYTES
    stage.show('<h1>A run</h1>{% include "labs/timeline.html" %}', [], **context)
    figure = stage.page.locator("figure").evaluate("one => one.outerHTML").encode()
    assert len(gzip.compress(figure, 6)) < FIGURE_BYTES


def test_what_is_drawn_depends_on_the_screen_and_not_on_the_moments(page: Page) -> None:
    drawn = page.locator(".plotbox path").evaluate_all("all => all.map(one => one.getAttribute('d')?.length ?? 0)")
    assert 1_000 < sum(drawn) < DRAWN_BYTES


def test_the_one_moment_above_all_is_drawn_and_named(page: Page) -> None:
    expect(page.locator(".peaktext")).to_contain_text("in backward of blocks.3")
    top = page.locator("circle.peak").get_attribute("cy")
    heights = [
        float(height)
        for path in page.locator("path.m-replay_workspace").evaluate_all("all => all.map(one => one.getAttribute('d'))")
        for height in re.findall(r",([\d.]+)", path)
    ]
    assert min(heights) == pytest.approx(float(top or 0), abs=2)  # gradients lie on top of it


def test_every_moment_is_reached_by_keys(page: Page) -> None:
    page.get_by_role("slider").focus()
    assert f"moment {SPIKE + 1:,} of 12,000, the peak" in said(page)
    for key, moment in (
        ("ArrowRight", SPIKE + 2),
        ("PageUp", SPIKE + 52),
        ("Home", 1),
        ("End", POINTS),
        ("p", SPIKE + 1),
    ):
        page.keyboard.press(key)
        assert f"moment {moment:,} of 12,000" in said(page), key


def test_the_table_tells_the_story_in_few_rows_with_the_peak(page: Page) -> None:
    page.get_by_text("The same as a table").click()
    rows = page.locator("table.moments tbody tr")
    assert 10 < rows.count() <= 45
    expect(page.locator("tr.at-peak th")).to_have_text(f"{SPIKE} (peak)")


def test_it_is_saved_as_png(page: Page) -> None:
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as PNG").click()
    content = Path(download.value.path()).read_bytes()
    assert content.startswith(b"\x89PNG") and len(content) > 20_000


def test_the_csv_that_the_server_sends_and_the_one_made_here_hold_every_moment(
    stage: Stage, context: dict[str, Any]
) -> None:
    runs = verdict_page.runs(context["verdict"])
    lines = 1 + POINTS + (POINTS + 500) + (POINTS - 800)
    assert timeline.csv(runs).count("\n") == lines
    figure = '<h1>A run</h1><figure data-timeline data-name="long">{{ plot|safe }}{{ plot_data|json_script }}</figure>'
    page = stage.show(figure, ["timeline.js"], **context)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    assert Path(download.value.path()).read_text().count("\n") == lines
