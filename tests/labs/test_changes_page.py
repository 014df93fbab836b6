"""What changed between two texts of one's own: which ones, whose they must be, and what the page shows."""

import html
import re
from dataclasses import replace

import pytest

from grader.verdict import Measurements, Outcome, Verdict
from labs.models import Draft, Submission
from tests.labs.conftest import STARTER, new_submission

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalogue")]
ADDRESS = "/labs/free-lab/changes/"


def sent(user, source, measured=None, **fields):
    submission = new_submission(user, source=source, **fields)
    if measured is not None:
        attempt = Submission.objects.claim(submission.pk, worker="w").attempt
        verdict = Verdict("free-lab", Outcome.PASSED, score=1.0, measurements=measured)
        Submission.objects.finish(submission.pk, attempt, verdict.to_json(), grader_version="1")
    return submission


def rows(response):
    """(class, text) of every line of code in the comparison."""
    found = re.findall(r"<tr(?: class=\"(\w+)\")?><td.*?<code>(.*?)</code>", response.content.decode(), re.DOTALL)
    return [(kind, html.unescape(re.sub(r"<[^>]+>", "", code))) for kind, code in found]


def chosen(response):
    return re.findall(r'<option value="(\w+)" selected>', response.content.decode())


class TestWhich:
    def test_the_newest_is_compared_with_the_one_before(self, owner_client, owner):
        first, second = sent(owner, b"a = 1\nb = 2\n"), sent(owner, b"a = 1\nb = 3\n")
        response = owner_client.get(ADDRESS)
        assert chosen(response) == [first.public_id, second.public_id]
        assert rows(response) == [("", "a = 1"), ("gone", "b = 2"), ("come", "b = 3")]

    def test_the_first_is_compared_with_the_starter(self, owner_client, owner):
        first = sent(owner, b"a = 1\n")
        response = owner_client.get(ADDRESS, {"to": first.public_id})
        assert chosen(response) == ["starter", first.public_id]
        assert rows(response)[0] == ("gone", STARTER.splitlines()[0])

    def test_any_two_can_be_chosen_the_draft_too(self, owner_client, owner):
        first = sent(owner, b"a = 1\n")
        sent(owner, b"b = 1\n")
        Draft.objects.save_text(owner, "free-lab", "a = 2\n", 0)
        response = owner_client.get(ADDRESS, {"from": first.public_id, "to": "draft"})
        assert rows(response) == [("gone", "a = 1"), ("come", "a = 2")]
        assert "<del>1</del>" in response.content.decode() and "<ins>2</ins>" in response.content.decode()

    def test_equal_ones_say_so(self, owner_client, owner):
        sent(owner, b"a = 1\n")
        sent(owner, b"a = 1\n")
        assert "The two are the same, line by line." in owner_client.get(ADDRESS).content.decode()

    def test_far_equal_lines_are_left_out_until_all_are_asked_for(self, owner_client, owner):
        lines = b"".join(b"x%d = 1\n" % n for n in range(40))
        sent(owner, lines)
        sent(owner, lines + b"end = 1\n")
        assert "37 equal lines" in owner_client.get(ADDRESS).content.decode()
        assert len(rows(owner_client.get(ADDRESS + "?all"))) == 41

    def test_the_history_and_the_verdict_lead_to_it(self, owner_client, owner):
        submission = sent(owner, b"a = 1\n", Measurements())
        for page in ("/labs/free-lab/", f"/labs/submissions/{submission.public_id}/"):
            assert f'href="{ADDRESS}?to={submission.public_id}"' in owner_client.get(page).content.decode()


class TestWhose:
    @pytest.mark.parametrize("side", ["from", "to"])
    @pytest.mark.parametrize("is_shared", [True, False])
    def test_nobody_elses_code_is_compared_even_a_shared_one(self, owner_client, owner, subscriber, side, is_shared):
        sent(owner, b"mine = 1\n")
        theirs = sent(subscriber, b"secret = 1\n", shared=is_shared)
        response = owner_client.get(ADDRESS, {side: theirs.public_id})
        assert response.status_code == 404 and b"secret" not in response.content

    def test_nobody_elses_is_listed(self, owner_client, owner, subscriber):
        sent(owner, b"mine = 1\n")
        assert sent(subscriber, b"x\n").public_id not in owner_client.get(ADDRESS).content.decode()

    def test_a_visitor_and_someone_who_sent_nothing_get_a_404(self, client, subscriber, owner):
        sent(owner, b"mine = 1\n")
        assert client.get(ADDRESS).status_code == 404
        client.force_login(subscriber)
        assert client.get(ADDRESS).status_code == 404

    def test_a_submission_of_another_lab_is_not_of_this_one(self, owner_client, owner):
        sent(owner, b"mine = 1\n")
        other = sent(owner, b"other = 1\n", lab="open-lab")
        assert owner_client.get(ADDRESS, {"to": other.public_id}).status_code == 404

    def test_the_starter_of_a_closed_lab_stays_closed_and_own_code_readable(self, owner_client, owner):
        sent(owner, b"a = 1\n", lab="premium-lab")
        sent(owner, b"a = 2\n", lab="premium-lab")
        response = owner_client.get("/labs/premium-lab/changes/")
        assert rows(response) == [("gone", "a = 1"), ("come", "a = 2")]
        assert 'value="starter"' not in response.content.decode()
        assert owner_client.get("/labs/premium-lab/changes/?from=starter").status_code == 404

    def test_a_lab_that_left_the_catalogue_leaves_ones_code(self, owner_client, owner):
        sent(owner, b"a = 1\n", lab="gone-lab")
        sent(owner, b"a = 2\n", lab="gone-lab")
        assert rows(owner_client.get("/labs/gone-lab/changes/"))[-1] == ("come", "a = 2")


class TestFigures:
    MEASURED = Measurements(peak_bytes=50 * 2**20, plain_peak_bytes=170 * 2**20, step_flops=12, plain_flops=10)

    def test_figures_of_the_same_update_stand_side_by_side(self, owner_client, owner):
        sent(owner, b"a = 1\n", self.MEASURED)
        sent(owner, b"a = 2\n", replace(self.MEASURED, peak_bytes=40 * 2**20))
        page = owner_client.get(ADDRESS).content.decode()
        assert re.search(r"Peak of the update</th><td[^>]*>50.0 MiB</td><td[^>]*>40.0 MiB", page)

    def test_figures_of_different_updates_do_not(self, owner_client, owner):
        sent(owner, b"a = 1\n", self.MEASURED)
        sent(owner, b"a = 2\n", replace(self.MEASURED, plain_flops=99))
        assert "Peak of the update" not in owner_client.get(ADDRESS).content.decode()


def test_code_is_text_and_no_markup(owner_client, owner):
    sent(owner, b"a = 1\n")
    sent(owner, b"a = '<script>alert(1)</script>'\n")
    page = owner_client.get(ADDRESS).content.decode()
    assert "&lt;script&gt;" in page.replace("<ins>", "").replace("</ins>", "") and "<script>alert" not in page
