"""From a key press in the lab's editor to the next painted frame, in files of several lengths.

    python -m bench.keystrokes [--quick]

The editor as the lab's page has it (the site's template, content policy, autosaved draft, marks of a verdict), in a
headless Chromium without a GPU, typing in the middle of the file. A sample begins with the time stamp of the key's
event and ends once the frame that shows it has been handed on: the wait for that frame, up to 16.7 ms at 60 a second,
is inside.
letters      one letter after another
new lines    Enter, which moves all that follows down
work         processor time of the page's main thread a key, its looking for the frame included
Aim: 95 of 100 letters within 50 ms in 800 lines. Leaves with 1 beyond it.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from statistics import median, quantiles
from typing import TYPE_CHECKING

from bench.results import machine, save, show

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession, Page

    from tests.face.conftest import Stage

AIM_MS = 50.0
AIMED_LINES = 800
LINES = (40, AIMED_LINES, 4_000)

FORM = """<h1>A lab</h1><form method="post"><input type="hidden" name="revision" value="1">
<label for="code">Your module</label>
<textarea id="code" name="code" data-editor="python" data-draft-url="/draft/" data-revision="1">
{{ code }}</textarea>
<section class="marks" aria-label="Lines" data-marks="code"><ul>
<li data-line="3"><b>Line 3</b> <span>AttributeError: no such attribute</span></li></ul></section></form>"""

FUNCTION = '''def block_{n}(x_RD, weight_DH, scale=1.0):
    """Return what block {n} makes of its input."""
    h_RH = torch.relu(x_RD @ weight_DH) * scale  # keeps h_RH for backward
    if h_RH.requires_grad and scale != 1.0:
        h_RH = checkpoint(lambda h: h.tanh(), h_RH, use_reentrant=False)
    return h_RH.sum(dim=-1, keepdim=True) / {n}.5


'''

LISTEN = """() => {
    window.samples = [];
    const channel = new MessageChannel();
    const waiting = [];
    channel.port1.onmessage = () => window.samples.push(performance.now() - waiting.shift());
    document.addEventListener("keydown", (event) => {
        requestAnimationFrame(() => { waiting.push(event.timeStamp); channel.port2.postMessage(null); });
    }, {capture: true});
}"""


@dataclass(frozen=True)
class Typed:
    """Milliseconds from key to frame, one a key, and milliseconds of the main thread's processor time a key."""

    samples: list[float]
    work: float

    def figures(self) -> dict[str, float]:
        p95 = quantiles(self.samples, n=20, method="inclusive")[-1]
        return {"median": median(self.samples), "p95": p95, "highest": max(self.samples), "work": self.work}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="40 keys instead of 300")
    quick = parser.parse_args().quick
    on = machine()
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()
    from tests.face.conftest import Stage
    from tests.support import browser

    path = browser.find()
    if path is None:
        print(f"There is no Chromium: {browser.HOW_TO_GET_ONE}", file=sys.stderr)
        return 2
    with browser.running(path) as chromium:
        figures = {}
        for lines in LINES:
            context = chromium.new_context(viewport={"width": 1440, "height": 900})
            figures[lines] = measured(Stage(context.new_page()), lines, keys=40 if quick else 300)
            context.close()
    rows = [
        [f"{lines:,} lines, {what}", len(one.samples), *(f"{value:.1f}" for value in one.figures().values())]
        for lines, found in figures.items()
        for what, one in found.items()
    ]
    show("Milliseconds from key to frame", ["file", "keys", "median", "95 of 100", "highest", "work a key"], rows)
    over = figures[AIMED_LINES]["letters"].figures()["p95"] > AIM_MS
    print(f"\naim: 95 of 100 letters within {AIM_MS:.0f} ms in {AIMED_LINES} lines{': MISSED' if over else ''}")
    named = {f"{lines} lines": {what: one.figures() for what, one in found.items()} for lines, found in figures.items()}
    save("keystrokes", on, {"quick": quick, "milliseconds": named})
    return 1 if over else 0


def source(lines: int) -> str:
    """Return a module of so many lines, as a learner would write it."""
    functions = "".join(FUNCTION.format(n=n) for n in range(-(-lines // FUNCTION.count("\n"))))
    return "".join(functions.splitlines(keepends=True)[:lines])


def measured(stage: Stage, lines: int, keys: int) -> dict[str, Typed]:
    """Type in the middle of a file of so many lines."""
    stage.answers["/draft/"] = lambda fields: (200, {"revision": int(fields["revision"]) + 1})
    page = stage.show(FORM, ["editor.js"], code=source(lines))
    page.locator(".cm-content").click()
    page.keyboard.press("Control+Home")
    for _ in range(lines // 2):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    page.evaluate(LISTEN)
    return {"letters": typed(page, "x", keys), "new lines": typed(page, "Enter", keys // 10)}


def typed(page: Page, key: str, keys: int) -> Typed:
    """Press a key so often, each once the one before is on the screen."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.evaluate("window.samples.length = 0")
    before = _thread_seconds(session)
    for number in range(keys):
        page.keyboard.press(key)
        page.wait_for_function("count => window.samples.length >= count", arg=number + 1)
    work = 1000 * (_thread_seconds(session) - before) / keys
    session.detach()
    return Typed(page.evaluate("window.samples"), work)


def _thread_seconds(session: CDPSession) -> float:
    metrics = session.send("Performance.getMetrics")["metrics"]
    return float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))


if __name__ == "__main__":
    sys.exit(main())
