"""The lab's page: who may open it, what is kept, what is refused and how."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import Grant
from labs.models import Draft, Submission
from tests.labs.conftest import STARTER, new_submission

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalogue", "hints")]
CODE = "def checkpoint(function, *args):\n    return 1\n"


def send(client, lab="free-lab", **fields):
    return client.post(f"/labs/{lab}/send/", {"do": "submit", "code": CODE, "key": "k1", "revision": "0", **fields})


def text_of(response):
    return re.search(r"<textarea[^>]*>\n(.*?)</textarea>", response.content.decode(), re.DOTALL)[1]


class TestAccess:
    def test_the_list_names_every_lab_and_what_opens_it(self, client):
        page = client.get("/labs/").content.decode()
        assert "The summary of open-lab." in page
        assert page.count("opens with a free account") == 1
        assert page.count("opens with premium") == 1

    def test_a_visitor_reads_an_open_lab_and_is_asked_to_sign_in_to_run(self, client):
        page = client.get("/labs/open-lab/").content.decode()
        assert "The statement of open-lab" in page
        assert "Sign in to run and submit" in page
        assert 'value="submit"' not in page

    @pytest.mark.parametrize(("lab", "offer"), [("free-lab", "free account"), ("premium-lab", "part of premium")])
    def test_a_closed_lab_is_an_offer_that_holds_nothing_of_it(self, client, lab, offer):
        response = client.get(f"/labs/{lab}/")
        page = response.content.decode()
        assert response.status_code == 200
        assert offer in page
        for secret in (f"The statement of {lab}", STARTER, f"the harness of {lab}"):
            assert secret not in page

    @pytest.mark.parametrize("name", ["starter.py", "harness.py"])
    def test_a_closed_labs_files_stay_on_the_server(self, owner_client, name):
        response = owner_client.get(f"/labs/premium-lab/{name}")
        assert response.status_code == 403
        assert b"def checkpoint" not in response.content and b"the harness" not in response.content

    def test_the_judges_side_has_no_address(self, owner_client):
        assert owner_client.get("/labs/free-lab/judge.py").status_code == 404

    def test_premium_opens_a_premium_lab(self, client, subscriber):
        client.force_login(subscriber)
        assert "The statement of premium-lab" in client.get("/labs/premium-lab/").content.decode()

    def test_code_for_a_closed_lab_is_refused_and_kept(self, owner_client, owner):
        response = send(owner_client, "premium-lab")
        assert response.status_code == 403
        assert not Submission.objects.exists()
        assert Draft.objects.get(user=owner, lab="premium-lab").text == CODE

    def test_an_unknown_lab_is_a_404(self, owner_client):
        assert owner_client.get("/labs/nothing/").status_code == 404
        assert send(owner_client, "nothing").status_code == 404


class TestSending:
    def test_submit_writes_a_row_and_leads_to_its_page(self, owner_client, owner):
        response = send(owner_client)
        submission = Submission.objects.get()
        assert response.url == f"/labs/submissions/{submission.public_id}/"
        assert (submission.user, submission.lab, submission.mode) == (owner, "free-lab", "submit")
        assert bytes(submission.source) == CODE.encode()

    def test_run_plays_the_public_cases(self, owner_client):
        send(owner_client, do="run")
        assert Submission.objects.get().mode == "run"

    def test_the_forms_line_ends_are_python_line_ends(self, owner_client):
        send(owner_client, code="a = 1\r\nb = 2\r\n")
        assert bytes(Submission.objects.get().source) == b"a = 1\nb = 2\n"

    def test_the_same_form_posted_twice_makes_one_submission(self, owner_client):
        assert send(owner_client).url == send(owner_client).url
        assert Submission.objects.count() == 1

    def test_every_page_has_a_form_key_of_its_own(self, owner_client):
        keys = {
            re.search(r'name="key" value="([^"]+)"', owner_client.get("/labs/free-lab/").content.decode())[1]
            for _ in "ab"
        }
        assert len(keys) == 2

    def test_an_uploaded_file_reaches_the_row_byte_for_byte(self, owner_client):
        raw = b"x = '\xff\xfe\x00\x80'\r\n\xed\xa0\x80"
        send(owner_client, file=SimpleUploadedFile("mine.py", raw))
        assert bytes(Submission.objects.get().source) == raw

    def test_a_megabyte_of_code_is_refused_and_stays_in_the_editor(self, owner_client):
        big = "#" * 2**20
        response = send(owner_client, code=big)
        assert response.status_code == 422
        assert "1,048,576 bytes; this lab takes at most 65,536" in response.content.decode()
        assert text_of(response) == big
        assert not Submission.objects.exists()

    def test_a_megabyte_file_is_refused_and_the_editors_text_stays(self, owner_client):
        response = send(owner_client, file=SimpleUploadedFile("big.py", b"#" * 2**20))
        assert response.status_code == 422
        assert "1,048,576 bytes" in response.content.decode()
        assert "return 1" in text_of(response)

    def test_an_empty_editor_is_refused_with_what_to_write(self, owner_client):
        response = send(owner_client, code=" \n")
        assert response.status_code == 422
        assert "Write checkpoint()" in response.content.decode()

    def test_a_signed_out_persons_code_is_there_when_they_are_back(self, client, owner):
        response = send(client)
        assert response.url == "/account/login/?next=%2Flabs%2Ffree-lab%2F"
        assert not Submission.objects.exists()
        client.force_login(owner)
        page = client.get("/labs/free-lab/")
        assert "return 1" in text_of(page)
        assert "You had been signed out" in page.content.decode()
        assert Draft.objects.get(user=owner).text == CODE
        assert "You had been signed out" not in client.get("/labs/free-lab/").content.decode()

    def test_a_form_without_its_token_is_refused(self, owner):
        from django.test import Client

        strict = Client(enforce_csrf_checks=True)
        strict.force_login(owner)
        assert send(strict).status_code == 403

    def test_markup_in_code_is_text(self, owner_client):
        response = send(owner_client, code="</textarea><script>alert(1)</script>" + "#" * 2**17)
        assert b"<script>alert" not in response.content


class TestDrafts:
    def save(self, client, text, revision=0):
        return client.post("/labs/free-lab/draft/", {"text": text, "revision": revision})

    def test_typing_is_saved_and_found_again(self, owner_client):
        assert self.save(owner_client, "x = 1").json()["revision"] == 1
        assert self.save(owner_client, "x = 2", 1).json()["revision"] == 2
        page = owner_client.get("/labs/free-lab/")
        assert text_of(page) == "x = 2"
        assert 'data-revision="2"' in page.content.decode()

    def test_a_conflict_tells_both_texts_and_loses_neither(self, owner_client):
        self.save(owner_client, "from the laptop")
        response = self.save(owner_client, "from the phone")
        assert response.status_code == 409
        answer = response.json()
        assert (answer["yours"], answer["theirs"], answer["revision"]) == ("from the phone", "from the laptop", 1)
        assert self.save(owner_client, "from the phone", answer["revision"]).status_code == 200

    def test_saving_without_script_shows_the_other_text_beside_yours(self, owner_client):
        self.save(owner_client, "from the laptop")
        response = send(owner_client, do="save", code="from the phone")
        assert response.status_code == 409
        assert text_of(response) == "from the phone"
        assert "<pre>from the laptop</pre>" in response.content.decode()
        assert send(owner_client, do="save", code="from the phone", revision="1").status_code == 302
        assert Draft.objects.get().text == "from the phone"

    def test_saving_never_submits(self, owner_client):
        assert send(owner_client, do="save").status_code == 302
        assert not Submission.objects.exists()

    def test_reset_puts_the_starter_back(self, owner_client):
        self.save(owner_client, "x = 1")
        owner_client.post("/labs/free-lab/reset/")
        assert Draft.objects.get().text == STARTER

    def test_a_signed_out_save_says_so(self, client):
        response = self.save(client, "x = 1")
        assert response.status_code == 401
        assert "signed out" in response.json()["error"]

    def test_a_draft_has_a_limit(self, owner_client):
        assert self.save(owner_client, "#" * (256 * 1024 + 1)).status_code == 413

    def test_a_revision_that_is_no_number_is_none(self, owner_client):
        assert self.save(owner_client, "x = 1", "９9; drop").json()["revision"] == 1

    def test_an_earlier_submission_opens_in_the_editor_and_the_draft_stays(self, owner_client, owner):
        self.save(owner_client, "my draft")
        submission = new_submission(owner, source=b"earlier = 1\n")
        page = owner_client.get(f"/labs/free-lab/?from={submission.public_id}")
        assert text_of(page) == "earlier = 1\n"
        assert Draft.objects.get().text == "my draft"

    def test_someone_elses_submission_does_not_open_in_the_editor(self, owner_client, subscriber):
        submission = new_submission(subscriber, source=b"secret = 1\n", shared=True)
        assert "secret" not in text_of(owner_client.get(f"/labs/free-lab/?from={submission.public_id}"))


class TestHistory:
    def test_own_submissions_are_listed_and_nobody_elses(self, owner_client, owner, subscriber):
        mine, theirs = new_submission(owner), new_submission(subscriber)
        page = owner_client.get("/labs/free-lab/").content.decode()
        assert mine.public_id in page and theirs.public_id not in page

    @pytest.mark.parametrize("count", [1, 10])
    def test_the_page_costs_the_same_queries_however_long_the_history(
        self, owner_client, owner, django_assert_num_queries, count
    ):
        for _ in range(count):
            new_submission(owner)
        with django_assert_num_queries(9):  # session, user, premium, draft, history, passed, threads (two), note
            owner_client.get("/labs/free-lab/")

    def test_the_list_of_labs_costs_four_queries(self, owner_client, django_assert_num_queries):
        with django_assert_num_queries(4):  # session, user, premium, passed
            owner_client.get("/labs/")


class TestDownloads:
    def test_starter_and_harness_are_files(self, owner_client):
        response = owner_client.get("/labs/free-lab/starter.py")
        assert response.content.decode() == STARTER
        assert response["Content-Disposition"] == 'attachment; filename="free-lab-starter.py"'
        assert owner_client.get("/labs/free-lab/harness.py").content == b"# the harness of free-lab\n"


def test_premium_that_has_ended_closes_the_lab_and_not_ones_own_work(client, subscriber):
    submission = new_submission(subscriber, lab="premium-lab")
    Grant.objects.update(until="2020-01-01T00:00Z")
    client.force_login(subscriber)
    assert "part of premium" in client.get("/labs/premium-lab/").content.decode()
    assert client.get(f"/labs/submissions/{submission.public_id}/").status_code == 200
