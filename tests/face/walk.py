"""Every kind of page that a person can come to, and what a browser says about each: a list of faults, as sentences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

from bench.shots import too_wide
from tests.face.site import FREE, LAB, LESSON, NUMBER, PREMIUM, QUESTION, STAFF, VISITOR, Site

WIDE, PHONE = (1280, 900), (360, 780)
STATES: dict[str, tuple[tuple[int, int], Literal["light", "dark"]]] = {
    "light": (WIDE, "light"),
    "dark": (WIDE, "dark"),
    "phone": (PHONE, "light"),
}
# WCAG 2.2 AA and everything before it. Target size is found only where wcag22aa is named.
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
# What the colour scheme can change: the rest of the page is the same in the dark.
OF_COLOUR = ["color-contrast", "link-in-text-block"]


@dataclass(frozen=True)
class Visit:
    """A page as `person` sees it. `do` is what they do there first; `status` is what the site answers.

    A page with the template of another one is looked at in fewer `states`.
    """

    path: str
    person: str = VISITOR
    name: str = ""
    status: int = 200
    do: Callable[[Page], Any] | None = None
    states: tuple[str, ...] = tuple(STATES)

    def __str__(self) -> str:
        return f"{self.person}: {self.name or self.path}"

    def address(self, site: Site) -> str:
        """Return the path, looked up where only the database knows it."""
        return self.path if self.path.startswith("/") else site.at[self.path]


def press(key: str) -> Callable[[Page], Any]:
    return lambda page: page.keyboard.press(key)


def turn_over(page: Page) -> None:
    page.keyboard.press("Space")
    page.get_by_role("button", name="Again").wait_for()


def open_all(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")


def menu(page: Page) -> None:
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    page.get_by_text("Menu", exact=True).click()


CALCULATORS = (
    "activation-bytes-layer", "all-to-all", "checkpoint-tradeoff", "collective-traffic", "context-parallel",
    "decode-attention", "flops-per-token", "goodput", "kv-cache", "mfu-hfu", "paged-cache", "pipeline-bubble",
    "roofline", "serving-capacity", "speculative-decoding", "time-to-train", "training-memory",
)  # fmt: skip

OPEN_TO_ALL = [
    Visit("/"),
    Visit("/", name="the menu", do=menu),
    Visit("/", name="the list of keys", do=press("?")),
    Visit("/course/"),
    Visit(f"/lessons/{LESSON}/"),
    Visit("/lessons/activation-checkpointing/", name="a locked lesson"),
    Visit("/questions/"),
    Visit("/questions/derive-six-nd/"),
    Visit(f"/questions/{QUESTION}/", name="a locked question"),
    Visit("/calculators/"),
    *(
        Visit(f"/calculators/{each}/", states=tuple(STATES) if each == "kv-cache" else ("phone",))
        for each in CALCULATORS
    ),
    Visit("/calculators/kv-cache/?layers=many", name="a calculator that cannot read its input", status=422),
    Visit("/labs/"),
    Visit(f"/labs/{LAB}/", name="a locked lab"),
    Visit("/practise/"),
    Visit("/practise/review/"),
    Visit("/practise/mock/"),
    Visit("/practise/numbers/"),
    Visit("/search/?q=checkpointing"),
    Visit("/search/?q=zzzz", name="a search that finds nothing"),
    Visit("/plans/"),
    Visit("/account/login/"),
    Visit("/account/signup/"),
    Visit("/account/password/reset/"),
    Visit("thread"),
    Visit(f"/discussion/lesson/{LESSON}/"),
    Visit("/security/"),
    Visit("/no-such-page/", status=404),
]
OF_MEMBERS = [
    Visit("/", PREMIUM),
    Visit("/course/", PREMIUM),
    Visit(f"/lessons/{LESSON}/", PREMIUM, "a lesson with its quiz answered"),
    Visit("/lessons/activation-checkpointing/", PREMIUM),
    Visit(f"/lessons/{LESSON}/", PREMIUM, "the search box over a lesson", do=press("/")),
    Visit("/lessons/activation-checkpointing/", FREE, "a lesson of premium"),
    Visit(f"/questions/{QUESTION}/", PREMIUM, "a question with its worked answer", do=open_all),
    Visit(f"/questions/{QUESTION}/answers/", PREMIUM),
    Visit("/labs/", PREMIUM),
    Visit(f"/labs/{LAB}/", PREMIUM),
    Visit("/labs/byte-budget/", FREE, "a lab of premium"),
    Visit("passed", PREMIUM, "a verdict that passed", do=open_all),
    Visit("failed", PREMIUM, "a verdict that failed"),
    Visit("waiting", PREMIUM, "a submission that waits"),
    Visit("/practise/", PREMIUM),
    Visit("/practise/review/", PREMIUM),
    Visit("/practise/review/", PREMIUM, "a card turned over", do=turn_over),
    Visit("/practise/numbers/", PREMIUM),
    Visit(f"/practise/numbers/{NUMBER}/", PREMIUM, "a number with its solution"),
    Visit("/practise/mock/", PREMIUM),
    Visit("asking", PREMIUM, "a mock interview"),
    Visit("marking", PREMIUM, "marking a mock interview"),
    Visit("report", PREMIUM, "the report of a mock interview"),
    Visit("/practise/progress/", PREMIUM),
    Visit("/notes/", PREMIUM),
    Visit("thread", PREMIUM, "a thread of one's own"),
    Visit("edit", PREMIUM, "editing a comment"),
    Visit("delete", PREMIUM, "deleting a comment"),
    Visit("/discussion/preferences/", PREMIUM),
    Visit("/account/", PREMIUM),
    Visit("/account/profile/", PREMIUM),
    Visit("/account/email/", PREMIUM),
    Visit("/account/password/change/", PREMIUM),
    Visit("/account/data/", PREMIUM),
    Visit("/account/delete/", PREMIUM),
    Visit("/account/sessions/", PREMIUM),
    Visit("/account/2fa/", PREMIUM),
    Visit("/account/2fa/totp/activate/", PREMIUM),
    Visit("/account/2fa/webauthn/add/", PREMIUM),
    Visit("/account/logout/", PREMIUM),
    Visit("/plans/", PREMIUM),
]
OF_STAFF = [
    Visit("/staff/", STAFF),
    Visit("/staff/design/", STAFF),
    Visit("/staff/labs/submission/queue/", STAFF),
    Visit("/staff/labs/submission/", STAFF),
]
VISITS = [*OPEN_TO_ALL, *OF_MEMBERS, *OF_STAFF]


def look(page: Page, visit: Visit, site: Site) -> list[str]:
    """Open a page, look at it in every state, and return what is wrong with it.

    One browser page serves for many visits: a new one costs more than all that axe does.
    """
    said: list[str] = []
    heard = _listen(page, site, said)
    answer = page.goto(visit.address(site))
    faults = [] if answer and answer.status == visit.status else [f"answered {answer and answer.status}"]
    if visit.do:
        visit.do(page)
    page.evaluate(f"{AXE_SCRIPT}; 0")
    for state in visit.states:
        (width, height), scheme = STATES[state]
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        only = {"type": "rule", "values": OF_COLOUR} if scheme == "dark" else {"type": "tag", "values": TAGS}
        faults += [f"{state}: {each}" for each in [*axe(page, only), *too_wide(page, width)]]
    for event, note in heard.items():
        page.remove_listener(event, note)
    return faults + [each for each in said if visit.status == 200 or f"status of {visit.status}" not in each]


def _listen(page: Page, site: Site, said: list[str]) -> dict[str, Callable[[Any], None]]:
    """Note in `said` what the console complains about, and every address on another host. Return what listens."""

    def asked(request: Any) -> None:
        if not request.url.startswith((f"{site.url}/", "data:", "blob:")):
            said.append(f"asked for {request.url}")

    heard: dict[str, Callable[[Any], None]] = {
        "console": lambda message: said.append(f"console: {message.text}") if message.type == "error" else None,
        "pageerror": lambda error: said.append(f"script: {error}"),
        "request": asked,
    }
    for event, note in heard.items():
        page.on(event, note)  # type: ignore[call-overload]
    return heard


def axe(page: Page, only: dict[str, Any]) -> list[str]:
    """Return what axe finds on the page as it is by some of its rules: rule, place, and the first reason."""
    options = {"runOnly": only, "resultTypes": ["violations"], "preload": False}
    found = page.evaluate("options => axe.run(options).then(({violations}) => violations)", options)
    return [
        f"{rule['id']}: {' '.join(map(str, node['target']))}: {_reason(node)}"
        for rule in found
        for node in rule["nodes"]
    ]


def _reason(node: dict[str, Any]) -> str:
    reasons = [each["message"] for kind in ("any", "all", "none") for each in node[kind]]
    return reasons[0] if reasons else ""
