"""Turn a content folder into pages ready to store, and say everything that is wrong with it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from courses import calculators
from courses.calculators import hardware, units

from . import typed
from .files import Folder, Page, read_folder
from .frontmatter import Lines
from .links import Known, slugify
from .numbers import EXPRESSION, Sources, evaluate
from .problems import AuthorError, ContentErrors, Problem, one_of
from .render import Draw, Library, PageRenderer, Rendered
from .scan import Code


@dataclass(frozen=True)
class Section:
    """A rendered section of a page."""

    slug: str
    title: str
    html: str
    text: str


@dataclass(frozen=True)
class Quiz:
    """A rendered quiz item. `options` hold `html`, `right` and `why` (an ordering: in the right order)."""

    key: str
    kind: str
    prompt: str
    options: list[dict[str, Any]]
    explanation: str
    answer: float | None
    unit: str
    tolerance: float


@dataclass
class Built:
    """A rendered lesson or question. `meta` is its front matter; `lists` its lists rendered to HTML, by key."""

    path: Path
    id: str
    meta: Lines
    version: str
    sections: list[Section] = field(default_factory=list)
    terms: list[dict[str, str]] = field(default_factory=list)
    lists: dict[str, list[Any]] = field(default_factory=dict)
    quiz: list[Quiz] = field(default_factory=list)
    calculator: str = ""
    code: list[Code] = field(default_factory=list)

    @property
    def aliases(self) -> list[str]:
        return list(self.meta.get("aliases", []))


@dataclass
class Curriculum:
    """The whole content, rendered."""

    course: Lines
    lessons: list[Built]
    questions: list[Built]
    problems: list[Problem]
    home_figure: str = ""


# rendered pages and their problems by what they were made of: see `build`
Kept = dict[Path, tuple[str, Built, list[Problem]]]


def build(root: Path, draw: Draw, labs: Set[str] | None = None, kept: Kept | None = None) -> Curriculum:
    """Read and render the folder `root`. `labs` are the slugs that links may name; None leaves them unchecked.

    `draw` makes the HTML of a calculator. Faults are in `problems`; while there are any, the pages are not to be shown.
    A caller that builds again and again in one process hands in the same `kept`: pages of which nothing changed,
    neither their text nor what they may refer to, are then taken from it.
    """
    folder = read_folder(root)
    if folder.problems:
        # rendering a page whose shape is wrong would report the same fault twice, or trip over it
        return Curriculum(folder.course, [], [], sorted(folder.problems))
    library = _library(folder, draw, labs)
    made = Curriculum(folder.course, [], [], [])
    kept = {} if kept is None else kept
    around = _surroundings(folder, library)
    for pages, render, into in ((folder.lessons, _lesson, made.lessons), (folder.questions, _question, made.questions)):
        for page in pages:
            digest = hashlib.sha256(page.path.read_bytes() + around).hexdigest()
            if page.path not in kept or kept[page.path][0] != digest:
                problems: list[Problem] = []
                kept[page.path] = digest, render(page, library, folder, problems), problems
            into.append(kept[page.path][1])
            made.problems += kept[page.path][2]
    made.home_figure = _home(folder, library, made.problems)
    made.problems.sort()
    return made


def build_or_raise(root: Path, draw: Draw, labs: Set[str] | None = None) -> Curriculum:
    """The same, but raise ContentErrors with every problem where there is one."""
    made = build(root, draw, labs)
    if made.problems:
        raise ContentErrors(made.problems)
    return made


def _library(folder: Folder, draw: Draw, labs: Set[str] | None) -> Library:
    ids: dict[str, Set[str]] = {
        "lesson": {page.id for page in folder.lessons},
        "question": {page.id for page in folder.questions},
        "calculator": {entry.id for entry in calculators.all_calculators()},
    }
    if labs is not None:
        ids["lab"] = labs
    sources = Sources(calculators.get, calculators.all_calculators, folder.measured)
    return Library(sources, folder.pictures, Known(ids), draw)


def _surroundings(folder: Folder, library: Library) -> bytes:
    """Return what the rendering of any page depends on besides its own file."""
    ids = {kind: sorted(known) for kind, known in library.known.ids.items()}
    return json.dumps([folder.course, folder.measured, folder.pictures, ids], sort_keys=True).encode()


def _home(folder: Folder, library: Library, problems: list[Problem]) -> str:
    """Draw the figure of the home page and check its calculator."""
    home: Lines | None = folder.course.get("home")
    if home is None:
        return ""
    renderer = PageRenderer(folder.root / "course.yaml", library)
    block = f"/// figure | {home['figure']}\n{home['caption']}\n///"
    drawn = renderer.section(block, home.at("figure")).html
    if home["calculator"] not in library.known.ids["calculator"]:
        problems.append(
            Problem(
                renderer.path,
                home.at("calculator"),
                f"there is no calculator “{home['calculator']}”",
                one_of(library.known.ids["calculator"], home["calculator"]),
            )
        )
    problems += renderer.problems
    return drawn


class _Work:
    """One page being built: its renderer, and the problems that name its file."""

    def __init__(self, page: Page, library: Library, problems: list[Problem]) -> None:
        self.page, self.meta, self.library, self.problems = page, page.meta, library, problems
        self.renderer = PageRenderer(page.path, library)
        source = page.path.read_bytes()
        self.built = Built(page.path, page.id, page.meta, hashlib.sha256(source).hexdigest()[:12])

    def sections(self) -> None:
        for part in self.page.parts:
            slug = slugify(part.title)
            self.renderer.ids.add(slug)
            rendered: Rendered = self.renderer.section(part.text, part.line, prefix=slug)
            self.built.sections.append(Section(slug, part.title, rendered.html, rendered.text))
            self.built.terms += [
                {"name": name, "anchor": f"term-{slugify(name)}", "section": slug} for name in rendered.terms
            ]
            self.built.code += rendered.code

    def numbers(self, calculator: str = "", inputs: Mapping[str, str] = typed.NONE, only: Collection[str] = ()) -> None:
        """Check that the numbers in the prose have a source."""
        sections = [(part.title, part.line, part.text) for part in self.page.parts]
        for found in typed.find(sections, self._assumes, calculator, inputs, only):
            self.problems.append(
                Problem(
                    self.page.path,
                    found.line,
                    f"“{found.words}” is typed by hand",
                    "compute it: [[= … ]]; or mark what is assumed: "
                    f"[[given {found.words}]]; or name its source in a footnote of this paragraph",
                )
            )

    def _assumes(self, ident: str, inputs: Mapping[str, str]) -> Iterator[typed.Quantity]:
        """Return the amounts that a calculator is given or left with; a device stands for its peak and memory rate."""
        try:
            calculator = self.library.sources.calculator(ident)
            values = calculator.read(inputs)
        except (KeyError, calculators.InputError):  # said where the page is rendered
            return
        for entry in calculator.fields:
            value = values[entry.name]
            if isinstance(value, int | float):
                yield typed.quantity(value, units.dimension(entry.unit) if entry.kind == "quantity" else entry.unit)
            elif value in hardware.DENSE_PEAK_FLOPS:
                yield typed.quantity(hardware.DENSE_PEAK_FLOPS[value], "FLOP/s")
                yield typed.quantity(hardware.MEMORY_BYTES_PER_S[value], "B/s")

    def list_of(self, key: str) -> None:
        line = self.meta.at(key)
        self.built.lists[key] = [self.renderer.inline(text, line) for text in self.meta.get(key, [])]

    def refers(self, key: str, kind: str) -> None:
        """Check that the ids under `key`, one or a list, exist."""
        value = self.meta.get(key, [])
        for ident in [value] if isinstance(value, str) else value:
            self.attempt(self.meta.at(key), self.library.known.check, kind, ident)

    def attempt(self, line: int, function: Any, *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except AuthorError as error:
            self.problems.append(Problem(self.page.path, line, error.message, error.cure))
            return None

    def one_of_course(self, key: str, known: Mapping[Any, Any] | Set[Any]) -> None:
        if key in self.meta and self.meta[key] not in known:
            self.problems.append(
                Problem(
                    self.page.path,
                    self.meta.at(key),
                    f"the course has no {key} “{self.meta[key]}”",
                    one_of(map(str, known), str(self.meta[key])),
                )
            )

    def done(self) -> Built:
        self.renderer.finish()
        self.problems += self.renderer.problems
        return self.built


def _lesson(page: Page, library: Library, folder: Folder, problems: list[Problem]) -> Built:
    work = _Work(page, library, problems)
    work.one_of_course("phase", {phase["number"] for phase in folder.course["phases"]})
    work.one_of_course("track", {track["id"] for track in folder.course["tracks"]})
    for key, kind in (("prerequisites", "lesson"), ("questions", "question"), ("labs", "lab")):
        work.refers(key, kind)
    if page.id in page.meta.get("prerequisites", []):
        problems.append(
            Problem(page.path, page.meta.at("prerequisites"), "the lesson asks for itself first", "remove it")
        )
    work.sections()
    work.numbers()
    for key in ("learn", "interviewers"):
        work.list_of(key)
    work.built.quiz = [_quiz(item, work) for item in page.meta.get("quiz", [])]
    return work.done()


def _quiz(item: Lines, work: _Work) -> Quiz:
    render = work.renderer.inline
    options = [
        {
            "html": render(option["text"], option.line),
            "right": bool(option.get("right")),
            "why": render(option["why"], option.line) if option.get("why") else "",
        }
        for option in item.get("options", [])
    ]
    answer = item.get("answer")
    if isinstance(answer, str) and (match := EXPRESSION.fullmatch(answer.strip())):
        number = work.attempt(item.at("answer"), evaluate, match[1], work.library.sources)
        answer = number.value if number else None
    elif answer is not None:
        try:
            answer = float(answer)
        except (TypeError, ValueError):
            work.problems.append(
                Problem(
                    work.page.path,
                    item.at("answer"),
                    f"the answer “{answer}” is no number",
                    "write a number or [[= … | bare ]]",
                )
            )
    return Quiz(
        item["id"],
        item["kind"],
        render(item["prompt"], item.at("prompt")),
        options,
        render(item["explanation"], item.at("explanation")),
        answer,
        item.get("unit", ""),
        float(item.get("tolerance", 0.01)),
    )


def _question(page: Page, library: Library, folder: Folder, problems: list[Problem]) -> Built:
    work = _Work(page, library, problems)
    work.one_of_course("track", {track["id"] for track in folder.course["tracks"]})
    work.refers("concepts", "lesson")
    work.refers("next", "question")
    work.sections()
    for key in ("red_flags", "follow_ups"):
        work.list_of(key)
    work.built.lists["rubric"] = [
        {"html": work.renderer.inline(point["point"], point.line), "weight": point.get("weight", 1)}
        for point in page.meta["rubric"]
    ]
    inputs: dict[str, str] = {}
    if chosen := page.meta.get("calculator"):
        inputs = {name: str(value) for name, value in chosen.get("inputs", {}).items()}
        drawn = work.attempt(page.meta.at("calculator"), work.renderer.calculator, chosen["id"], inputs)
        work.built.calculator = drawn or ""
    work.numbers(chosen["id"] if chosen else "", inputs, typed.SECTIONS_OF_A_QUESTION)
    return work.done()
