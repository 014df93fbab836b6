"""`content preview`: what is saved is shown without asking, and what is wrong is said where the author looks."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from playwright.sync_api import Browser, expect

from courses import drawing
from courses.authoring.build import Kept, build
from courses.models import Lesson
from courses.previewing import Preview, PreviewSite
from tests.support.process import tied_to_us, until

ROOT = Path(__file__).resolve().parents[2]
OPEN = "lessons/0-02-open.md"


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


@pytest.fixture
def preview(folder: Path, tmp_path: Path) -> Iterator[tuple[str, Callable[[], str]]]:
    """A running preview of the folder: its address, and what its terminal shows."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = tmp_path / "terminal"
    environment = {
        "PATH": os.environ["PATH"],
        "HEADROOM_MODE": "local",
        "HEADROOM_DATA": str(tmp_path / "data"),
        "PYTHONUNBUFFERED": "1",
    }
    command = [sys.executable, "manage.py", "content", "preview", "--folder", str(folder), "--port", str(port)]
    with open(log, "w") as out:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=out, **tied_to_us())
    try:
        until(lambda: "Loaded" in log.read_text() or process.poll() is not None, 120)
        assert process.poll() is None, log.read_text()
        yield f"http://127.0.0.1:{port}", log.read_text
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)
    assert "Traceback" not in log.read_text()


def test_a_page_follows_its_file_and_shows_what_is_wrong_with_it(
    browser: Browser, preview: tuple[str, Callable[[], str]], folder: Path
) -> None:
    address, terminal = preview
    page = browser.new_page()
    faults: list[str] = []
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.goto(f"{address}/lessons/open-lesson/")
    change(folder / OPEN, "## The problem\n", "## The problem\n\nWritten just now.\n")
    expect(page.get_by_text("Written just now.")).to_be_visible(timeout=20_000)
    panel = page.locator("#preview-problems")
    expect(panel).to_have_count(0)

    change(folder / OPEN, "Written just now.", "Written [[= time-to-trane.days ]] now.")
    line = (folder / OPEN).read_text().split("\n").index("Written [[= time-to-trane.days ]] now.") + 1
    expect(panel).to_contain_text(f"{OPEN}:{line}: there is no calculator “time-to-trane”", timeout=20_000)
    expect(panel).to_contain_text("cure: did you mean “time-to-train”?")
    expect(page.get_by_text("Written just now.")).to_be_visible()
    assert f"{OPEN}:{line}: there is no calculator" in terminal() and "cure: did you mean" in terminal()

    change(folder / OPEN, "Written [[= time-to-trane.days ]] now.", "Mended.")
    expect(page.get_by_text("Mended.")).to_be_visible(timeout=20_000)
    expect(panel).to_have_count(0)
    assert faults == []
    page.close()


def test_only_what_changed_is_rendered_again(folder: Path) -> None:
    kept: Kept = {}
    first = build(folder, drawing.embedded, None, kept)
    again = build(folder, drawing.embedded, None, kept)
    assert [*again.lessons, *again.questions] == [*first.lessons, *first.questions]
    assert all(old is new for old, new in zip(first.lessons, again.lessons, strict=True))
    change(folder / OPEN, "## The problem\n", "## The problem\n\nMore.\n")
    changed = build(folder, drawing.embedded, None, kept)
    fresh = [new.id for old, new in zip(first.lessons, changed.lessons, strict=True) if old is not new]
    assert fresh == ["open-lesson"]
    change(folder / "measured/two-blocks.json", '"peak_bytes": 2097152', '"peak_bytes": 4194304')
    everywhere = build(folder, drawing.embedded, None, kept)
    assert not any(old is new for old, new in zip(changed.lessons, everywhere.lessons, strict=True))
    assert any("computation says 4 MiB" in problem.message for problem in everywhere.problems)


@pytest.mark.django_db
def test_a_fault_leaves_the_pages_as_they_were(folder: Path) -> None:
    preview = Preview(folder)
    assert preview.look() and not preview.look()
    before = preview.state()
    change(folder / OPEN, "title: ", "titel: ")
    assert preview.look()
    assert preview.state()["version"] == before["version"] and preview.problems
    assert preview.state()["problems"][0]["file"] == OPEN
    change(folder / OPEN, "titel: ", "title: New ")
    assert preview.look()
    assert preview.state()["problems"] == [] and preview.state()["version"] != before["version"]
    assert Lesson.objects.get(slug="open-lesson").title.startswith("New ")


@pytest.mark.parametrize(
    ("kind", "sent", "received"),
    [
        ("text/html; charset=utf-8", b"<p>a</p></body>", b'<p>a</p><script src="/-/preview.js" defer></script></body>'),
        ("text/html", b"<p>a part of a page</p>", b"<p>a part of a page</p>"),
        ("text/css", b"a::after{content:'</body>'}", b"a::after{content:'</body>'}"),
    ],
)
def test_only_whole_pages_get_the_script(folder: Path, kind: str, sent: bytes, received: bytes) -> None:
    def site(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        start_response("200 OK", [("Content-Type", kind), ("Content-Length", str(len(sent)))])
        return [sent]

    said: list[Any] = []
    body = PreviewSite(site, Preview(folder))({"PATH_INFO": "/"}, lambda *words: said.append(words))
    assert b"".join(body) == received
    assert dict(said[0][1])["Content-Length"] == str(len(received))


def test_a_preview_is_refused_outside_local_mode(folder: Path) -> None:
    with pytest.raises(CommandError, match="local mode"):
        call_command("content", "preview", "--folder", str(folder))
