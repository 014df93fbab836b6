"""Every kind of page: axe finds nothing against WCAG 2.2 AA in light, dark and on a phone; nothing scrolls sideways,
nothing complains, and nothing is asked of another host."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from courses import calculators
from tests.face import walk
from tests.face.site import Site


@pytest.fixture(scope="module")
def page_of(browser: Browser, site: Site) -> Iterator[Callable[[str], Page]]:
    """The page of a person: one for all of their visits."""
    pages: dict[str, Page] = {}

    def of(person: str) -> Page:
        if person not in pages:
            pages[person] = site.context(browser, person).new_page()
        return pages[person]

    yield of
    for page in pages.values():
        page.context.close()


@pytest.mark.long
@pytest.mark.parametrize("visit", walk.VISITS, ids=str)
def test_a_page_is_without_fault(visit: walk.Visit, page_of: Callable[[str], Page], site: Site) -> None:
    assert walk.look(page_of(visit.person), visit, site) == []


def test_every_calculator_is_walked() -> None:
    assert set(walk.CALCULATORS) == {each.id for each in calculators.all_calculators()}


def test_what_is_wrong_is_found(page_of: Callable[[str], Page], site: Site) -> None:
    """A page with one fault of each kind: who finds nothing there would find nothing anywhere."""
    spoil: Any = """() => {
        document.querySelector("main").innerHTML = `<img src="/static/icon.svg"><p style="">pale</p>
            <button>a</button><button>b</button><div>wide</div>`;
        document.querySelector("main p").style.color = "#bbb";
        document.querySelectorAll("main button").forEach(one => one.style.cssText = "all: unset; font-size: 9px");
        document.querySelector("main div").style.width = "500px";
        console.error("spoilt");
        fetch("http://elsewhere.test/").catch(() => {});
    }"""
    visit = walk.Visit("/plans/", do=lambda page: page.evaluate(spoil))
    faults = walk.look(page_of(visit.person), visit, site)
    for fault in ("image-alt", "color-contrast", "target-size", "wider than the screen", "spoilt", "elsewhere.test"):
        assert any(fault in each for each in faults), (fault, faults)
