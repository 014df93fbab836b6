"""Lines that a verdict names, in the editor: marked with their message, reached by keys, gone when edited."""

import pytest
from playwright.sync_api import Page, expect

from tests.face.conftest import Stage

FORM = """<h1>A lab</h1><form method="post"><label for="code">Your module</label>
<textarea id="code" name="code" data-editor="python">
{{ code }}</textarea>
<section class="marks" aria-label="Lines" data-marks="code"><ul>
<li data-line="2"><b>Line 2</b> <span>IndexError: &lt;b&gt; out of range</span></li>
<li data-line="60" data-way><b>Line 60</b> <span>On the way.</span></li>
</ul></section></form>"""
CODE = "def inner(x):\n    return x[3]\n" + "# filler\n" * 57 + "y = inner([1])\n"


@pytest.fixture
def page(stage: Stage) -> Page:
    shown = stage.show(FORM, ["editor.js"], code=CODE)
    shown.locator(".cm-content").click(position={"x": 60, "y": 20})
    shown.keyboard.press("Control+Home")
    return shown


def is_at(page: Page, text: str) -> None:
    expect(page.locator(".cm-activeLine")).to_have_text(text)


def test_a_line_carries_its_message_as_text(page: Page) -> None:
    expect(page.locator(".cm-marked")).to_have_text("    return x[3]")
    expect(page.locator(".cm-marked + .cm-mark-message")).to_have_text("IndexError: <b> out of range")
    expect(page.locator(".cm-marked-number")).to_have_text("2")
    assert page.locator("#code").input_value() == CODE


def test_f8_goes_from_mark_to_mark_and_round(page: Page) -> None:
    page.locator(".cm-announced").evaluate(  # what is announced is taken away again once it has been read
        """one => new MutationObserver(() => {
            if (one.textContent.trim()) document.body.dataset.heard = one.textContent;
        }).observe(one, {childList: true})"""
    )
    page.keyboard.press("F8")
    is_at(page, "    return x[3]")
    page.keyboard.press("F8")
    is_at(page, "y = inner([1])")
    expect(page.locator(".cm-mark-message.way")).to_be_in_viewport()
    expect(page.locator("body")).to_have_attribute("data-heard", "Line 60: On the way.")
    page.keyboard.press("F8")
    is_at(page, "    return x[3]")
    page.keyboard.press("Shift+F8")
    is_at(page, "y = inner([1])")


def test_the_list_under_the_editor_leads_to_the_line(page: Page) -> None:
    page.get_by_role("button", name="Line 60").press("Enter")
    expect(page.locator(".cm-content")).to_be_focused()
    is_at(page, "y = inner([1])")


def test_a_mark_goes_when_its_line_is_edited(page: Page) -> None:
    page.keyboard.press("F8")
    page.keyboard.type("z")
    expect(page.locator(".cm-marked")).to_have_count(0)
    expect(page.get_by_role("button", name="Line 2")).to_have_count(0)
    expect(page.get_by_role("button", name="Line 60")).to_be_visible()


def test_a_mark_moves_with_its_line_and_stays(page: Page) -> None:
    page.keyboard.type("import torch\n")
    expect(page.locator(".cm-marked")).to_have_text("    return x[3]")
    expect(page.get_by_role("button", name="Line 3")).to_be_visible()
    page.keyboard.press("F8")
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    expect(page.locator(".cm-marked")).to_have_text("    return x[3]")


def test_with_no_mark_left_the_list_goes_too(page: Page) -> None:
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    expect(page.locator("[data-marks]")).to_be_hidden()


def test_without_script_the_list_is_there(stage: Stage) -> None:
    page = stage.show(FORM, [], code=CODE)
    expect(page.get_by_text("Line 2", exact=True)).to_be_visible()


def test_a_long_message_is_read_whole_on_a_phone_beside_a_long_line(stage: Stage) -> None:
    long = FORM.replace("IndexError: &lt;b&gt; out of range", "A sentence that goes on and on. " * 6)
    page = stage.show(long, ["editor.js"], code=CODE.replace("x[3]", "x[3]  # " + "far to the right " * 20))
    page.set_viewport_size({"width": 360, "height": 800})
    message = page.locator(".cm-mark-message").first
    expect(message).to_be_visible()
    page.locator(".cm-scroller").evaluate("one => (one.scrollLeft = 900)")
    box = message.bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= 360
    assert page.evaluate("document.documentElement.scrollWidth") == 360
