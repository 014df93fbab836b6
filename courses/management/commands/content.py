"""python manage.py content sync | check | new | preview"""

from __future__ import annotations

import contextlib
import signal
import threading
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application

from courses import drawing, lab_links
from courses.authoring.build import build, build_or_raise
from courses.authoring.code import run_pages
from courses.authoring.files import ID, LESSON_SECTIONS, QUESTION_SECTIONS
from courses.authoring.problems import ContentErrors, Problem
from courses.previewing import Preview, PreviewSite, watch
from courses.sync import sync

CONTENT = Path(__file__).resolve().parents[2] / "content"


class Command(BaseCommand):
    help = "Load the curriculum into the database, check it, or start a page."
    requires_system_checks = ()

    def add_arguments(self, parser: Any) -> None:
        commands = parser.add_subparsers(dest="what", required=True)
        for name, words in (("sync", "load the pages"), ("check", "say everything that is wrong with them")):
            command: ArgumentParser = commands.add_parser(name, help=words)
            command.add_argument("--folder", type=Path, default=CONTENT)
            if name == "check":
                command.add_argument("--no-run", action="store_true", help="leave the code blocks out")
        preview = commands.add_parser("preview", help="serve the pages and reload them as their files are saved")
        preview.add_argument("--folder", type=Path, default=CONTENT)
        preview.add_argument("--port", type=int, default=8001)
        new = commands.add_parser("new", help="start a page")
        new.add_argument("kind", choices=["lesson", "question"])
        new.add_argument("id")
        new.add_argument("--folder", type=Path, default=CONTENT)

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"]
        match options["what"]:
            case "sync":
                self._sync(folder)
            case "check":
                self._check(folder, run=not options["no_run"])
            case "preview":
                self._preview(folder.absolute(), options["port"])
            case "new":
                self.stdout.write(str(_new(folder, options["kind"], options["id"])))

    def _sync(self, folder: Path) -> None:
        try:
            curriculum = build_or_raise(folder, drawing.embedded, _labs())
        except ContentErrors as error:
            raise CommandError(f"{_listed(error.problems)}\nNothing was loaded.") from None
        counts = sync(curriculum)
        said = ", ".join(f"{count} {what}" for what, count in sorted(counts.items()) if count) or "nothing to change"
        self.stdout.write(f"{len(curriculum.lessons)} lessons, {len(curriculum.questions)} questions: {said}")

    def _preview(self, folder: Path, port: int) -> None:
        if not settings.LOCAL:
            raise CommandError("preview is for writing on your own machine: it needs local mode (HEADROOM_MODE).")
        call_command("migrate", interactive=False, verbosity=0)
        preview, stop = Preview(folder), threading.Event()
        try:
            server = ThreadedWSGIServer(("127.0.0.1", port), _Quiet)
        except OSError as error:
            raise CommandError(f"port {port} cannot be used: {error.strerror}; choose another with --port.") from None
        server.set_app(PreviewSite(get_wsgi_application(), preview))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        signal.signal(signal.SIGTERM, lambda *_: stop.set())
        self.stdout.write(
            f"Reading {folder} …\nThe pages are at http://127.0.0.1:{port}/ (Ctrl-C ends it). What is locked opens "
            "after signing in with the account that `python manage.py prepare` prints."
        )
        with contextlib.suppress(KeyboardInterrupt):
            watch(preview, self.stdout.write, stop)
        server.shutdown()

    def _check(self, folder: Path, run: bool) -> None:
        curriculum = build(folder, drawing.embedded, _labs())
        problems, ran = list(curriculum.problems), 0
        if run:
            pages = [(page.path, page.code) for page in (*curriculum.lessons, *curriculum.questions)]
            problems += run_pages(pages)
            ran = sum(len(code) for _, code in pages)
        if problems:
            raise CommandError(_listed(problems))
        read = f"{len(curriculum.lessons)} lessons, {len(curriculum.questions)} questions"
        self.stdout.write(f"{read}: no problems; {ran} code blocks run")


class _Quiet(WSGIRequestHandler):
    """Leaves the terminal to what is wrong with the pages; errors of the site are logged all the same."""

    def log_message(self, *_: Any) -> None:
        return


def _labs() -> set[str] | None:
    known = lab_links.titles()
    return None if known is None else set(known)


def _listed(problems: list[Problem]) -> str:
    def shown(problem: Problem) -> str:
        path = problem.path
        if path.is_relative_to(Path.cwd()):
            path = path.relative_to(Path.cwd())
        return str(Problem(path, problem.line, problem.message, problem.cure))

    count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    return "\n".join([*map(shown, sorted(problems)), f"{count} in the content."])


_LESSON = """---
id: {id}
title: {title}
phase: 0
order: 99
level: core
tier: free
minutes: 20
summary: One sentence that says what the reader can do afterwards.
prerequisites: []
learn:
  - …
interviewers:
  - …
labs: []
questions: []
quiz:
  - id: first
    kind: single
    prompt: …
    options:
      - {{text: …, right: true, why: …}}
      - {{text: …, why: …}}
    explanation: …
---
"""
_QUESTION = """---
id: {id}
title: {title}
track: training
level: core
tier: premium
minutes: 10
concepts: []
rubric:
  - {{point: …, weight: 1}}
red_flags:
  - …
follow_ups:
  - …
---
"""


def _new(folder: Path, kind: str, ident: str) -> Path:
    """Write the skeleton of a page and return its path. Raises CommandError where one is there."""
    if not ID.fullmatch(ident):
        raise CommandError(f"“{ident}” cannot be an id: use small letters, digits and hyphens, as in kv-cache.")
    if any(folder.glob(f"{kind}s/*{ident}.md")):
        raise CommandError(f"There is a {kind} “{ident}” already: choose another id, or edit that one.")
    path = folder / f"{kind}s" / (f"0-99-{ident}.md" if kind == "lesson" else f"{ident}.md")
    front, sections = (_LESSON, LESSON_SECTIONS) if kind == "lesson" else (_QUESTION, QUESTION_SECTIONS)
    body = "".join(f"\n## {section}\n\n…\n" for section in sections)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(front.format(id=ident, title=ident.replace("-", " ").capitalize()) + body, "utf-8")
    return path
