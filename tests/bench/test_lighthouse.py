"""What Lighthouse says becomes rows with their aims; a page that misses one is named, with the reason."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bench import lighthouse, results

GOOD = {"performance": 95, "accessibility": 100, "best-practices": 100, "seo": 100}
METRICS = {"largest-contentful-paint": 1200.0, "total-blocking-time": 0.0, "cumulative-layout-shift": 0.0}


def run(**scores: int) -> dict[str, Any]:
    return {"page": "home", "scores": GOOD | scores, "metrics": METRICS, "faults": []}


def test_a_page_that_meets_its_aims_has_rows_and_misses_nothing() -> None:
    rows = lighthouse.rows_of("home", [run(), run(performance=99), run(performance=97)])
    assert [row["name"] for row in rows][:2] == ["home: performance", "home: accessibility"]
    assert (rows[0]["median"], rows[0]["low"], rows[0]["high"], rows[0]["n"]) == (97, 95, 99, 3)
    assert not results.missed(rows) and len(rows) == 7


@pytest.mark.parametrize(
    ("score", "value"), [("performance", 94), ("accessibility", 99), ("seo", 99), ("best-practices", 96)]
)
def test_one_point_less_is_a_miss(score: str, value: int) -> None:
    rows = lighthouse.rows_of("home", [run(**{score: value})])
    assert [row["name"] for row in rows if row["met"] is False] == [f"home: {score}"]


def test_what_took_something_is_said_with_its_places() -> None:
    fault = {"category": "seo", "id": "link-text", "title": "Bad links", "shown": "1 link", "places": ["<a>", ""]}
    assert lighthouse.said(fault) == "seo: Bad links (link-text) 1 link <a>"


def test_the_version_is_pinned_once() -> None:
    wanted = json.loads((lighthouse.HERE / "package.json").read_text())["dependencies"]
    locked = json.loads((lighthouse.HERE / "package-lock.json").read_text())["packages"]
    assert locked["node_modules/lighthouse"]["version"] == wanted["lighthouse"]
    assert wanted.keys() >= {"lighthouse", "chrome-launcher"}
    assert all(each.get("integrity") for name, each in locked.items() if name)
