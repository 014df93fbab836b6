"""Where links lead: `lesson:kv-cache` to an address, and a problem for what leads nowhere."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass

from .problems import AuthorError, one_of

ADDRESSES = {
    "lesson": "/lessons/{}/",
    "question": "/questions/{}/",
    "calculator": "/calculators/{}/",
    "lab": "/labs/{}/",
}
_SCHEME = re.compile(r"(?P<kind>[a-z]+):(?P<id>[a-z0-9-]+)(?P<anchor>#[\w-]+)?")
_PATH = re.compile(r"/(?P<kind>lesson|question|calculator|lab)s/(?P<id>[a-z0-9-]+)/(?P<anchor>#[\w-]+)?")
_LISTS = ("/", "/course/", "/questions/", "/calculators/", "/labs/")


def slugify(words: str) -> str:
    """Make an id of words: `What autograd saves` becomes `what-autograd-saves`."""
    plain = re.sub(r"<[^>]*>|[`'’]", "", words)
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-") or "part"


@dataclass(frozen=True)
class Known:
    """The ids that exist, by kind. A kind that is absent is not checked (a site without labs)."""

    ids: Mapping[str, Set[str]]

    def check(self, kind: str, ident: str) -> None:
        """Raise AuthorError unless there is a `kind` with this id."""
        if kind in self.ids and ident not in self.ids[kind]:
            raise AuthorError(f"there is no {kind} “{ident}”", one_of(self.ids[kind], ident))


def resolve(href: str, known: Known) -> str:
    """Return the address that `href` stands for. Raises AuthorError where it leads nowhere; `#ids` are the caller's."""
    if href.startswith(("https://", "#", "mailto:")) or href in _LISTS:
        return href
    match = _PATH.fullmatch(href) or _SCHEME.fullmatch(href)
    if match is None or match["kind"] not in ADDRESSES:
        raise AuthorError(
            f"the link “{href}” leads nowhere", "write lesson:id, question:id, calculator:id, lab:id or https://…"
        )
    known.check(match["kind"], match["id"])
    return ADDRESSES[match["kind"]].format(match["id"]) + (match["anchor"] or "")
