"""What people write cannot do anything: a corpus of attempts, read with a parser and by a browser."""

from __future__ import annotations

import json
import re
import time
from html.parser import HTMLParser

import pytest
from playwright.sync_api import Browser, Route

from discussion.markup import links_elsewhere, tidy, to_html
from tests.support.payloads import PAYLOADS

ALLOWED = {
    "p": set(), "br": set(), "em": set(), "strong": set(), "s": set(), "code": set(), "pre": {"tabindex"},
    "blockquote": set(), "ul": set(), "ol": {"start"}, "li": set(), "a": {"href", "rel"}, "hr": set(),
}  # fmt: skip


class Reader(HTMLParser):
    """Notes every tag and attribute, and everything else that is not text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.faults: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ALLOWED:
            self.faults.append(f"<{tag}>")
            return
        self.faults += [f"<{tag} {name}>" for name, _ in attrs if name not in ALLOWED[tag]]
        given = dict(attrs)
        if tag == "a":
            # without the white space that browsers leave out; the browser test below reads it as they do
            scheme = re.match(r"[a-z][a-z0-9+.-]*:", re.sub(r"\s", "", given.get("href") or "").lower())
            if scheme and scheme[0] not in ("http:", "https:"):
                self.faults.append(f"href={given['href']}")
            if set((given.get("rel") or "").split()) < {"nofollow", "ugc"}:
                self.faults.append("a link without nofollow ugc")
        if tag not in ("br", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> out of place")

    def handle_comment(self, data: str) -> None:
        self.faults.append("a comment")

    def handle_decl(self, decl: str) -> None:
        self.faults.append("a declaration")

    def handle_pi(self, data: str) -> None:
        self.faults.append("an instruction")


def faults(html: str) -> list[str]:
    reader = Reader()
    reader.feed(html)
    reader.close()
    return reader.faults + [f"<{tag}> left open" for tag in reader.open]


def test_the_corpus_is_large() -> None:
    assert len(set(PAYLOADS)) >= 150


@pytest.mark.parametrize("number", range(len(PAYLOADS)))
def test_no_attempt_leaves_more_than_the_few_tags(number: int) -> None:
    text = PAYLOADS[number]
    for written in (text, f"x {text} y", f"> {text}", f"- {text}", f"**{text}**", f"[{text}](https://a.example)"):
        html = to_html(tidy(written))
        assert faults(html) == [], html


def test_the_reader_of_this_test_would_see_it() -> None:
    for evil in ("<script>x</script>", "<p onclick=x>y</p>", "<a href='javascript:x'>y</a>", "<p>", "<!-- -->"):
        assert faults(evil)
    assert faults('<p>x <a href="https://a.example" rel="nofollow ugc noopener">y</a></p>') == []


def test_all_at_once_in_a_browser_nothing_runs(browser: Browser) -> None:
    """Without any content policy, so that only the cleaning stands in the way."""
    said = "".join(f"<article>{to_html(tidy(text))}</article>" for text in PAYLOADS)
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("dialog", lambda dialog: dialog.dismiss())

    def serve(route: Route) -> None:
        if route.request.url == "http://talk.test/":
            start = (
                "<!doctype html><meta charset=utf-8><script>window.ran = []; window.xss = () => ran.push(1)</script>"
            )
            route.fulfill(body=start + said, content_type="text/html; charset=utf-8")
        else:
            route.fulfill(status=404, body="")

    page.route("**/*", serve)
    page.goto("http://talk.test/")
    # every link is pressed, and every element is hovered over and focused
    page.evaluate(
        """() => { for (const one of document.querySelectorAll("article, article *")) {
            for (const name of ["mouseover", "mouseenter", "focus", "click", "toggle"]) {
                const event = new Event(name, {bubbles: true, cancelable: true});
                document.addEventListener("click", each => each.preventDefault(), {once: true});
                one.dispatchEvent(event);
            }
            if (one.protocol === "javascript:") one.click();
        } }"""
    )
    page.wait_for_timeout(500)
    assert page.evaluate("ran") == []
    assert errors == []
    found = page.evaluate(
        """() => [...document.querySelectorAll("article *")].map(one =>
            [one.localName, one.namespaceURI, [...one.attributes].map(each => each.name), one.protocol ?? ""])"""
    )
    assert len(found) > len(PAYLOADS)
    assert {name for name, *_ in found} <= set(ALLOWED)
    assert {space for _, space, *_ in found} == {"http://www.w3.org/1999/xhtml"}
    assert all(set(names) <= ALLOWED[name] for name, _, names, _ in found), json.dumps(found)
    assert {protocol for *_, protocol in found} <= {"", ":", "http:", "https:"}
    # the articles still lie side by side: nothing was closed that it did not open
    assert page.evaluate("document.querySelectorAll('body > article').length") == len(PAYLOADS)
    # and the control: the same page does run what is not cleaned
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=xss()>')")
    page.wait_for_function("ran.length === 1")
    page.close()


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a *b* **c** ~~d~~ `e`", "<p>a <em>b</em> <strong>c</strong> <s>d</s> <code>e</code></p>"),
        ("a\nb", "<p>a<br>\nb</p>"),
        ("```python\nx < 1\n```", '<pre tabindex="0"><code>x &lt; 1\n</code></pre>'),
        ("> a", "<blockquote>\n<p>a</p>\n</blockquote>"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"),
        ("3. a", '<ol start="3">\n<li>a</li>\n</ol>'),
        ("[a](/labs/)", '<p><a href="/labs/" rel="nofollow ugc noopener">a</a></p>'),
        ("<https://a.example>", '<p><a href="https://a.example" rel="nofollow ugc noopener">https://a.example</a></p>'),
        ("# include <a.h>", "<p># include &lt;a.h&gt;</p>"),
        ("saved_tensors_hooks 2*3*4", "<p>saved_tensors_hooks 2<em>3</em>4</p>"),
        ("<b>a</b> & c", "<p>&lt;b&gt;a&lt;/b&gt; &amp; c</p>"),
    ],
)
def test_what_it_is_for(text: str, html: str) -> None:
    assert to_html(text) == html


@pytest.mark.parametrize(
    ("text", "count"),
    [("none", 0), ("[a](/x) [b](#y) [c](/)", 0), ("[a](https://x.example)", 1), ("[a](//x.example)", 1),
     ("<https://x.example> <http://y.example>", 2), ("[a](/\\x.example)", 0), ("`<https://x.example>`", 0)],
)  # fmt: skip
def test_links_elsewhere(text: str, count: int) -> None:
    assert links_elsewhere(to_html(text)) == count


def test_text_that_would_turn_around_is_straightened() -> None:
    assert tidy("a\u202eb\u2066c\u200bd\x00\r\ne\rf") == "abcd\ne\nf"


WORST = {
    "brackets": "[" * 8000, "images": "![" * 4000, "links": "[a](" * 2000, "angles": "[a](<" * 1600,
    "emphasis": "*_" * 4000, "half emphasis": "**a *b " * 1100, "triple": "***a" * 2000, "ticks": "`a" * 4000,
    "growing ticks": " ".join("`" * n for n in range(1, 125)), "quotes": ">" * 8000,
    "lists": "\n".join(" " * n + "- a" for n in range(120)),
    "references": "[a]: " * 1600, "tildes": "~" * 8000, "spaces": " " * 7999 + "x", "lines": "\n" * 8000,
    "backslashes": "\\" * 8000, "tags": "<a " * 2600, "entities": "&#x" * 2600, "autolinks": "<http://" * 1000,
}  # fmt: skip


@pytest.mark.parametrize("name", WORST)
def test_the_worst_texts_take_a_moment(name: str) -> None:
    began = time.process_time()
    to_html(WORST[name])
    assert time.process_time() - began < 3
