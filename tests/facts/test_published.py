"""What pages print of others' figures is listed with its source, and stands there as listed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from courses.calculators import hardware

HERE = Path(__file__).parent
CONTENT = HERE.parents[1] / "courses" / "content"
PUBLISHED = yaml.safe_load((HERE / "published.yaml").read_text())
PAGES = {
    re.search(r"^id: (.+)$", text, re.M)[1]: text  # type: ignore[index]
    for text in (path.read_text() for path in CONTENT.glob("*/*.md"))
}


@pytest.mark.parametrize("figure", PUBLISHED["figures"], ids=lambda figure: figure["says"])
def test_a_published_figure_stands_in_its_pages_as_listed(figure: dict[str, Any]) -> None:
    for page in figure["pages"]:
        assert figure["says"] in " ".join(PAGES[page].split()), f"{page} does not say “{figure['says']}”"
    assert figure["check"] in ("recomputed", "copied", "single") and figure["source"]


def test_every_memory_rate_is_listed() -> None:
    listed = {device: rate * 1e12 for device, rate in PUBLISHED["memory_rates"]["rates"].items()}
    assert listed == pytest.approx(hardware.MEMORY_BYTES_PER_S)


def test_the_configuration_of_mosaics_70b_gives_its_printed_parameters() -> None:
    """Biases everywhere, norms with a shift, learned positions, one table for input and output."""
    fact = PUBLISHED["mpt_70b"]
    h, layers = fact["width"], fact["layers"]
    layer = 12 * h * h + 9 * h + 4 * h  # 4 + 4 + 4 matrices; biases of 3 + 1 + 4 + 1 widths; two norms
    tables = (fact["vocabulary"] + fact["positions"]) * h
    assert layers * layer + tables + 2 * h == fact["parameters"]
