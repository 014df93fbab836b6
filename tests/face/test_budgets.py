"""What a page costs whoever opens it first: bytes of script as they travel, and how far things move while it loads."""

from __future__ import annotations

import gzip

import pytest
from playwright.sync_api import Browser, Response

from tests.face.site import LAB, LESSON, PREMIUM, Site
from tests.face.walk import PHONE, WIDE

LESSONS = (LESSON, "activation-checkpointing", "kv-cache")
SHIFTS = """() => new Promise(done => {
    let sum = 0;
    const watch = list => list.getEntries().forEach(each => { if (!each.hadRecentInput) sum += each.value; });
    new PerformanceObserver(watch).observe({type: "layout-shift", buffered: true});
    document.fonts.ready.then(() => setTimeout(() => done(sum), 500));
})"""


def script_bytes(browser: Browser, site: Site, path: str) -> int:
    """Return the bytes of all scripts that a first visit loads, compressed as the site sends them."""
    context = site.context(browser, PREMIUM)
    page = context.new_page()
    scripts: list[Response] = []
    page.on("response", lambda one: scripts.append(one) if one.request.resource_type == "script" else None)
    page.goto(path, wait_until="networkidle")
    inline = page.evaluate("[...document.scripts].filter(one => !one.src).map(one => one.text)")
    total = sum(len(gzip.compress(each, 9)) for each in [*(one.body() for one in scripts), *map(str.encode, inline)])
    context.close()
    assert len(scripts) > 1
    return total


def test_a_lesson_loads_at_most_60_kilobytes_of_script(browser: Browser, site: Site) -> None:
    assert script_bytes(browser, site, f"/lessons/{LESSON}/") <= 60_000


@pytest.mark.parametrize("path", [f"/labs/{LAB}/", "passed"])
def test_a_lab_and_its_verdict_load_at_most_250_kilobytes_of_script(browser: Browser, site: Site, path: str) -> None:
    assert script_bytes(browser, site, site.at.get(path, path)) <= 250_000


@pytest.mark.parametrize("width, height", [WIDE, PHONE])
@pytest.mark.parametrize("lesson", LESSONS)
def test_nothing_moves_while_a_lesson_loads(browser: Browser, site: Site, lesson: str, width: int, height: int) -> None:
    """Fonts and formulas come late on purpose: after the first paint, as over a slow line."""
    context = site.context(browser, PREMIUM, viewport={"width": width, "height": height})
    page = context.new_page()
    page.route("**/*.woff2", lambda route: (page.wait_for_timeout(300), route.continue_()))
    page.goto(f"/lessons/{lesson}/")
    moved = page.evaluate(SHIFTS)
    context.close()
    assert moved < 0.02


def test_what_moves_is_found(browser: Browser, site: Site) -> None:
    context = site.context(browser, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.add_init_script("setTimeout(() => { document.querySelector('main').style.paddingTop = '300px'; }, 400)")
    page.goto(f"/lessons/{LESSON}/")
    moved = page.evaluate(SHIFTS)
    context.close()
    assert moved > 0.02
