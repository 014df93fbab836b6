"""Drafts that meet in the editor: two tabs are merged or chosen between, and what is replaced stays below it."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.face.conftest import Stage

FORM = """<h1>A lab</h1><form method="post" action="/labs/some-lab/send/">
<input type="hidden" name="revision" value="3">
<label for="code">Your module</label>
<textarea id="code" name="code" data-editor="python" data-draft-url="/draft/" data-merge-url="/merge/"
data-revision="3">
mine = 1
</textarea><button type="button" data-reset="starter" hidden>Reset</button></form>
<details class="aside" data-aside="code"{{ attributes }}><summary>Code that was replaced is kept here</summary>
<pre>{{ aside }}</pre>
<form method="post" action="/aside/"><button name="do" value="swap">Put it back into the editor</button>
<button name="do" value="drop">Forget it</button></form></details>
<template id="starter"># start here
</template>"""


class Site:
    """What the server would answer, and what it was told."""

    def __init__(self, stage: Stage) -> None:
        self.stage, self.saved, self.other = stage, [], None  # type: ignore[var-annotated]
        stage.answers["/draft/"] = self.save
        stage.answers["/merge/"] = self.merge

    def save(self, fields: dict[str, str]) -> tuple[int, Any]:
        if self.other is not None:
            other, self.other = self.other, None
            self.stage.complaints.clear()
            return 409, {"yours": fields["text"], "theirs": other, "revision": 9}
        self.saved.append(fields)
        return 200, {"revision": int(fields["revision"]) + 1}

    def merge(self, fields: dict[str, str]) -> tuple[int, Any]:
        self.asked = fields
        shown = '<table class="diff"><tr><td>other = 1</td></tr></table>'
        merged = f"<<<<<<< this editor\n{fields['text']}=======\nother = 1\n>>>>>>> the other\n"
        return 200, {"merged": merged, "sentence": "Merged. In one place …", "differences": shown}


@pytest.fixture
def site(stage: Stage) -> Site:
    return Site(stage)


@pytest.fixture
def page(stage: Stage, site: Site) -> Page:
    return opened(stage, attributes=" hidden")


def opened(stage: Stage, **context: str) -> Page:
    page = stage.show(FORM, ["editor.js"], **context)
    page.locator(".cm-content").click()
    page.keyboard.press("Control+Home")
    return page


def meet(stage: Stage, site: Site, page: Page) -> None:
    """Type, and save where another tab has saved other code."""
    site.other = "other = 1\n"
    page.keyboard.type("z")
    page.keyboard.press("Control+s")
    expect(page.get_by_role("alert")).to_contain_text("Another tab or device")
    stage.complaints.clear()  # the browser notes the 409


def code(page: Page) -> str:
    return page.locator("#code").input_value()


def test_two_tabs_are_shown_side_by_side_and_merged(stage: Stage, site: Site, page: Page) -> None:
    meet(stage, site, page)
    expect(page.locator(".note .diff")).to_have_text("other = 1")
    assert site.asked == {"text": "zmine = 1\n", "base": "mine = 1\n"}
    page.get_by_role("button", name="Merge the two").click()
    expect(page.locator("input[name=revision]")).to_have_value("10")
    assert code(page) == "<<<<<<< this editor\nzmine = 1\n=======\nother = 1\n>>>>>>> the other\n"
    assert site.saved == [{"text": code(page), "revision": "9", "aside": "zmine = 1\n"}]


def test_what_is_typed_while_the_choice_stands_is_merged_too(stage: Stage, site: Site, page: Page) -> None:
    meet(stage, site, page)
    page.keyboard.type("yy")
    page.get_by_role("button", name="Merge the two").click()
    expect(page.locator("input[name=revision]")).to_have_value("10")
    assert "zyymine = 1" in code(page)


def test_what_is_left_to_choose_is_said_until_it_is_chosen(stage: Stage, site: Site, page: Page) -> None:
    meet(stage, site, page)
    page.get_by_role("button", name="Merge the two").click()
    expect(page.get_by_text("Draft saved,")).to_be_visible()
    expect(page.get_by_text("Merged. In one place …")).to_be_visible()
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    expect(page.get_by_text("Merged. In one place …")).to_have_count(0)


@pytest.mark.parametrize(
    ("choice", "text", "aside"),
    [
        ("Keep what is in this editor", "zmine = 1\n", "other = 1\n"),
        ("Take the other", "other = 1\n", "zmine = 1\n"),
    ],
)
def test_the_text_that_goes_is_kept(stage: Stage, site: Site, page: Page, choice: str, text: str, aside: str) -> None:
    meet(stage, site, page)
    page.get_by_role("button", name=choice).click()
    expect(page.locator("input[name=revision]")).to_have_value("10")
    assert site.saved == [{"text": text, "revision": "9", "aside": aside}]
    page.get_by_text("Code that was replaced").click()
    expect(page.locator(".aside pre")).to_have_text(aside)


def test_where_no_merge_can_be_had_one_still_chooses(stage: Stage, site: Site, page: Page) -> None:
    stage.answers["/merge/"] = lambda fields: (403, {"error": "closed"})
    meet(stage, site, page)
    expect(page.get_by_role("button", name="Take the other")).to_be_visible()
    expect(page.get_by_role("button", name="Merge the two")).to_have_count(0)
    stage.complaints.clear()


def test_a_reset_is_saved_with_the_code_before_it_and_taken_back(site: Site, page: Page) -> None:
    expect(page.locator(".aside")).to_be_hidden()
    page.get_by_role("button", name="Reset").click()
    expect(page.locator("input[name=revision]")).to_have_value("4")
    assert site.saved == [{"text": "# start here\n", "revision": "3", "aside": "mine = 1\n"}]
    page.get_by_text("Code that was replaced").click()
    page.get_by_role("button", name="Put it back").click()
    expect(page.locator("input[name=revision]")).to_have_value("5")
    assert (code(page), site.saved[-1]["aside"]) == ("mine = 1\n", "# start here\n")


def test_it_is_sent_once(site: Site, page: Page) -> None:
    page.get_by_role("button", name="Reset").click()
    expect(page.locator("input[name=revision]")).to_have_value("4")
    page.locator(".cm-content").click()
    page.keyboard.type("a")
    expect(page.locator("input[name=revision]")).to_have_value("5")
    assert "aside" not in site.saved[-1]


def test_it_is_forgotten_when_asked(stage: Stage, site: Site) -> None:
    page = opened(stage, aside="old = 1")
    page.get_by_text("Code that was replaced").click()
    page.get_by_role("button", name="Forget it").click()
    expect(page.locator(".aside")).to_be_hidden()
    expect(page.locator("input[name=revision]")).to_have_value("4")
    assert site.saved == [{"text": "mine = 1\n", "revision": "3", "aside": ""}]


def test_the_first_change_to_an_earlier_submission_keeps_the_draft(stage: Stage, site: Site) -> None:
    page = opened(stage, attributes=" data-replaced hidden", aside="my draft")
    page.keyboard.type("z")
    expect(page.locator("input[name=revision]")).to_have_value("4")
    assert site.saved == [{"text": "zmine = 1\n", "revision": "3", "aside": "my draft"}]
    expect(page.locator(".aside")).to_be_visible()
