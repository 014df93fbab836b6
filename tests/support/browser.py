"""A Chromium for tests."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
HOW_TO_GET_ONE = "install your system's chromium package, or run: .venv/bin/playwright install chromium"


def find() -> str | None:
    """Return the path of a Chromium: HEADROOM_CHROMIUM, the PATH, then the one that Playwright downloads."""
    if chosen := os.environ.get("HEADROOM_CHROMIUM"):
        return chosen
    for name in NAMES:
        if found := shutil.which(name):
            return found
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if os.path.exists(own) else None


@contextmanager
def running(path: str) -> Iterator[Browser]:
    """Start the Chromium at `path` under Playwright; end it."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        try:
            yield chromium
        finally:
            chromium.close()
