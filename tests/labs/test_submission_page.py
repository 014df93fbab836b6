"""A submission's page: whose it is, where it stands, and what its verdict prints."""

import csv
import json
import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from grader.verdict import Outcome, Verdict
from labs.models import State, Submission
from tests.labs.conftest import failed_verdict, new_submission, passed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalogue")]
PARTS = ["", "status/", "code.py", "timeline.csv", "timeline.svg"]


def address(submission, part=""):
    return f"/labs/submissions/{submission.public_id}/{part}"


def graded(user, verdict=None, **fields):
    verdict = verdict or failed_verdict()
    submission = new_submission(user, **fields)
    attempt = Submission.objects.claim(submission.pk, worker="w").attempt
    Submission.objects.finish(submission.pk, attempt, verdict.to_json(), grader_version="1")
    submission.refresh_from_db()
    return submission


def page_of(client, submission):
    response = client.get(address(submission))
    assert response.status_code == 200
    return response.content.decode()


class TestWhose:
    @pytest.mark.parametrize("part", PARTS)
    def test_someone_elses_submission_is_a_404(self, owner_client, subscriber, part):
        assert owner_client.get(address(graded(subscriber), part)).status_code == 404

    @pytest.mark.parametrize("part", PARTS)
    def test_a_visitor_sees_no_submission(self, client, owner, part):
        assert client.get(address(graded(owner), part)).status_code == 404

    @pytest.mark.parametrize("act", ["cancel/", "share/"])
    def test_nobody_acts_on_someone_elses_even_a_shared_one(self, owner_client, subscriber, act):
        submission = new_submission(subscriber, shared=True)
        assert owner_client.post(address(submission, act), {"shared": "no"}).status_code == 404
        submission.refresh_from_db()
        assert (submission.state, submission.shared) == (State.QUEUED, True)

    @pytest.mark.parametrize("is_shared", [True, False])
    def test_the_json_is_the_owners_alone(self, owner_client, subscriber, is_shared):
        submission = graded(subscriber, shared=is_shared)
        assert owner_client.get(f"/labs/submissions/{submission.public_id}.json").status_code == 404
        assert Client().get(f"/labs/submissions/{submission.public_id}.json").status_code == 404

    def test_its_owner_shares_it_and_stops(self, owner_client, owner, subscriber):
        submission, other = graded(owner), Client()
        other.force_login(subscriber)
        owner_client.post(address(submission, "share/"), {"shared": "yes"})
        assert "Download the code" in page_of(other, submission)
        assert "Stop sharing" not in page_of(other, submission)
        owner_client.post(address(submission, "share/"), {"shared": "no"})
        assert other.get(address(submission)).status_code == 404

    def test_a_shared_one_of_a_closed_lab_leads_to_what_opens_it(self, owner_client, subscriber):
        submission = graded(subscriber, lab="premium-lab", shared=True)
        for part in ("", "code.py", "timeline.csv"):
            response = owner_client.get(address(submission, part))
            assert (response.status_code, response.url) == (302, "/labs/premium-lab/")

    def test_an_id_that_is_none_is_a_404(self, owner_client):
        assert owner_client.get("/labs/submissions/0000000000000000/").status_code == 404
        assert owner_client.get("/labs/submissions/1/").status_code == 404

    def test_a_lab_that_left_the_catalogue_leaves_its_submissions(self, owner_client, owner):
        assert "gone-lab" in page_of(owner_client, graded(owner, lab="gone-lab"))


