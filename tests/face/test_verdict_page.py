"""The foot of a verdict's page in a browser: what its owner may do there is to be seen."""

from pathlib import Path

from playwright.sync_api import expect

from tests.face.conftest import Stage

VERDICT = (Path(__file__).resolve().parents[2] / "templates" / "labs" / "verdict.html").read_text()


def test_the_sentence_about_sharing_can_be_read_and_pressed(stage: Stage) -> None:
    """A class that another page's bars had once hid it."""
    start = VERDICT.index('<form method="post" action="{% url "labs:submission-share"')
    form = VERDICT[start : VERDICT.index("</form>", start) + 7].replace("{% csrf_token %}", "")
    page = stage.show(f"<h1>A verdict</h1>{form}", [], submission={"public_id": "b" * 16, "shared": False})
    button = page.get_by_role("button", name="Share it by its address")
    expect(button).to_be_visible()
    assert button.evaluate(
        "one => document.elementFromPoint(...[one.getBoundingClientRect()].flatMap(b => [b.x + 5, b.y + 5])) === one"
    )
    box = page.locator("form", has=button).bounding_box()
    assert box and box["width"] > 300 and box["height"] > 20
