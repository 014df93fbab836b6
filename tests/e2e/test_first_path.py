"""From reading to a measured verdict: a person in a browser, on a clone that `make up` serves."""

import os
import re
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from tests.e2e.stack import Stack, cloned, up
from tests.support.process import until

LAB = Path(__file__).resolve().parents[2] / "labs" / "catalog" / "checkpoint-function"
RIGHT = (LAB / "right" / "hooks_early_stop.py").read_text()
PLAIN = (LAB / "wrong" / "plain.py").read_text()
PASSWORD = "a passphrase of five words"
GRADED_MS = 120_000

# A paste, as the editor sees one: Playwright's own insert_text lets Chromium write inline styles into the editor.
PASTE = """text => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    const paste = new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true});
    document.querySelector(".cm-content").dispatchEvent(paste);
}"""

pytestmark = [pytest.mark.stack, pytest.mark.long, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def clone() -> Iterator[Path]:
    with cloned() as folder:
        yield folder


@pytest.fixture(scope="module")
def site(clone: Path) -> Iterator[Stack]:
    with up(clone) as stack:
        yield stack


@pytest.fixture
def page(browser: Browser, site: Stack) -> Iterator[Page]:
    """A fresh visitor. Whatever the page complains about (content policy, script errors) fails the test."""
    complaints: list[str] = []
    context = browser.new_context(base_url=site.url)
    opened = context.new_page()

    def note(message: ConsoleMessage) -> None:
        if message.type == "error":
            complaints.append(f"{opened.url}: {message.text}")

    opened.on("console", note)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("request", lambda request: None if request.url.startswith(site.url) else complaints.append(request.url))
    yield opened
    context.close()
    assert complaints == []


def sign_up(page: Page, email: str) -> None:
    page.goto("/")
    page.get_by_role("link", name="Sign up").first.click()
    page.get_by_label("Email").fill(email)
    for field in page.locator("input[type=password]").all():
        field.fill(PASSWORD)
    page.get_by_role("button", name="Sign up").click()
    expect(page.get_by_role("link", name="Account").first).to_be_visible()


def send(page: Page, code: str, button: str) -> None:
    """Put code into the editor and press a button; wait for the verdict page."""
    page.goto("/labs/checkpoint-function/")
    editor = page.locator(".cm-content")
    editor.click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.press("Delete")
    page.evaluate(PASTE, code)
    page.get_by_role("button", name=button, exact=True).click()
    page.wait_for_url("**/labs/submissions/*/")


def figure(page: Page, label: str) -> str:
    """The exact figure of a row of the table of measurements: its title."""
    row = page.locator("table.measured tr").filter(has=page.get_by_role("rowheader", name=label, exact=True))
    return row.locator("td").first.get_attribute("title") or ""


def test_a_newcomer_reads_answers_submits_and_sees_the_progress(page: Page, site: Stack) -> None:
    sign_up(page, "ada@example.org")

    page.goto("/lessons/what-autograd-saves/")
    page.get_by_role("button", name="I have read this").click()
    expect(page.get_by_text("You have read this lesson.")).to_be_visible()

    page.goto("/questions/when-checkpointing-pays/")
    page.get_by_label("Say it as you would").fill("When activations set the peak; the widest blocks first.")
    page.get_by_role("button", name="Hand in and compare").click()
    expect(page.get_by_text("Show the short answer")).to_be_visible()

    send(page, RIGHT, "Submit")
    expect(page.locator("p.verdict strong")).to_have_text("Passed", timeout=GRADED_MS)
    expect(page.locator("table.checks td.bad")).to_have_count(0)
    expect(page.get_by_text("without a sandbox")).to_have_count(0)
    assert re.fullmatch(r"[\d,]+ bytes", figure(page, "Peak of the update")), page.locator(
        "table.measured"
    ).inner_text()
    expect(page.locator("figure[data-timeline] svg").first).to_be_visible()

    send(page, PLAIN, "Submit")
    expect(page.locator("p.verdict strong")).to_have_text("Not passed", timeout=GRADED_MS)
    failed = page.locator("table.checks tr").filter(has=page.locator("td.bad"))
    expect(failed).to_have_count(2)
    expect(failed.first).to_contain_text("Bytes kept at the end of forward")

    page.goto("/account/")
    progress = page.locator("table").first
    for what in ("Lessons read", "Questions answered", "Labs passed"):
        row = progress.locator("tr").filter(has=page.get_by_role("rowheader", name=what, exact=True))
        expect(row.locator("td").first).to_have_text("1")


def test_a_visitor_sees_the_beginning_of_a_premium_lesson_and_a_grant_opens_the_rest(page: Page, site: Stack) -> None:
    page.goto("/lessons/activation-checkpointing/")
    expect(page.get_by_role("heading", name="The problem")).to_be_visible()
    offer = page.get_by_role("region", name="What unlocks the rest")
    expect(offer).to_be_visible()
    expect(page.locator("section h2", has_text="Build it")).to_have_count(0)
    sign_up(page, "grace@example.org")
    site.manage("grant", "grace@example.org", "--until", "2099-01-01")
    page.goto("/lessons/activation-checkpointing/")
    expect(page.locator("section h2", has_text="Build it")).to_be_visible()
    expect(offer).to_have_count(0)


def test_someone_elses_submission_is_a_404(browser: Browser, page: Page, site: Stack) -> None:
    sign_up(page, "owner@example.org")
    send(page, "checkpoint = None\n", "Run")
    mine = page.url
    expect(page.locator("p.verdict strong")).to_have_text("Refused", timeout=GRADED_MS)
    other = browser.new_context()
    answer = other.request.get(mine)
    assert answer.status == 404
    other.close()


def test_a_worker_killed_in_mid_grading_still_ends_in_one_verdict(page: Page, site: Stack) -> None:
    sign_up(page, "kill@example.org")
    send(page, RIGHT, "Submit")
    expect(page.locator("main")).to_contain_text(re.compile("case", re.I), timeout=GRADED_MS)
    before = worker_pids(site)
    assert before
    for pid in before:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    expect(page.locator("p.verdict strong")).to_have_text("Passed", timeout=GRADED_MS)
    assert set(worker_pids(site)).isdisjoint(before)


def test_the_same_form_posted_twice_makes_one_submission(page: Page, site: Stack) -> None:
    sign_up(page, "twice@example.org")
    page.goto("/labs/checkpoint-function/")
    urls = page.evaluate(
        """async () => {
            const form = document.querySelector("#send");
            const data = new FormData(form);
            data.set("code", "checkpoint = None\\n"); data.set("do", "run");
            const post = () => fetch(form.action, {method: "POST", body: new URLSearchParams(data)}).then(r => r.url);
            return Promise.all([post(), post()]);
        }"""
    )
    assert urls[0] == urls[1]


def test_the_site_runs_twice_keeps_everything_and_leaves_no_process_behind(clone: Path, site: Stack) -> None:
    site.interrupt()
    until(lambda: not site.processes(), 60)
    with up(clone) as again:
        people = again.manage("shell", "-v0", "-c", "from accounts.models import User; print(User.objects.count())")
        assert int(people.split()[-1]) >= 5
    until(lambda: not again.processes(), 60)


def worker_pids(site: Stack) -> list[int]:
    """The Celery worker's processes, pool children included."""
    found = []
    for pid in site.processes():
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
        except OSError:
            continue
        if b"celery" in line and b" worker " in line and b"headroom.keep" not in line:
            found.append(pid)
    return found
