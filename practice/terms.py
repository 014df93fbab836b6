"""Take one key term's definition out of the rendered section that holds it."""

from __future__ import annotations

from html.parser import HTMLParser

_VOID = {"br", "hr", "img", "input", "wbr"}


class _Taker(HTMLParser):
    """Keeps the inside of the element with an id, as it was written, without the paragraph that names the term."""

    def __init__(self, anchor: str) -> None:
        super().__init__(convert_charrefs=False)
        self.anchor = anchor
        self.depth = 0
        self.name_depth = 0
        self.kept: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if not self.depth:
            if dict(attrs).get("id") == self.anchor:
                self.depth = 1
            return
        if tag not in _VOID:
            self.depth += 1
        if dict(attrs).get("class") == "term-name" and not self.name_depth:
            self.name_depth = self.depth
        self._keep(self.get_starttag_text() or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self.depth:
            self._keep(self.get_starttag_text() or "")

    def handle_endtag(self, tag: str) -> None:
        if not self.depth or tag in _VOID:
            return
        if self.depth > 1:
            self._keep(f"</{tag}>")
        if self.name_depth == self.depth:
            self.name_depth = 0
        self.depth -= 1

    def handle_data(self, data: str) -> None:
        self._keep(data)

    def handle_entityref(self, name: str) -> None:
        self._keep(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self._keep(f"&#{name};")

    def _keep(self, text: str) -> None:
        if self.depth and not self.name_depth:
            self.kept.append(text)


def definition(html: str, anchor: str) -> str:
    """Return the inside of the term `anchor` in a section's HTML, "" where it is not there."""
    taker = _Taker(anchor)
    taker.feed(html)
    taker.close()
    return "".join(taker.kept).strip()
