"""What courses may know of the labs: their slug, title and address, handed in by the project (COURSES_LABS).

`settings.COURSES_LABS` names a function that returns {slug: title}. Without it a lab is called by its slug, and
content checks leave slugs unchecked.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.utils.module_loading import import_string

from courses.authoring.links import ADDRESSES


@dataclass(frozen=True)
class LabLink:
    """A lab as courses show it."""

    slug: str
    title: str

    @property
    def url(self) -> str:
        return ADDRESSES["lab"].format(self.slug)


def titles() -> dict[str, str] | None:
    """Return the title of every lab by slug, or None where the project does not say."""
    name = getattr(settings, "COURSES_LABS", None)
    return import_string(name)() if name else None


def links(slugs: list[str]) -> list[LabLink]:
    """Return the labs that a page names, in its order."""
    known = titles()
    if known is None:
        return [LabLink(slug, slug) for slug in slugs]
    return [LabLink(slug, known[slug]) for slug in slugs if slug in known]
