"""Memory against work in a browser: legible at the width of the screen, and saved as PNG."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from grader import tradeoff
from tests.face.conftest import Stage
from tests.grader.test_tradeoff import MADE, MINE

FIGURE = (
    '<h1>A run</h1><figure data-plot data-title="A lab" data-name="a run"><div class="at-wide">{{ wide|safe }}</div>'
    '<div class="at-narrow">{{ narrow|safe }}</div><figcaption>Your run.</figcaption></figure>'
)


@pytest.fixture
def page(stage: Stage) -> Page:
    narrow = tradeoff.svg(MADE, MINE, 340, 320, prefix="narrow")
    return stage.show(FIGURE, ["timeline.js"], wide=tradeoff.svg(MADE, MINE), narrow=narrow)


@pytest.mark.parametrize(("width", "shown", "hidden"), [(1200, "wide", "narrow"), (360, "narrow", "wide")])
def test_the_picture_fits_the_screen_and_its_words_stay_legible(
    page: Page, width: int, shown: str, hidden: str
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    expect(page.locator(f".at-{shown} svg")).to_be_visible()
    expect(page.locator(f".at-{hidden} svg")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") == width
    word = page.locator(f".at-{shown} text", has_text="this run").bounding_box()
    assert word and word["height"] >= 11


def test_the_stair_and_ones_own_run_have_their_colours(page: Page) -> None:
    tell = "one => [getComputedStyle(one).stroke, getComputedStyle(one).fill]"
    assert page.locator(".at-wide path.frontier").evaluate(tell) == ["rgb(23, 112, 74)", "none"]
    assert page.locator(".at-wide path.mine").evaluate(tell)[1] == "rgb(11, 92, 138)"


@pytest.mark.parametrize("width", [1200, 360])
def test_the_png_is_a_picture_of_what_is_shown(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as PNG").click()
    content = Path(download.value.path()).read_bytes()
    assert download.value.suggested_filename == "a-run.png"
    assert content.startswith(b"\x89PNG") and len(content) > 8_000
    assert int.from_bytes(content[16:20], "big") == 2 * (720 if width > 500 else 340)


def test_what_has_a_table_and_no_file_is_saved_as_csv_with_exact_numbers(stage: Stage) -> None:
    table = (
        '<table><tr><th>Run</th><th>Peak</th></tr><tr><th>A "b"</th><td title="2,097,152 bytes">2 MiB</td></tr></table>'
    )
    page = stage.show(FIGURE.replace("</figure>", f"{table}</figure>"), ["timeline.js"], wide=tradeoff.svg(MADE, MINE))
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    assert Path(download.value.path()).read_text() == '"Run","Peak"\n"A ""b""","2,097,152 bytes"\n'