class TestWaiting:
    def test_a_queued_submission_says_how_many_are_ahead(self, owner_client, owner, subscriber):
        for number in range(2):
            new_submission(User.objects.create_user(f"other{number}@example.org"))
        for device in ("cpu", "cpu", "cuda"):
            new_submission(subscriber, device=device)
        page = page_of(owner_client, new_submission(owner))
        assert "Queued, 3 ahead of this one" in page
        assert 'hx-trigger="every 1s"' in page
        assert '<noscript><meta http-equiv="refresh" content="3"></noscript>' in page

    def test_a_running_one_says_which_case(self, owner_client, queued):
        Submission.objects.claim(queued.pk, worker="w")
        Submission.objects.heartbeat(queued.pk, 1, phase="case", done=2, total=8)
        page = page_of(owner_client, queued)
        assert "Running case 3 of 8" in page
        assert 'max="8" value="2"' in page

    def test_a_poll_that_learns_nothing_draws_nothing(self, owner_client, queued):
        fragment = owner_client.get(address(queued, "status/")).content.decode()
        seen = json.loads(re.search(r"hx-vals='([^']*)'", fragment)[1])["seen"]
        assert owner_client.get(address(queued, "status/"), {"seen": seen}).status_code == 204
        Submission.objects.claim(queued.pk, worker="w")
        response = owner_client.get(address(queued, "status/"), {"seen": seen})
        assert "Starting a fresh sandbox" in response.content.decode()

    @pytest.mark.parametrize(("age_s", "every"), [(0, 1), (30, 2), (300, 5), (3600, 15)])
    def test_polls_back_off(self, owner_client, queued, age_s, every):
        Submission.objects.update(created=timezone.now() - timedelta(seconds=age_s))
        fragment = owner_client.get(address(queued, "status/")).content.decode()
        assert f'hx-trigger="every {every}s"' in fragment

    def test_the_verdict_stops_the_polls_and_loads(self, owner_client, owner):
        response = owner_client.get(address(graded(owner), "status/"))
        assert (response.status_code, response["HX-Refresh"]) == (286, "true")

    def test_a_second_try_says_that_it_was_our_fault(self, owner_client, queued):
        claimed = Submission.objects.claim(queued.pk, worker="w")
        Submission.objects.requeue(queued.pk, claimed.attempt)
        assert "interrupted by a fault of ours" in page_of(owner_client, queued)

    def test_its_owner_cancels_it(self, owner_client, queued):
        owner_client.post(address(queued, "cancel/"))
        page = page_of(owner_client, queued)
        assert "was cancelled before it had a verdict" in page
        assert "hx-get" not in page

    def test_a_poll_costs_five_queries(self, owner_client, queued, django_assert_num_queries):
        with django_assert_num_queries(5):  # session, user, submission, own ones ahead, those of others
            owner_client.get(address(queued, "status/"))


class TestVerdict:
    def test_a_failed_verdict_prints_what_was_expected_what_was_seen_and_why(self, owner_client, owner):
        page = page_of(owner_client, graded(owner))
        assert "<h1>One check does not hold: The replay sees forward&#x27;s mask.</h1>" in page
        assert '<strong class="bad">Not passed</strong><span>1 of 2 checks</span>' in page
        assert "≤ 1e-5" in page and ">0.310<" in page
        assert '<td class="r num" title="50,436,505 bytes">48.1 MiB</td>' in page
        assert page.count("Set the random state.") == 2  # beside the check, and under what to try next

    def test_what_was_measured_has_three_digits_and_the_exact_figure(self, owner_client, owner):
        page = page_of(owner_client, graded(owner))
        assert 'title="173,119,897 bytes">165 MiB</td>' in page
        assert 'title="3,221,225,472 FLOP">3.22 GFLOP</td>' in page
        assert "33.3 % of the plain update" in page
        assert "95 % interval 81.0 ms to 88.0 ms; 1.24 times the plain run" in page

    def test_what_was_live_at_the_peak_is_named(self, owner_client, owner):
        page = page_of(owner_client, graded(owner))
        assert "[1024, 1024] float32 × 8" in page
        assert "<code>blocks.3</code>, aten::gelu" in page
        assert 'title="33,554,432 bytes">32.0 MiB' in page

    def test_the_timeline_is_drawn_and_readable_as_data_and_as_a_table(self, owner_client, owner):
        page = page_of(owner_client, graded(owner))
        assert "<svg" in page
        data = json.loads(re.search(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)[1])
        assert list(data) == ["yours", "plain", "reference"]
        assert data["yours"]["live"]["gradient"][2] == 2**20
        assert "live" not in data["plain"]
        assert '<tr class="at-peak"><th scope="row">2 (peak)</th><td>forward</td>' in page

    def test_a_crash_shows_the_learners_own_traceback_as_text(self, owner_client, owner):
        verdict = Verdict("free-lab", Outcome.CRASHED, message="ValueError: <b>", traceback="line 3, in f\n  <script>x")
        page = page_of(owner_client, graded(owner, verdict))
        assert "Your code raised an exception." in page
        assert "line 3, in f\n  &lt;script&gt;x" in page
        assert "ValueError: &lt;b&gt;" in page

    def test_what_the_code_printed_is_text(self, owner_client, owner):
        page = page_of(owner_client, graded(owner, passed(output="<img src=x>")))
        assert "&lt;img src=x&gt;" in page and "<img" not in page

    def test_an_ungradable_one_is_our_fault_and_has_no_red(self, owner_client, owner):
        verdict = Verdict("free-lab", Outcome.UNGRADABLE, message="Grading was interrupted.")
        page = page_of(owner_client, graded(owner, verdict))
        assert "We could not grade this, and it is not your fault." in page
        assert 'class="bad"' not in page

    def test_a_run_that_passes_says_what_is_left_to_do(self, owner_client, owner):
        page = page_of(owner_client, graded(owner, passed(), mode="run"))
        assert "The public cases hold." in page
        assert "Submit the same code" in page

    @pytest.mark.parametrize("outcome", list(Outcome))
    def test_every_outcome_has_a_page(self, owner_client, owner, outcome):
        assert outcome.value not in page_of(owner_client, graded(owner, Verdict("free-lab", outcome)))[:200]

    def test_no_style_or_script_is_inline(self, owner_client, owner):
        page = page_of(owner_client, graded(owner))
        assert " style=" not in page
        assert not re.search(r"\son\w+=", page)

    def test_the_page_costs_three_queries(self, owner_client, owner, django_assert_num_queries):
        submission = graded(owner)
        with django_assert_num_queries(3):  # session, user, submission
            owner_client.get(address(submission))


