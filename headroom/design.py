"""The design system as it is now: colours and type from the stylesheet, parts from the templates themselves."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from functools import cache

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_GET

from courses import calculators, drawing
from courses.models import Course, Lesson
from courses.timing import Clock
from grader.timeline import LABELS

TOKENS = settings.BASE_DIR / "assets" / "src" / "css" / "tokens.css"
GROUNDS = {"on-accent": "accent"}
"""What a colour stands on where that is not the paper."""

SURFACES = ("paper", "sheet", "mark", "select", "bad-sheet", "ok-sheet", "warn-sheet", "rule")


@dataclass(frozen=True)
class Colour:
    """One token: its values, and its contrast with the ground it is written on (WCAG 2.2), where it is written."""

    name: str
    light: str
    dark: str
    contrast: tuple[str, str] | None = None


@require_GET
def page(request: HttpRequest) -> HttpResponse:
    """Show the tokens, and every part in the states that it has. For staff."""
    light, dark = tokens()
    now = timezone.now()
    course = Course.objects.first()
    calculator = next(iter(calculators.all_calculators()))
    context = {
        "surfaces": [Colour(name, light[name], dark[name]) for name in SURFACES],
        "inks": [
            Colour(name, value, dark[name], _contrasts(name, light, dark))
            for name, value in light.items()
            if name not in SURFACES and not name.startswith("m-")
        ],
        "kinds": [(kind, words) for kind, words in LABELS.items()],
        "kind_colours": [Colour(name, light[name], dark[name]) for name in light if name.startswith("m-")],
        "tiers": ("open", "free", "premium"),
        "lessons": list(Lesson.objects.shown().select_related("phase")[:2]),
        "clocks": [Clock(now - timedelta(minutes=spent), 10, now) for spent in (2, 12)],
        "field": _Example({"name": ""})["name"],
        "calculator": drawing.context(calculator, {}),
        # our own drawing, made when the content was synced
        "figure": mark_safe(course.home_figure) if course else "",
    }
    return render(request, "design.html", context)


class _Example(forms.Form):
    name = forms.CharField(label="A field", help_text="What it is for.", error_messages={"required": "Say something."})


@cache
def tokens() -> tuple[dict[str, str], dict[str, str]]:
    """Return the colours of the stylesheet by name, light and dark, as #rrggbb."""
    first, _, second = TOKENS.read_text("utf-8").partition("prefers-color-scheme: dark")
    light, dark = (dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6})", text)) for text in (first, second))
    return light, dark


def _contrasts(name: str, *themes: dict[str, str]) -> tuple[str, str]:
    light, dark = (f"{contrast(theme[name], theme[GROUNDS.get(name, 'paper')]):.1f}" for theme in themes)
    return light, dark


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21 (WCAG 2.2, "contrast ratio")."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
