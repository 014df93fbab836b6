"""Text can be read on everything it stands on, in light and in dark (WCAG 2.2, 1.4.3 and 1.4.11)."""

import re
from pathlib import Path

import pytest

CSS = Path(__file__).resolve().parents[2] / "assets" / "src" / "css"


def tokens() -> dict[str, dict[str, str]]:
    light: dict[str, str] = {}
    dark: dict[str, str] = {}
    for name in ("tokens.css", "code.css"):
        text = (CSS / name).read_text()
        first, _, second = text.partition("prefers-color-scheme: dark")
        light |= dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6})", first))
        dark |= dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6})", second))
    return {"light": light, "dark": dark}


THEMES = tokens()
GROUNDS = ("paper", "sheet")
TEXTS = ("ink", "ink-2", "ink-3", "link", "peak", "ok", "warn", "c-key", "c-str", "c-num", "c-def", "c-note")
PAIRS = [(text, ground) for text in TEXTS for ground in GROUNDS] + [
    ("on-accent", "accent"),
    ("ink", "mark"),
    ("ink", "select"),
    ("ink", "bad-sheet"),
    ("ink", "ok-sheet"),
    ("ink", "warn-sheet"),
]
EDGES = [("edge", ground) for ground in GROUNDS] + [("accent", ground) for ground in GROUNDS]


def luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_of_black_on_white_is_21() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("text", "ground"), PAIRS)
def test_text_has_a_contrast_of_at_least_4_5(theme: str, text: str, ground: str) -> None:
    colours = THEMES[theme]
    assert contrast(colours[text], colours[ground]) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("edge", "ground"), EDGES)
def test_edges_of_fields_and_focus_have_a_contrast_of_at_least_3(theme: str, edge: str, ground: str) -> None:
    colours = THEMES[theme]
    assert contrast(colours[edge], colours[ground]) >= 3


def test_both_themes_give_every_colour() -> None:
    assert THEMES["light"].keys() == THEMES["dark"].keys()
