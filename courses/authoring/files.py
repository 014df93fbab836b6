"""Read the content folder: what stands in the files, checked for shape, not yet rendered."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .frontmatter import Key, Lines, check_keys, read_yaml, split_page
from .problems import Problem, one_of

TIERS = ("open", "free", "premium")
LEVELS = ("foundational", "core", "advanced")
LESSON_SECTIONS = (
    "The problem",
    "The concept",
    "Build it",
    "Use it",
    "Ship it",
    "Exercises",
    "Key terms",
    "Further reading",
)
QUESTION_SECTIONS = ("Short answer", "Worked answer", "Numbers", "Editor's note")
ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")

_OPTION = {"text": Key(required=True), "right": Key("bool"), "why": Key()}
_QUIZ = {
    "id": Key(required=True),
    "kind": Key(required=True, choices=("single", "multiple", "ordering", "numeric")),
    "prompt": Key(required=True),
    "options": Key("maps", keys=_OPTION),
    "answer": Key("any"),
    "unit": Key(),
    "tolerance": Key("number"),
    "explanation": Key(required=True),
}
_SOURCE = {"title": Key(required=True), "url": Key(), "note": Key()}
LESSON = {
    "id": Key(required=True),
    "title": Key(required=True),
    "phase": Key("int", required=True),
    "order": Key("int", required=True),
    "track": Key(),
    "level": Key(required=True, choices=LEVELS),
    "tier": Key(required=True, choices=TIERS),
    "minutes": Key("int", required=True),
    "summary": Key(required=True),
    "prerequisites": Key("texts"),
    "learn": Key("texts", required=True),
    "interviewers": Key("texts", required=True),
    "preview_sections": Key("int"),
    "labs": Key("texts"),
    "questions": Key("texts"),
    "quiz": Key("maps", required=True, keys=_QUIZ),
    "artifact": Key("any"),
    "reading": Key("maps", keys=_SOURCE),
    "aliases": Key("texts"),
}
QUESTION = {
    "id": Key(required=True),
    "title": Key(required=True),
    "track": Key(required=True),
    "level": Key(required=True, choices=LEVELS),
    "tier": Key(required=True, choices=TIERS),
    "free_short": Key(choices=TIERS),
    "minutes": Key("int", required=True),
    "summary": Key(),
    "concepts": Key("texts", required=True),
    "rubric": Key("maps", required=True, keys={"point": Key(required=True), "weight": Key("int")}),
    "red_flags": Key("texts", required=True),
    "follow_ups": Key("texts"),
    "next": Key(),
    "calculator": Key("mapping", keys={"id": Key(required=True), "inputs": Key("mapping")}),
    "aliases": Key("texts"),
}
_HOME = {"figure": Key(required=True), "caption": Key(required=True), "calculator": Key(required=True)}
COURSE = {
    "id": Key(required=True),
    "home": Key("mapping", keys=_HOME),
    "title": Key(required=True),
    "summary": Key(required=True),
    "phases": Key(
        "maps",
        required=True,
        keys={"number": Key("int", required=True), "title": Key(required=True), "summary": Key(required=True)},
    ),
    "tracks": Key(
        "maps",
        required=True,
        keys={"id": Key(required=True), "title": Key(required=True), "summary": Key(required=True)},
    ),
}


@dataclass(frozen=True)
class Part:
    """One `## ` section of a page: `line` is where its text starts."""

    title: str
    line: int
    text: str


@dataclass(frozen=True)
class Page:
    """One lesson or question as written."""

    path: Path
    meta: Lines
    parts: list[Part]

    @property
    def id(self) -> str:
        return str(self.meta.get("id", ""))


@dataclass
class Folder:
    """The content folder as read. `measured` and `pictures` are by id; `problems` is what is wrong with its shape."""

    root: Path
    course: Lines
    lessons: list[Page] = field(default_factory=list)
    questions: list[Page] = field(default_factory=list)
    measured: dict[str, dict[str, Any]] = field(default_factory=dict)
    pictures: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def read_folder(root: Path) -> Folder:
    """Read everything under `root`. Raises nothing for an author's faults: they are in `problems`."""
    problems: list[Problem] = []
    path = root / "course.yaml"
    if path.is_file():
        course = read_yaml(path, path.read_text("utf-8"), problems)
        check_keys(path, course, COURSE, problems, "the course")
    else:
        problems.append(Problem(path, 1, "there is no course.yaml", "write one: id, title, summary, phases, tracks"))
        course = Lines()
        course.lines = {}
    folder = Folder(root, course, problems=problems)
    _read_measured(folder)
    folder.lessons = [
        _page(each, LESSON, LESSON_SECTIONS, "a lesson", problems) for each in sorted(root.glob("lessons/*.md"))
    ]
    folder.questions = [
        _page(each, QUESTION, QUESTION_SECTIONS, "a question", problems) for each in sorted(root.glob("questions/*.md"))
    ]
    for pages in (folder.lessons, folder.questions):
        _unique_ids(pages, problems)
    for page in folder.lessons:
        _lesson_shape(page, problems)
    return folder


def _read_measured(folder: Folder) -> None:
    for path in sorted(folder.root.glob("measured/*.json")):
        try:
            made = json.loads(path.read_text("utf-8"))
            shown = ("methods", "frontier") if "methods" in made else ("timelines",)
            missing = [key for key in (*shown, "numbers", "command", "torch") if key not in made]
        except (ValueError, TypeError) as error:
            folder.problems.append(Problem(path, 1, f"this is not valid JSON: {error}", "generate the artefact again"))
            continue
        if missing:
            folder.problems.append(Problem(path, 1, f"the artefact has no {', '.join(missing)}", "generate it again"))
            continue
        folder.measured[path.stem] = made
    for picture in sorted(folder.root.glob("measured/*.svg")):
        folder.pictures[picture.stem] = picture.read_text("utf-8")


