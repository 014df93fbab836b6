"""Every fault in the content names its file, its line and the cure."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import pytest
from django.core.management import CommandError, call_command

from courses import drawing
from courses.authoring.build import build
from courses.authoring.code import run_blocks, run_pages
from courses.authoring.problems import Problem
from courses.authoring.scan import Code

LESSON = "lessons/1-01-checkpointing.md"
QUESTION = "questions/when-it-pays.md"


def problems_after(folder: Path, file: str, old: str, new: str) -> list[Problem]:
    """Change one place of one file and return what the check says."""
    path = folder / file
    text = path.read_text("utf-8")
    assert old in text, f"{file} has no {old!r}"
    path.write_text(text.replace(old, new, 1), "utf-8")
    made = build(folder, drawing.embedded, {"checkpoint-function"})
    found = list(made.problems)
    for page in [*made.lessons, *made.questions]:
        found += run_blocks(page.path, page.code)
    return found


@pytest.mark.parametrize(
    ("file", "old", "new", "marker", "message", "cure"),
    [
        # front matter
        (LESSON, "minutes: 35", "minute: 35", "minute: 35", "unknown key “minute”", "minutes"),
        (LESSON, "minutes: 35\n", "", "id: checkpointing", "has no “minutes”", "minutes:"),
        (LESSON, "minutes: 35", "minutes: long", "minutes: long", "is not a whole number", "a whole number"),
        (LESSON, "tier: premium", "tier: gold", "tier: gold", "not known", "premium"),
        (LESSON, "minutes: 35", "minutes: 35\nminutes: 36", "minutes: 36", "stands twice", ""),
        (LESSON, "title: Act", "title: a: b", "title: a: b", "not valid YAML", "quote"),
        (LESSON, "id: checkpointing", "id: Check Pointing", "id: Check Pointing", "cannot be an id", "hyphens"),
        (LESSON, "id: checkpointing", "id: saved-tensors", "id: saved-tensors", "is taken by", "another"),
        (LESSON, "phase: 1", "phase: 7", "phase: 7", "no phase “7”", "0, 1"),
        (LESSON, "track: autograd", "track: autogrid", "track: autogrid", "no track “autogrid”", "autograd"),
        (LESSON, "prerequisites: [saved-tensors]", "prerequisites: [saved-tensor]", "prerequisites", "no lesson", "saved-tensors"),  # noqa: E501
        (LESSON, "questions: [when-it-pays]", "questions: [when]", "questions: [when]", "no question “when”", "when-it-pays"),  # noqa: E501
        (LESSON, "labs: [checkpoint-function]", "labs: [checkpoint]", "labs: [", "no lab “checkpoint”", "checkpoint-function"),  # noqa: E501
        (QUESTION, "concepts: [checkpointing]", "concepts: [checkpoints]", "concepts", "no lesson “checkpoints”", "checkpointing"),  # noqa: E501
        (QUESTION, "id: time-to-train", "id: time-to-trane", "calculator:", "no calculator", "time-to-train"),
        ("course.yaml", "title: Training", "titel: Training", "titel", "unknown key “titel”", "title"),
        ("course.yaml", "figure: two-blocks", "figure: three-blocks", "figure: three", "has no source", "two-blocks"),
        # quiz
        (LESSON, "    explanation: Two blocks of one MiB.\n", "", "- id: bytes", "has no “explanation”", "explanation:"),  # noqa: E501
        (LESSON, "kind: multiple", "kind: many", "kind: many", "not known", "multiple"),
        (LESSON, ", why: They stay exact.", "", "- id: cost", "says no why", "why:"),
        (LESSON, "kind: multiple", "kind: single", "- id: cost", "2 right options", "one option"),
        (LESSON, "numbers.peak_bytes | MiB bare", "numbers.peak | MiB bare", "answer:", "“peak” is not in it", "peak_bytes"),  # noqa: E501
        # sections and headings
        (LESSON, "## Build it", "## Built it", "## Built it", "no section “Built it”", "Build it"),
        (LESSON, "## Use it", "## Exercises", "## Ship it", "out of order", "the order is"),
        (LESSON, "## Ship it\n\nText.\n", "", "## The problem", "“Ship it” is missing", "## Ship it"),
        (LESSON, "## Ship it\n\nText.", "## Ship it\n", "## Ship it", "is empty", "write it"),
        (LESSON, "PREVIEW-TWO", "#### Deep\n\nPREVIEW-TWO", "#### Deep", "out of order", "###"),
        (LESSON, "PREVIEW-TWO", "# Top\n\nPREVIEW-TWO", "# Top", "first level", "##"),
        # numbers, formulas, links, figures
        (LESSON, "| MiB | 2 MiB ]]", "| MiB | 3 MiB ]]", "3 MiB", "the page says 3 MiB, the computation says 2 MiB", "agree"),  # noqa: E501
        (LESSON, "PREVIEW-TWO", "12 GB PREVIEW-TWO", "12 GB", "“12 GB” is typed by hand", "[[given 12 GB]]"),
        (LESSON, "PREVIEW-TWO", "At 396 TFLOP/s, [[= time-to-train.seconds(achieved=395) ]] PREVIEW-TWO", "At 396", "“396 TFLOP/s” is typed", "[[="),  # noqa: E501
        (LESSON, "PREVIEW-TWO", "[[given 12 GB PREVIEW-TWO", "12 GB", "a [[given is not closed", "]]"),
        (QUESTION, "## Worked answer\n", "## Worked answer\n\n12 GB.\n", "12 GB", "“12 GB” is typed by hand", "[[="),
        (LESSON, "PREVIEW-TWO", "$a_$ PREVIEW-TWO", "$a_$", "does not convert", "LaTeX"),
        (LESSON, "PREVIEW-TWO", "costs $2 PREVIEW-TWO", "costs $2", "does not close", "\\$"),
        (LESSON, "lesson:saved-tensors", "lesson:saved-tensor", "lesson:saved-tensor", "no lesson", "saved-tensors"),
        (LESSON, "lesson:saved-tensors", "saved.html", "saved.html", "leads nowhere", "lesson:id"),
        (LESSON, "lesson:saved-tensors", "#nowhere", "#nowhere", "nothing on this page", "the-concept"),
        (LESSON, "PREVIEW-TWO", "Said.[^who] PREVIEW-TWO", "[^who]", "[^who] is not defined", "[^who]: …"),
        (LESSON, "PREVIEW-TWO", "![a](a.png) PREVIEW-TWO", "a.png", "picture without a source", "/// figure"),
        (LESSON, "/// figure | two-blocks", "/// figure | two-block", "/// figure", "has no source", "two-blocks"),
        (LESSON, "/// figure | two-blocks", "/// figur | two-blocks", "/// figur", "no block “/// figur”", "figure"),
        (LESSON, "/// calculator | time-to-train\n", "/// calculator | time-to-train\nparamz: 1\n", "/// calc", "no input", ""),  # noqa: E501
        (LESSON, "Locked too.\n///", "Locked too.", "/// term", "is not closed", "///"),
        # code
        (LESSON, "6 * 7", "6 / 0", "```python run", "ZeroDivisionError", "make it run"),
        (LESSON, "6 * 7", "6 * 8", "```python run", "PREMIUM-CODE 48", "output"),
        (LESSON, "```output\nPREMIUM-CODE 42\n```\n", "", "```python run", "does not say what", "PREMIUM-CODE 42"),
        (LESSON, "```python run", "```python runs", "```python runs", "not known for a code block", "python run"),
    ],
)  # fmt: skip
def test_a_fault_names_file_line_and_cure(
    folder: Path, file: str, old: str, new: str, marker: str, message: str, cure: str
) -> None:
    found = problems_after(folder, file, old, new)
    path = folder / file
    lines = path.read_text("utf-8").split("\n")
    numbers = {number for number, line in enumerate(lines, start=1) if marker in line}
    fitting = [each for each in found if each.path == path and message in each.message and cure in each.cure]
    assert fitting, f"expected “{message}”, got:\n" + "\n".join(map(str, found))
    assert fitting[0].line in numbers, f"line {fitting[0].line} named, “{marker}” stands in {sorted(numbers)}"


def test_the_small_curriculum_has_no_faults(folder: Path) -> None:
    assert problems_after(folder, LESSON, "minutes: 35", "minutes: 36") == []


def test_all_faults_are_said_at_once_and_the_command_fails(folder: Path) -> None:
    lesson = folder / LESSON
    lesson.write_text(
        lesson.read_text("utf-8").replace("minutes: 35", "minute: 35").replace("tier: premium", "tier: x")
    )
    with pytest.raises(CommandError) as caught:
        call_command("content", "check", "--folder", str(folder))
    assert "minute" in str(caught.value) and "tier: x" in str(caught.value) and "2 problems" not in str(lesson)
    assert f"{lesson}:" in str(caught.value) and "cure:" in str(caught.value)


def test_a_started_page_fails_only_for_what_is_left_to_write(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("content", "new", "lesson", "kv-cache", "--folder", str(folder))
    path = folder / "lessons/0-99-kv-cache.md"
    assert capsys.readouterr().out.strip() == str(path)
    assert build(folder, drawing.embedded).problems == []
    with pytest.raises(CommandError, match="already"):
        call_command("content", "new", "lesson", "kv-cache", "--folder", str(folder))


def test_code_that_continues_sees_what_ran_before(folder: Path) -> None:
    text = "```python run\nx = 2\n```\n\n```python run continue\nprint(x + 1)\n```\n```output\n3\n```"
    assert problems_after(folder, LESSON, "PREVIEW-TWO", f"{text}\n\nPREVIEW-TWO") == []


def block(source: str, output: str | None = None, continues: bool = False, line: int = 1) -> Code:
    return Code(line, source, continues, output)


def test_programs_run_side_by_side_and_their_faults_keep_the_order_of_the_pages(tmp_path: Path) -> None:
    """The first waits for the second: run after one another they would never end."""
    here, there = tmp_path / "first", tmp_path / "second"
    wait = "import pathlib, time\npathlib.Path({!r}).touch()\nwhile not pathlib.Path({!r}).exists(): time.sleep(0.02)\n"
    first = block(wait.format(str(here), str(there)) + "print(1)", "one")
    second = block(wait.format(str(there), str(here)) + "print(2)", "two")
    with mock.patch("os.cpu_count", return_value=2), mock.patch("courses.authoring.code.PATIENCE", 1):
        found = run_pages([(Path("b.md"), [first]), (Path("a.md"), [second])])
    assert [(str(each.path), each.message.split("\n")[-1]) for each in found] == [("b.md", "1"), ("a.md", "2")]


def test_blocks_that_go_on_are_run_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    blocks = [
        block(f"print(1)\nopen({str(log)!r}, 'a').write('x')", "1"),
        block("print(2)", "2", True, 2),
        block("print(3)", "4", True, 3),
        block("print(5)", "5", False, 4),
    ]
    found = run_blocks(Path("a.md"), blocks)
    assert [(each.line, each.message.split("\n")[-1]) for each in found] == [(3, "3")]
    assert log.read_text() == "x"


@pytest.mark.parametrize(("middle", "said"), [("1 / 0", "ZeroDivisionError"), ("while True: pass", "more than 1 s")])
def test_a_block_that_fails_is_named_and_those_before_it_are_judged(middle: str, said: str) -> None:
    blocks = [block("print(1)", "one", False, 1), block(middle, None, True, 2), block("print(3)", "3", True, 3)]
    with mock.patch("courses.authoring.code.LIMIT_S", 1):
        found = run_blocks(Path("a.md"), blocks)
    assert [each.line for each in found] == [1, 2, 3]
    assert "print" in found[0].message and said in found[1].message and said in found[2].message


def test_a_program_that_leaves_early_is_judged_by_what_it_printed() -> None:
    blocks = [block("print(1)\nimport sys\nsys.exit(0)", "1"), block("print(2)", "2", True, 2)]
    assert [(each.line, each.message) for each in run_blocks(Path("a.md"), blocks)] == [
        (2, "this code prints something else than the page says:\n")
    ]
