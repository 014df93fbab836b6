"""Drafts that meet: two tabs, a reset, an earlier submission. What is replaced is kept aside and comes back."""

import re

import pytest

from labs import draft_views
from labs.models import Draft, Submission
from tests.labs.conftest import STARTER, new_submission

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalogue", "hints")]
BASE = "def f(x):\n    return x\n\n\ndef g(x):\n    return x\n"
MINE = BASE.replace("def f(x):\n    return x", "def f(x):\n    return x + 1")
THEIRS = BASE.replace("def g(x):\n    return x", "def g(x):\n    return x * 2")


def save(client, text, revision=0, **fields):
    return client.post("/labs/free-lab/draft/", {"text": text, "revision": revision, **fields})


def send(client, action, code, **fields):
    return client.post("/labs/free-lab/send/", {"do": action, "code": code, "key": "k", "revision": "0", **fields})


def kept(client, query=""):
    """The code that the page offers to bring back; None where it offers none."""
    page = client.get(f"/labs/free-lab/{query}").content.decode()
    box = re.search(r'<details class="aside"([^>]*)>.*?<pre[^>]*>\n(.*?)</pre>', page, re.DOTALL)
    return None if "hidden" in box[1] else box[2]


class TestAside:
    def test_a_save_can_keep_what_it_replaces(self, owner_client):
        save(owner_client, "long work")
        assert save(owner_client, STARTER, 1, aside="long work").status_code == 200
        assert kept(owner_client) == "long work"
        save(owner_client, STARTER + "# more", 2)
        assert kept(owner_client) == "long work"

    def test_a_reset_without_script_keeps_the_code_and_gives_it_back(self, owner_client):
        save(owner_client, "long work")
        owner_client.post("/labs/free-lab/reset/")
        assert (Draft.objects.get().text, kept(owner_client)) == (STARTER, "long work")
        owner_client.post("/labs/free-lab/draft/aside/", {"do": "swap"})
        assert Draft.objects.get().text == "long work"
        owner_client.post("/labs/free-lab/draft/aside/", {"do": "swap"})
        assert (Draft.objects.get().text, kept(owner_client)) == (STARTER, "long work")

    def test_a_second_reset_does_not_forget_the_code(self, owner_client):
        save(owner_client, "long work")
        owner_client.post("/labs/free-lab/reset/")
        owner_client.post("/labs/free-lab/reset/")
        assert kept(owner_client) == "long work"

    def test_it_is_forgotten_when_asked(self, owner_client):
        save(owner_client, "x = 1", aside="old")
        owner_client.post("/labs/free-lab/draft/aside/", {"do": "drop"})
        assert (Draft.objects.get().text, kept(owner_client)) == ("x = 1", None)

    def test_changing_an_earlier_submission_keeps_the_draft_it_replaces(self, owner_client, owner):
        save(owner_client, "my draft")
        submission = new_submission(owner, source=b"earlier = 1\n")
        page = owner_client.get(f"/labs/free-lab/?from={submission.public_id}").content.decode()
        assert '<input type="hidden" name="replaces" value="draft">' in page
        assert re.search(r'<details class="aside" data-aside="code" data-replaced hidden>.*?my draft</pre>', page, re.S)
        send(owner_client, "save", "earlier = 2\n", revision="1", replaces="draft")
        assert (Draft.objects.get().text, kept(owner_client)) == ("earlier = 2\n", "my draft")

    def test_nobody_elses_draft_is_touched(self, owner_client, subscriber):
        Draft.objects.save_text(subscriber, "free-lab", "theirs", 0, aside="kept")
        owner_client.post("/labs/free-lab/draft/aside/", {"do": "swap"})
        owner_client.post("/labs/free-lab/reset/")
        theirs = Draft.objects.get(user=subscriber)
        assert (theirs.text, theirs.aside) == ("theirs", "kept")

    def test_what_is_kept_has_the_drafts_limit(self, owner_client):
        assert save(owner_client, "x", aside="#" * (draft_views.MOST_LETTERS + 1)).status_code == 413


class TestMerging:
    def ask(self, client, **fields):
        return client.post("/labs/free-lab/draft/merge/", fields)

    def test_it_shows_how_the_two_differ_and_both_changes_merged(self, owner_client):
        save(owner_client, THEIRS)
        answer = self.ask(owner_client, text=MINE, base=BASE).json()
        assert "return x + 1" in answer["merged"] and "return x * 2" in answer["merged"]
        assert answer["sentence"] == "Merged: both sets of changes are in the editor."
        assert '<tr class="come">' in answer["differences"] and "<th" in answer["differences"]
        assert Draft.objects.get().text == THEIRS

    def test_code_in_the_differences_is_text(self, owner_client):
        save(owner_client, "<img src=x>")
        assert "<img" not in self.ask(owner_client, text="y", base="").json()["differences"]

    def test_it_is_ones_own_draft_or_nothing(self, client, owner_client, subscriber):
        Draft.objects.save_text(subscriber, "free-lab", "secret", 0)
        assert self.ask(owner_client, text="x").status_code == 404
        client.logout()
        assert self.ask(client, text="x").status_code == 401

    def test_without_script_the_page_shows_the_difference_and_the_three_ways(self, owner_client):
        save(owner_client, THEIRS)
        page = send(owner_client, "save", MINE).content.decode()
        assert '<table class="diff">' in page
        for action in ("keep", "take", "merge"):
            assert f'form="send" name="do" value="{action}"' in page

    @pytest.mark.parametrize(
        ("action", "text", "aside"), [("keep", MINE, THEIRS), ("take", THEIRS, MINE), ("merge", None, MINE)]
    )
    def test_whichever_is_chosen_the_other_is_kept(self, owner_client, action, text, aside):
        save(owner_client, THEIRS)
        assert send(owner_client, action, MINE, revision="1").status_code == 302
        draft = Draft.objects.get()
        assert draft.aside == aside
        if text is None:
            assert "return x + 1" in draft.text and "return x * 2" in draft.text
        else:
            assert draft.text == text
        assert not Submission.objects.exists()
