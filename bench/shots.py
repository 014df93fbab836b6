"""Take pictures of pages of a running site: wide, tablet and phone, light and dark.

    python bench/shots.py http://127.0.0.1:8000 / /labs/ --email ada@headroom.example --password …

The pictures go to var/shots, one a page, width and theme. Prints what the console, the policy or the width got wrong.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

SIZES = {"wide": (1440, 1000), "tablet": (820, 1180), "phone": (360, 780)}
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PAGES = ("/", "/course/", "/questions/", "/labs/", "/calculators/", "/account/login/", "/account/signup/")


def main() -> int:
    options = parse()
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    problems: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=options.chromium, args=FLAGS)
        for theme in options.themes:
            for size in options.sizes:
                problems += shoot(browser, options, out, size, theme)
        browser.close()
    for problem in dict.fromkeys(problems):
        print(problem)
    return 1 if problems else 0


def shoot(
    browser: Browser, options: argparse.Namespace, out: Path, size: str, theme: Literal["light", "dark"]
) -> list[str]:
    """Take every page at one size and theme; return the problems seen, as sentences."""
    width, height = SIZES[size]
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=theme, reduced_motion="reduce"
    )
    problems: list[str] = []
    if options.email:
        sign_in(context, options)
    for path in options.pages:
        page = context.new_page()
        said: list[str] = []
        listen(page, said)
        answer = page.goto(options.address + path, wait_until="load")
        seen(page, options.wait)
        page.screenshot(path=out / f"{name_of(path)}-{size}-{theme}.png", full_page=True)
        if answer is None or answer.status >= 400:
            problems.append(f"{path}: answered {answer.status if answer else 'nothing'}")
        else:
            problems += [f"{path} ({size}, {theme}): {text}" for text in said]
        problems += [f"{path} ({size}): {text}" for text in too_wide(page, width)]
        page.close()
    context.close()
    return problems


def listen(page: Page, said: list[str]) -> None:
    """Note what the page complains about."""
    page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: said.append(str(error)))


def seen(page: Page, wait: int) -> None:
    """Scroll through the page, as someone would: an editor measures itself when it comes into view."""
    page.wait_for_timeout(wait)
    for top in range(0, page.evaluate("document.documentElement.scrollHeight"), 600):
        page.evaluate("top => scrollTo({top, behavior: 'instant'})", top)
        page.wait_for_timeout(30)
    page.evaluate("scrollTo({top: 0, behavior: 'instant'})")


def too_wide(page: Page, width: int) -> list[str]:
    """Name what makes a page scroll sideways."""
    if page.evaluate("document.documentElement.scrollWidth") <= width:
        return []
    culprits = page.evaluate(
        """width => [...document.querySelectorAll("body *")]
            .filter(one => one.getBoundingClientRect().right > width + 1)
            .slice(0, 3).map(one => one.tagName + "." + one.getAttribute("class"))""",
        width,
    )
    return [f"wider than the screen: {', '.join(culprits)}"]


def sign_in(context: BrowserContext, options: argparse.Namespace) -> None:
    page = context.new_page()
    page.goto(options.address + "/account/login/")
    page.fill("input[name=login]", options.email)
    page.fill("input[name=password]", options.password)
    page.click("main button[type=submit]")
    page.wait_for_load_state()
    page.close()


def name_of(path: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", path.lower()).strip("-") or "home"


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("address", help="where the site runs, as in http://127.0.0.1:8000")
    parser.add_argument("pages", nargs="*", help=f"paths; without any: {' '.join(PAGES)}")
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--themes", nargs="+", choices=THEMES, default=list(THEMES))
    parser.add_argument("--email", help="sign in with this address first")
    parser.add_argument("--password", default="")
    parser.add_argument("--out", default="var/shots")
    parser.add_argument("--wait", type=int, default=400, help="milliseconds to wait for the islands")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    options = parser.parse_args()
    options.address = options.address.rstrip("/")
    options.pages = options.pages or list(PAGES)
    return options


if __name__ == "__main__":
    sys.exit(main())
