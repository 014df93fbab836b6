"""The editor in a browser: the textarea stays the truth, keys do what they say, and nothing typed is lost."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.face.conftest import Stage

FORM = """<h1>A lab</h1><form method="post" action="/labs/some-lab/send/">
<input type="hidden" name="revision" value="3">
<label for="code">Your module</label>
<textarea id="code" name="code" data-editor="python" data-draft-url="/draft/" data-revision="3">def f():
    pass
</textarea>
<button name="do" value="run" type="button" data-run>Run</button>
<button name="do" value="submit" type="button" data-submit>Submit</button>
<button type="button" data-reset="starter" hidden>Reset</button></form><template id="starter"># start here
</template>"""


@pytest.fixture
def saves(stage: Stage) -> list[dict[str, str]]:
    """What the site was asked to save; it says yes."""
    saved: list[dict[str, str]] = []

    def save(fields: dict[str, str]) -> tuple[int, Any]:
        saved.append(fields)
        return 200, {"revision": int(fields["revision"]) + 1}

    stage.answers["/draft/"] = save
    return saved


@pytest.fixture
def page(stage: Stage, saves: list[dict[str, str]]) -> Page:
    shown = stage.show(FORM, ["editor.js"])
    for name in ("run", "submit"):
        shown.locator(f"[data-{name}]").evaluate(
            "(button, name) => button.addEventListener('click', () => document.body.dataset.pressed = name)", name
        )
    shown.locator(".cm-content").click()
    shown.keyboard.press("Control+Home")
    return shown


def code(page: Page) -> str:
    return page.locator("#code").input_value()


def test_the_textarea_follows_what_is_typed(page: Page) -> None:
    page.keyboard.type("x = 1\n")
    assert code(page) == "x = 1\ndef f():\n    pass\n"


def test_python_is_coloured(page: Page) -> None:
    key = page.locator(".cm-line span", has_text="def").first
    colours = page.evaluate("getComputedStyle(document.body).getPropertyValue('--c-key')")
    assert key.evaluate("one => getComputedStyle(one).color") == "rgb(11, 92, 138)", colours


def test_tab_indents_and_escape_then_tab_leaves(page: Page) -> None:
    page.keyboard.press("Tab")
    assert code(page).startswith("    def f")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(page.locator("[data-run]")).to_be_focused()


def test_control_enter_runs_and_with_shift_submits(page: Page) -> None:
    page.keyboard.press("Control+Enter")
    expect(page.locator("body")).to_have_attribute("data-pressed", "run")
    page.keyboard.press("Control+Shift+Enter")
    expect(page.locator("body")).to_have_attribute("data-pressed", "submit")
    assert code(page) == "def f():\n    pass\n"


def test_control_s_saves_and_never_submits(page: Page, saves: list[dict[str, str]]) -> None:
    page.keyboard.type("y")
    page.keyboard.press("Control+s")
    expect(page.get_by_text("Draft saved,")).to_be_visible()
    assert saves[-1] == {"text": "ydef f():\n    pass\n", "revision": "3"}
    assert page.locator("body").get_attribute("data-pressed") is None
    expect(page.locator("input[name=revision]")).to_have_value("4")


def test_a_pause_saves_by_itself_with_the_next_revision(page: Page, saves: list[dict[str, str]]) -> None:
    page.keyboard.type("a")
    expect(page.get_by_text("Draft saved,")).to_be_visible()
    page.keyboard.type("b")
    expect(page.locator("input[name=revision]")).to_have_value("5")
    assert [save["revision"] for save in saves] == ["3", "4"]
    assert saves[-1]["text"].startswith("ab")


def test_two_tabs_both_texts_are_shown_and_one_is_chosen(stage: Stage, page: Page, saves: list[dict[str, str]]) -> None:
    say_yes = stage.answers["/draft/"]
    stage.answers["/draft/"] = lambda fields: (409, {"yours": fields["text"], "theirs": "other = 1\n", "revision": 9})
    page.keyboard.type("z")
    page.keyboard.press("Control+s")
    expect(page.get_by_role("alert")).to_contain_text("Another tab or device saved different code")
    page.get_by_text("Show that code").click()
    expect(page.locator(".note.warn pre")).to_have_text("other = 1\n")
    stage.answers["/draft/"] = say_yes
    page.get_by_role("button", name="Keep what is in this editor").click()
    expect(page.get_by_text("Draft saved,")).to_be_visible()
    assert saves[-1] == {"text": "zdef f():\n    pass\n", "revision": "9", "aside": "other = 1\n"}
    stage.complaints.clear()  # the browser notes the 409


def test_the_other_text_can_be_taken_and_undone(stage: Stage, page: Page) -> None:
    say_yes = stage.answers["/draft/"]
    stage.answers["/draft/"] = lambda fields: (409, {"yours": fields["text"], "theirs": "other = 1\n", "revision": 9})
    page.keyboard.type("z")
    page.keyboard.press("Control+s")
    expect(page.get_by_role("alert")).to_be_visible()
    stage.answers["/draft/"] = say_yes
    page.get_by_role("button", name="Take the other").click()
    assert code(page) == "other = 1\n"
    page.locator(".cm-content").click()
    page.keyboard.press("Control+z")
    assert code(page).startswith("zdef")
    stage.complaints.clear()


def test_what_could_not_be_saved_is_offered_on_the_next_visit(
    stage: Stage, page: Page, saves: list[dict[str, str]]
) -> None:
    say_yes = stage.answers["/draft/"]
    stage.answers["/draft/"] = lambda fields: (401, {"error": "signed out"})
    page.keyboard.type("lost = 0\n")
    page.keyboard.press("Control+s")
    expect(page.get_by_text("you are signed out")).to_be_visible()
    stage.complaints.clear()  # the browser notes the 401
    stage.answers["/draft/"] = say_yes
    page.reload()
    page.get_by_role("button", name="Use it").click()
    assert code(page).startswith("lost = 0\n")
    expect(page.get_by_text("Draft saved,")).to_be_visible()
    assert saves[-1]["text"] == code(page) and saves[-1]["aside"] == "def f():\n    pass\n"


def test_reset_brings_the_starter_and_undo_the_code(page: Page) -> None:
    page.get_by_role("button", name="Reset").click()
    assert code(page) == "# start here\n"
    page.keyboard.press("Control+z")
    assert code(page) == "def f():\n    pass\n"


def test_the_size_of_the_code_is_kept(page: Page) -> None:
    page.get_by_role("button", name="Larger code").click()
    assert page.locator(".cm-scroller").evaluate("one => getComputedStyle(one).fontSize") == "15px"
    page.reload()
    expect(page.locator(".cm-editor")).to_be_visible()
    assert page.locator(".cm-scroller").evaluate("one => getComputedStyle(one).fontSize") == "15px"


def test_the_question_mark_lists_the_keys_and_they_can_be_turned_off(page: Page) -> None:
    page.locator("h1").click()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("run the public cases")
    page.get_by_label("Keys are on").uncheck()
    page.get_by_role("button", name="Close").click()
    page.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    assert page.locator("body").get_attribute("data-pressed") is None
    page.locator("h1").click()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_without_script_the_textarea_is_the_editor(stage: Stage) -> None:
    page = stage.show(FORM, [])
    expect(page.locator("#code")).to_be_visible()
    page.locator("#code").fill("z = 3")
    assert code(page) == "z = 3"
