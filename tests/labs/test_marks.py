"""The lines that a verdict names: found in its traceback, its refusal and its checks, and moved with an edited text."""

import linecache

import pytest

from grader import source as examined
from grader.verdict import Check, Outcome, Verdict
from labs import marks
from labs.marks import Mark
from labs.models import Submission
from tests.labs.conftest import new_submission, passed

CODE = """def inner(x):
    return x[3]


def checkpoint(function, *args):
    return inner([1])
"""


def crashed_on(code: str) -> Verdict:
    """The verdict on code whose checkpoint() raises, its traceback written by the subject as in a grading."""
    from grader import subject

    linecache.cache[subject.FILENAME] = (len(code), None, code.splitlines(keepends=True), subject.FILENAME)
    module: dict = {}
    exec(compile(code, subject.FILENAME, "exec"), module)
    try:
        module["checkpoint"](None)
    except Exception as error:
        body = subject.crash(error)
    return Verdict("free-lab", Outcome.CRASHED, message=body["error"], traceback=body["traceback"])


class TestOf:
    def test_a_traceback_marks_where_it_was_raised_and_the_calls_on_the_way(self):
        assert marks.of(crashed_on(CODE), CODE) == [
            Mark(2, "IndexError: list index out of range"),
            Mark(6, marks.ON_THE_WAY, way=True),
        ]

    def test_a_function_that_calls_itself_has_one_mark_a_line(self):
        code = "def checkpoint(f, n=5):\n    return checkpoint(f, n - 1) if n else 1 / 0\n"
        assert marks.of(crashed_on(code), code) == [Mark(2, "ZeroDivisionError: division by zero")]

    def test_a_module_that_cannot_be_parsed_marks_its_line(self, catalogue):
        from grader import catalog

        code = "x = 1\ndef checkpoint(:\n    pass\n"
        refusal = examined.examine(code.encode(), catalog.get("free-lab"))
        verdict = Verdict("free-lab", Outcome.REFUSED, message=refusal.message, traceback=refusal.traceback)
        assert [mark.line for mark in marks.of(verdict, code)] == [2]

    def test_a_failed_check_that_names_a_line_marks_it_and_a_passed_one_does_not(self):
        told = (
            Check("chain", "Gradients agree", False, "runs", "error", "", "KeyError: 'x' (line 2). Pass it on."),
            Check("own", "Written without torch.x", False, hint="Line 5 uses torch.x. Take it out."),
            Check("fine", "Fine", True, hint="Line 1 is fine."),
        )
        found = marks.of(Verdict("free-lab", Outcome.FAILED, checks=told), CODE)
        assert [(mark.line, mark.message[:15]) for mark in found] == [(2, "Gradients agree"), (5, "Written without")]

    @pytest.mark.parametrize("line", [0, 7, 9_999_999])
    def test_a_line_that_is_not_there_is_not_marked(self, line):
        verdict = Verdict("free-lab", Outcome.CRASHED, message="boom", traceback=f"  line {line}, in checkpoint\n")
        assert marks.of(verdict, CODE) == []

    def test_a_refusal_for_memory_kept_elsewhere_names_no_line(self):
        refused = Verdict("free-lab", Outcome.REFUSED, message="The process grew by 900 bytes while torch reports 1.")
        assert marks.of(refused, CODE) == []

    def test_a_long_error_is_cut(self):
        verdict = Verdict("free-lab", Outcome.CRASHED, message="x" * 8000, traceback="  line 2, in inner\n")
        assert len(marks.of(verdict, CODE)[0].message) == marks.MOST_LETTERS


class TestMoved:
    MARKS = [Mark(2, "boom"), Mark(6, "on the way", way=True)]

    def test_marks_go_with_their_lines(self):
        assert marks.moved(self.MARKS, CODE, "import torch\n\n" + CODE) == [
            Mark(4, "boom"),
            Mark(8, "on the way", way=True),
        ]

    def test_a_line_that_was_edited_has_none(self):
        assert marks.moved(self.MARKS, CODE, CODE.replace("x[3]", "x[0]")) == self.MARKS[1:]

    def test_another_text_has_none(self):
        assert marks.moved(self.MARKS, CODE, "y = 1\n") == []


@pytest.mark.django_db
@pytest.mark.usefixtures("catalogue", "hints")
class TestPage:
    def graded(self, owner, verdict, source=CODE):
        submission = new_submission(owner, source=source.encode())
        attempt = Submission.objects.claim(submission.pk, worker="w").attempt
        Submission.objects.finish(submission.pk, attempt, verdict.to_json(), grader_version="1")
        return submission

    def page(self, client, query=""):
        return client.get(f"/labs/free-lab/{query}").content.decode()

    def test_the_draft_shows_what_the_last_verdict_names(self, owner_client, owner):
        self.graded(owner, crashed_on(CODE))
        owner_client.post("/labs/free-lab/draft/", {"text": "# new\n" + CODE, "revision": 0})
        page = self.page(owner_client)
        assert '<li data-line="3"><b>Line 3</b> <span>IndexError: list index out of range</span></li>' in page
        assert '<li data-line="7" data-way>' in page

    def test_an_earlier_submission_shows_its_own(self, owner_client, owner):
        first = self.graded(owner, crashed_on(CODE))
        self.graded(owner, passed())
        assert "data-line" not in self.page(owner_client)
        assert 'data-line="2"' in self.page(owner_client, f"?from={first.public_id}")

    def test_a_later_run_that_passed_takes_the_marks_away(self, owner_client, owner):
        owner_client.post("/labs/free-lab/draft/", {"text": CODE, "revision": 0})
        self.graded(owner, crashed_on(CODE))
        assert 'data-line="2"' in self.page(owner_client)
        self.graded(owner, passed())
        assert "data-line" not in self.page(owner_client)

    def test_nobody_elses_verdict_marks_ones_lines(self, owner_client, subscriber):
        self.graded(subscriber, crashed_on(CODE))
        owner_client.post("/labs/free-lab/draft/", {"text": CODE, "revision": 0})
        assert "data-line" not in self.page(owner_client)

    def test_an_error_is_text_and_no_markup(self, owner_client, owner):
        code = "def checkpoint(function):\n    raise ValueError('<script>alert(1)</script>')\n"
        submission = self.graded(owner, crashed_on(code), code)
        page = self.page(owner_client, f"?from={submission.public_id}")
        assert "&lt;script&gt;alert(1)" in page and "<script>alert" not in page
