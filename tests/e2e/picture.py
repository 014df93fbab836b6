"""Take README's picture, docs/verdict.webp: what someone sees who signs up and sends a solution.

    .venv/bin/python -m tests.e2e.picture

Serves a clone of the last commit with `make up`, signs up there, sends the lab's own right solution, and waits for its
verdict.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page

from tests.e2e.stack import cloned, up
from tests.support import browser

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "docs" / "verdict.webp"
LAB = "checkpoint-function"
SOLUTION = ROOT / "labs" / "catalog" / LAB / "right" / "hooks_early_stop.py"
SIZE = {"width": 1180, "height": 1150}
LARGEST = 150_000
"""Bytes that the picture may have."""


def send(page: Page) -> None:
    """Sign up, send the solution as a file, and wait until its verdict stands there."""
    page.goto("/account/signup/")
    page.fill("input[name=email]", "ada@example.org")
    for field in page.locator("input[type=password]").all():
        field.fill("a passphrase of five words")
    page.click("main button[type=submit]")
    page.wait_for_url(lambda address: "signup" not in address)
    page.goto(f"/labs/{LAB}/")
    page.set_input_files("input[type=file]", str(SOLUTION))
    page.get_by_role("button", name="Submit").click()
    page.wait_for_url("**/labs/submissions/*/")
    page.locator("p.verdict strong", has_text="Passed").wait_for(timeout=900_000)


def main() -> int:
    chromium = browser.find()
    if chromium is None:
        sys.stderr.write(f"there is no Chromium: {browser.HOW_TO_GET_ONE}\n")
        return 2
    with cloned() as folder, up(folder) as site, browser.running(chromium) as running:
        page = running.new_context(base_url=site.url, viewport=SIZE, color_scheme="light").new_page()
        send(page)
        page.wait_for_timeout(1_000)  # the plot draws itself
        taken = page.screenshot()
    Image.open(io.BytesIO(taken)).convert("RGB").save(TARGET, quality=80, method=6)
    size = TARGET.stat().st_size
    sys.stdout.write(f"{TARGET.relative_to(ROOT)}: {size:,} bytes\n")
    return 0 if size <= LARGEST else 1


if __name__ == "__main__":
    sys.exit(main())