def _page(path: Path, shape: dict[str, Key], sections: Iterable[str], what: str, problems: list[Problem]) -> Page:
    meta, body, line = split_page(path, path.read_text("utf-8"), problems)
    if meta:
        check_keys(path, meta, shape, problems, what)
    for ident in [meta.get("id"), *_texts(meta, "aliases")]:
        if isinstance(ident, str) and not ID.fullmatch(ident):
            problems.append(
                Problem(path, meta.at("id"), f"“{ident}” cannot be an id", "use small letters, digits and hyphens")
            )
    parts = _parts(path, body, line, problems)
    _section_order(path, parts, tuple(sections), meta, line, problems)
    return Page(path, meta, parts)


def _texts(meta: Lines, key: str) -> list[str]:
    value = meta.get(key)
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _parts(path: Path, body: str, line: int, problems: list[Problem]) -> list[Part]:
    """Split a body at its `## ` headings, leaving those inside code blocks alone."""
    parts: list[Part] = []
    title, start, gathered, fence = "", line, [], ""  # type: str, int, list[str], str
    for number, here in enumerate([*body.split("\n"), "## "], start=line):
        mark = re.match(r" *(`{3,}|~{3,})", here)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        last = number == line + body.count("\n") + 1
        if last or (not fence and re.match(r"##?\s", here)):
            text = "\n".join(gathered)
            if title:
                parts.append(Part(title, start, text))
            elif text.strip():
                problems.append(
                    Problem(path, start, "there is text before the first section", "put it under a ## heading")
                )
            if not last and not here.startswith("##"):
                problems.append(
                    Problem(
                        path,
                        number,
                        f"“{here}” is a heading of the first level",
                        "the title is in the front matter; sections are ##",
                    )
                )
            title, start, gathered = here.lstrip("# ").strip(), number + 1, []
        else:
            gathered.append(here)
    return parts


def _section_order(
    path: Path, parts: list[Part], known: tuple[str, ...], meta: Lines, line: int, problems: list[Problem]
) -> None:
    place = -1
    for part in parts:
        if part.title not in known:
            problems.append(
                Problem(path, part.line - 1, f"there is no section “{part.title}”", one_of(known, part.title))
            )
        elif known.index(part.title) <= place:
            problems.append(
                Problem(
                    path,
                    part.line - 1,
                    f"the heading “{part.title}” is out of order",
                    f"the order is: {', '.join(known)}",
                )
            )
        else:
            place = known.index(part.title)
        if not part.text.strip():
            problems.append(Problem(path, part.line - 1, f"the section “{part.title}” is empty", "write it"))
    needed = known[:2] if known == QUESTION_SECTIONS else known
    optional = {"Further reading"} if meta.get("reading") else set()
    for title in needed:
        if title not in optional and title not in {part.title for part in parts}:
            problems.append(Problem(path, line, f"the section “{title}” is missing", f"add ## {title}"))


def _unique_ids(pages: list[Page], problems: list[Problem]) -> None:
    owners: dict[str, Path] = {}
    for page in pages:
        for ident in [page.id, *_texts(page.meta, "aliases")]:
            if ident and ident in owners:
                line = page.meta.at("id" if ident == page.id else "aliases")
                problems.append(
                    Problem(page.path, line, f"the id “{ident}” is taken by {owners[ident].name}", "choose another")
                )
            owners[ident] = page.path


def _lesson_shape(page: Page, problems: list[Problem]) -> None:
    """What the declared keys cannot say: quiz options, sensible counts."""
    meta = page.meta
    if isinstance(shown := meta.get("preview_sections"), int) and not 0 <= shown <= len(page.parts):
        problems.append(
            Problem(
                page.path,
                meta.at("preview_sections"),
                f"the page has {len(page.parts)} sections, {shown} cannot be shown",
                "lower preview_sections",
            )
        )
    seen: set[str] = set()
    for item in meta.get("quiz") if isinstance(meta.get("quiz"), list) else ():  # type: ignore[union-attr]
        if isinstance(item, Lines):
            _quiz_shape(page.path, item, seen, problems)


def _quiz_shape(path: Path, item: Lines, seen: set[str], problems: list[Problem]) -> None:
    name, kind = item.get("id"), item.get("kind")
    options = item.get("options") if isinstance(item.get("options"), list) else []

    def wrong(message: str, cure: str) -> None:
        problems.append(Problem(path, item.line, f"the quiz item “{name}” {message}", cure))

    if name in seen:
        wrong("stands twice", "give it another id")
    seen.add(str(name))
    right = sum(1 for option in options or () if isinstance(option, Lines) and option.get("right"))
    if kind == "numeric":
        if "answer" not in item:
            wrong("has no answer", "add `answer:`, a number or [[= … | bare ]]")
        if options:
            wrong("is numeric and has options", "remove the options, or make it single")
        return
    if not options or len(options) < 2:
        wrong("has fewer than two options", "add options")
    if kind == "single" and right != 1:
        wrong(f"has {right} right options", "mark one option `right: true`")
    if kind == "multiple" and right < 1:
        wrong("has no right option", "mark the right ones `right: true`")
    if kind == "ordering" and right:
        wrong("is an ordering, and marks options as right", "list the options in the right order, unmarked")
    if kind in ("single", "multiple") and any(
        isinstance(each, Lines) and not each.get("why") for each in options or ()
    ):
        wrong("has an option that says no why", "add `why:` to each option: feedback is by option")
