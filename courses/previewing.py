"""Show the content while it is being written: load it again on every save, and tell the open pages.

A `Preview` watches a content folder. `PreviewSite` stands before the site as WSGI middleware: it puts a small script
on every page, which asks for the preview's state, reloads the page when the content was loaded anew, and lays what is
wrong over the page. Nothing is loaded while something is wrong: the pages stay as they were.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from courses import drawing, lab_links
from courses.authoring.build import Kept, build
from courses.authoring.problems import Problem
from courses.sync import sync

SCRIPT, STATE = "/-/preview.js", "/-/preview.json"
_JAVASCRIPT = Path(__file__).with_name("preview.js")
_SUFFIXES = {".md", ".yaml", ".json", ".svg"}
_TAG = f'<script src="{SCRIPT}" defer></script></body>'.encode()

Headers = list[tuple[str, str]]


class Preview:
    """A content folder, and what became of it when it was last looked at.

    `loaded` counts the times that its pages were loaded; `problems` is what keeps its present state from being loaded.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.started = f"{time.time():.3f}"
        self.loaded = 0
        self.problems: list[Problem] = []
        self._seen: dict[Path, tuple[int, int]] | None = None
        self._kept: Kept = {}

    def look(self) -> bool:
        """Load the pages if a file was saved, added or removed since the last look; tell whether one was."""
        found = self._files()
        if found == self._seen:
            return False
        self._seen = found
        labs = lab_links.titles()
        try:
            curriculum = build(self.folder, drawing.embedded, None if labs is None else set(labs), self._kept)
        except (OSError, UnicodeError) as error:
            # a file that is half written, or gone between two looks: the next save shows it whole
            self.problems = [Problem(self.folder, 1, f"this cannot be read: {error}", "save it again, as UTF-8")]
            return True
        self.problems = curriculum.problems
        if not self.problems:
            sync(curriculum)
            self.loaded += 1
        return True

    def state(self) -> dict[str, Any]:
        """Return what the script on a page asks for."""
        return {"version": f"{self.started}/{self.loaded}", "problems": [self._shown(each) for each in self.problems]}

    def _shown(self, problem: Problem) -> dict[str, Any]:
        path = problem.path
        where = path.relative_to(self.folder) if path.is_relative_to(self.folder) else path
        return {"file": str(where), "line": problem.line, "message": problem.message, "cure": problem.cure}

    def _files(self) -> dict[Path, tuple[int, int]]:
        found = {}
        for path in self.folder.rglob("*"):
            if path.suffix in _SUFFIXES:
                try:
                    stat = path.stat()
                except FileNotFoundError:  # an editor that saves by renaming
                    continue
                found[path] = (stat.st_mtime_ns, stat.st_size)
        return found


class PreviewSite:
    """WSGI middleware: the preview's state and script, and a tag for the script on every page of `site`."""

    def __init__(self, site: Callable[..., Iterable[bytes]], preview: Preview) -> None:
        self.site, self.preview = site, preview

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] == STATE:
            return _answer(start_response, "application/json", json.dumps(self.preview.state()))
        if environ["PATH_INFO"] == SCRIPT:
            return _answer(start_response, "text/javascript", _JAVASCRIPT.read_text("utf-8"))
        said: list[Any] = []

        def listen(status: str, headers: Headers, *failure: Any) -> None:
            said[:] = [status, headers, *failure]

        body = self.site(environ, listen)
        status, headers = said[0], said[1]
        kind = {name.lower(): value for name, value in headers}
        if not kind.get("content-type", "").startswith("text/html") or "content-encoding" in kind:
            start_response(*said)
            return body
        return self._tagged(body, status, headers, start_response)

    @staticmethod
    def _tagged(
        body: Iterable[bytes], status: str, headers: Headers, start_response: Callable[..., Any]
    ) -> Iterator[bytes]:
        try:
            page = b"".join(body).replace(b"</body>", _TAG)
        finally:
            if close := getattr(body, "close", None):
                close()
        kept = [(name, value) for name, value in headers if name.lower() != "content-length"]
        start_response(status, [*kept, ("Content-Length", str(len(page)))])
        return iter([page])


def _answer(start_response: Callable[..., Any], kind: str, text: str) -> list[bytes]:
    body = text.encode()
    length = ("Content-Length", str(len(body)))
    start_response("200 OK", [("Content-Type", f"{kind}; charset=utf-8"), ("Cache-Control", "no-store"), length])
    return [body]


def watch(preview: Preview, say: Callable[[str], None], stop: threading.Event, every_s: float = 0.3) -> None:
    """Look until told to stop, and say what each look found."""
    while not stop.is_set():
        started = time.monotonic()
        try:
            if preview.look():
                say(_words(preview, time.monotonic() - started))
        except Exception as error:
            # whatever a half-written page made fail, the author goes on writing
            say(f"{type(error).__name__}: {error}; save again to try again.")
        stop.wait(every_s)


def _words(preview: Preview, seconds: float) -> str:
    if not preview.problems:
        return f"Loaded in {seconds:.1f} s."
    count = "1 problem" if len(preview.problems) == 1 else f"{len(preview.problems)} problems"
    return "\n".join([*map(str, preview.problems), f"{count}: nothing was loaded, the pages stay as they were."])
