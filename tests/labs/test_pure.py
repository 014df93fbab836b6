"""Figures, sentences and statements: functions of their arguments, tried by tables of cases."""

import subprocess
import sys
from datetime import timedelta

import pytest
from django.utils import timezone

from grader.verdict import Check, Outcome, Verdict
from labs import statement, status, units, verdict_page
from labs.models import State, Submission
from tests.labs.conftest import MIB, failed_verdict, timeline


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (1, "1.00"), (48.12, "48.1"), (999.4, "999"), (999.6, "1,000"), (1234.5, "1,230"), (0.0312, "0.0312"),
        (9.999, "10.0"), (2.4e-7, "2.4e-7"), (-5.5, "-5.50"), (float("nan"), "NaN"), (float("inf"), "infinity"),
    ],
)  # fmt: skip
def test_three_significant_digits(value, text):
    assert units.three(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "0.977 KiB"), (50_436_505, "48.1 MiB"),
        (1_073_741_824, "1.00 GiB"), (-2_097_152, "-2.00 MiB"), (10**15, "909 TiB"),
    ],
)  # fmt: skip
def test_bytes_in_the_unit_that_reads_best(value, text):
    assert units.of_bytes(value) == text


@pytest.mark.parametrize(("value", "text"), [(999, "999 FLOP"), (3_221_225_472, "3.22 GFLOP"), (4e15, "4.00 PFLOP")])
def test_flops_in_decimal_prefixes(value, text):
    assert units.of_flops(value) == text


@pytest.mark.parametrize(("value", "text"), [(3.1, "3.10 s"), (0.0842, "84.2 ms"), (1.2e-5, "12.0 µs")])
def test_durations(value, text):
    assert units.of_seconds(value) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (None, "", ""), (True, "", "yes"), ("no gradient", "", "no gradient"), (1e-5, "relative", "1e-5"),
        (0.92, "forwards", "0.920 forwards"), (1_234, "calls", "1,234 calls"), ("NaN", "relative", "NaN relative"),
    ],
)  # fmt: skip
def test_a_checks_value_as_a_reader_wants_it(value, unit, text):
    assert units.of(value, unit) == text


@pytest.mark.parametrize(
    ("age_s", "every"), [(0, 1), (9.9, 1), (10, 2), (59, 2), (60, 5), (599, 5), (600, 15), (86_400, 15)]
)
def test_pages_ask_more_rarely_as_time_goes_by(age_s, every):
    assert status.poll_every(timedelta(seconds=age_s)) == every


@pytest.mark.parametrize(
    ("fields", "ahead", "sentence"),
    [
        ({"state": State.QUEUED}, 0, "Queued, next in line"),
        ({"state": State.QUEUED}, 1_200, "Queued, 1,200 ahead of this one"),
        ({"state": State.RUNNING, "phase": "starting"}, 0, "Starting a fresh sandbox"),
        ({"state": State.RUNNING, "phase": "case", "progress_done": 0, "progress_total": 8}, 0, "Running case 1 of 8"),
        ({"state": State.RUNNING, "phase": "case", "progress_done": 8, "progress_total": 8}, 0, "Running case 8 of 8"),
        ({"state": State.RUNNING, "phase": "judging"}, 0, "Judging: comparing with the reference"),
        ({"state": State.CANCELLED}, 0, "Cancelled"),
    ],
)
def test_where_a_submission_stands(fields, ahead, sentence):
    now = timezone.now()
    assert status.describe(Submission(created=now, **fields), ahead, now).sentence == sentence


def test_headlines():
    def head(outcome, *checks, **options):
        return verdict_page.headline(Verdict("l", outcome, checks=checks, **options), public_only=False)

    good, bad = Check("a", "Bytes", True), Check("b", "Gradients", False)
    assert head(Outcome.PASSED, good) == "Every check holds."
    assert head(Outcome.FAILED, good, bad) == "One check does not hold: Gradients."
    assert head(Outcome.FAILED, bad, good, bad) == "2 of 3 checks do not hold. First: Gradients."
    assert head(Outcome.TIMED_OUT) == "Your code was still running when its time was up."


def test_a_passed_headline_says_what_was_saved():
    verdict = failed_verdict()
    passed = Verdict("l", Outcome.PASSED, measurements=verdict.measurements)
    assert verdict_page.headline(passed, public_only=False) == "Every check holds. Peak 29.1 % of the plain run's."


def test_failed_checks_come_first():
    assert [row["check"].passed for row in verdict_page.checks(failed_verdict())] == [False, True]


def test_the_same_hint_is_given_once():
    checks = tuple(Check(name, name, False, hint="Bind the value.") for name in "ab")
    assert verdict_page.next_steps(Verdict("l", Outcome.FAILED, checks=checks)) == ["Bind the value."]


def test_the_table_has_a_cell_for_every_kind_that_is_ever_live():
    run = timeline()
    run["kinds"].append("input")
    run["live"]["input"] = [0] * 5
    assert verdict_page.kinds(run) == [("saved_activation", "saved activations"), ("gradient", "gradients")]
    rows = verdict_page.moments(run)
    assert [(row["point"], row["cells"]) for row in rows if row["peak"]] == [(2, [8, 1])]
    assert all(len(row["cells"]) == 2 for row in rows)


def test_only_the_learners_run_is_sent_by_kind():
    verdict = failed_verdict()
    data = verdict_page.plot_data(verdict)
    assert data["yours"] == timeline(MIB)
    assert set(data["plain"]) == {"phases", "total", "peak_index"}


def test_a_statement_becomes_safe_html_with_formulas():
    html = statement.to_html(
        "# Title\n\nText `x`, $a_1$.\n\n$$\n\\frac{a}{b}\n$$\n\n<script>x</script>\n\n```python\nx = 1\n```\n"
    )
    assert "Title" not in html and "<script" not in html
    assert html.count("<math") == 2 and "<mfrac>" in html
    assert '<div class="highlight">' in html and "arithmatex" not in html


def test_a_statements_hints_fold():
    html = statement.to_html("/// details | Where do I get in?\nWith hooks.\n///\n")
    assert "<details>" in html and "<summary>Where do I get in?</summary>" in html


def test_the_web_process_imports_no_torch():
    script = (
        "import os, sys; os.environ['DJANGO_SETTINGS_MODULE'] = 'tests.settings'; import django; django.setup();"
        "import headroom.urls, labs.views, labs.submission_views, labs.admin, labs.tasks, labs.progress;"
        "from grader import catalog; catalog.all_labs();"
        "sys.exit('torch is loaded' if 'torch' in sys.modules else 0)"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