class TestDownloads:
    def test_the_json_holds_the_verdict(self, owner_client, owner):
        submission = graded(owner)
        data = owner_client.get(f"/labs/submissions/{submission.public_id}.json").json()
        assert (data["state"], data["outcome"], data["attempt"]) == ("done", "failed", 1)
        assert data["verdict"]["measurements"]["peak_bytes"] == 50_436_505

    def test_the_code_comes_back_byte_for_byte_and_is_never_a_page(self, owner_client, owner):
        response = owner_client.get(address(graded(owner, source=b"<html>\xff\x00"), "code.py"))
        assert response.content == b"<html>\xff\x00"
        assert response["Content-Disposition"].startswith("attachment")
        assert response["X-Content-Type-Options"] == "nosniff"

    def test_the_csv_has_every_point_of_every_run(self, owner_client, owner):
        rows = list(
            csv.DictReader(owner_client.get(address(graded(owner), "timeline.csv")).content.decode().splitlines())
        )
        assert len(rows) == 15
        assert rows[2]["run"] == "yours" and rows[2]["phase"] == "forward"
        assert int(rows[2]["total_bytes"]) == 9 * 2**20
        assert int(rows[2]["saved_activation_bytes"]) == 8 * 2**20

    def test_the_svg_is_a_file(self, owner_client, owner):
        response = owner_client.get(address(graded(owner), "timeline.svg"))
        assert response["Content-Type"] == "image/svg+xml"
        assert b"<svg" in response.content

    def test_without_a_timeline_there_is_none_to_download(self, owner_client, owner):
        submission = graded(owner, passed())
        assert owner_client.get(address(submission, "timeline.csv")).status_code == 404


class TestStaff:
    @pytest.fixture
    def staff(self, admin_client):
        return admin_client

    def test_the_ungradable_ones_are_one_filter_away(self, staff, owner):
        ours = graded(owner, Verdict("free-lab", Outcome.UNGRADABLE))
        other = graded(owner, passed())
        page = staff.get("/staff/labs/submission/?outcome=ungradable").content.decode()
        assert ours.public_id in page and other.public_id not in page

    def test_a_verdict_is_read_and_not_edited(self, staff, owner):
        submission = graded(owner)
        url = f"/staff/labs/submission/{submission.pk}/change/"
        page = staff.get(url).content.decode()
        assert "Set the random state." in page and 'name="_save"' not in page
        assert staff.post(url, {"outcome": "passed"}).status_code == 403
        assert staff.post(f"/staff/labs/submission/{submission.pk}/delete/", {"post": "yes"}).status_code == 403
