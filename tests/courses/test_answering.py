"""Answers: drafts that nothing overwrites unseen, handing in, marking, and coming back after signing in."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from courses import answering, progress
from courses.models import Answer, Question

pytestmark = pytest.mark.usefixtures("curriculum")

PAGE = "/questions/when-it-pays/"
ANSWER = f"{PAGE}answer/"
HTMX = {"HX-Request": "true"}


def test_a_draft_is_kept_without_script(as_member: Client) -> None:
    as_member.post(ANSWER, {"text": "When bytes bind.", "revision": "0", "do": "save"})
    page = as_member.get(PAGE)
    assert "When bytes bind." in page.content.decode()
    assert page.context["revision"] == 1


def test_a_draft_is_saved_while_writing_and_says_so(as_member: Client) -> None:
    body = as_member.post(ANSWER, {"text": "one", "revision": "0"}, headers=HTMX).content.decode()
    assert "Draft saved" in body and 'value="1"' in body
    body = as_member.post(ANSWER, {"text": "two", "revision": "1"}, headers=HTMX).content.decode()
    assert 'value="2"' in body


def test_a_stale_tab_does_not_overwrite_and_loses_nothing(as_member: Client) -> None:
    as_member.post(ANSWER, {"text": "from this tab", "revision": "0", "do": "save"})
    as_member.post(ANSWER, {"text": "from that tab", "revision": "1", "do": "save"})
    response = as_member.post(ANSWER, {"text": "stale", "revision": "1", "do": "save"})
    assert response.status_code == 409
    page = response.content.decode()
    assert "stale" in page and "from that tab" in page and "another tab" in page
    assert Answer.objects.get().text == "from that tab"
    again = response.context["revision"]
    as_member.post(ANSWER, {"text": "stale", "revision": str(again), "do": "save"})
    assert Answer.objects.get().text == "stale"


def test_a_stale_autosave_shows_both_and_asks(as_member: Client) -> None:
    as_member.post(ANSWER, {"text": "theirs", "revision": "0", "do": "save"})
    response = as_member.post(ANSWER, {"text": "mine", "revision": "0"}, headers=HTMX)
    body = response.content.decode()
    assert response.status_code == 200 and "Not saved" in body and "theirs" in body
    assert 'name="revision" value="1">Keep what is in the field' in body
    assert 'type="hidden" name="revision" value="0"' in body


def test_handing_in_opens_the_worked_answer_and_the_rubric(as_premium: Client, premium: User) -> None:
    response = as_premium.post(ANSWER, {"text": "It pays when bytes bind.", "revision": "0", "do": "submit"})
    assert response["Location"] == f"{PAGE}#worked"
    page = as_premium.get(PAGE).content.decode()
    assert 'id="worked" open><summary>Show the worked answer' in page
    as_premium.post(f"{PAGE}mark/", {"point": ["0", "7"], "flag": ["0"]})
    answer = Answer.objects.get()
    assert (answer.points, answer.flags) == ([0], [0])
    assert 'name="point" value="0" checked' in as_premium.get(PAGE).content.decode()
    assert len(progress.answered_ids(premium)) == 1


def test_the_same_answer_sent_twice_is_one(as_member: Client) -> None:
    for _ in range(2):
        as_member.post(ANSWER, {"text": "once", "revision": "0", "do": "submit"})
    assert Answer.objects.count() == 1


def test_a_new_answer_begins_after_one_is_handed_in(as_member: Client) -> None:
    as_member.post(ANSWER, {"text": "first", "revision": "0", "do": "submit"})
    assert as_member.get(PAGE).context["text"] == ""
    as_member.post(ANSWER, {"text": "second", "revision": "0", "do": "submit"})
    assert list(Answer.objects.order_by("pk").values_list("text", flat=True)) == ["first", "second"]


@pytest.mark.parametrize(("text", "sentence"), [("  ", "nothing to hand in"), ("x" * 20_001, "20,001 characters long")])
def test_what_cannot_be_handed_in_stays_in_the_field(as_member: Client, text: str, sentence: str) -> None:
    response = as_member.post(ANSWER, {"text": text, "revision": "0", "do": "submit"})
    assert response.status_code == 422
    assert sentence in response.content.decode()
    assert response.context["text"] == text
    assert not Answer.objects.exists()


def test_what_was_written_comes_along_through_signing_in(visitor: Client, member: User) -> None:
    response = visitor.post(ANSWER, {"text": "written before", "revision": "0", "do": "save"})
    assert response["Location"].startswith("/account/login/?next=%2Fquestions%2Fwhen-it-pays%2F")
    visitor.post("/account/login/", {"login": member.email, "password": "a long passphrase"})
    page = visitor.get(PAGE)
    assert page.context["text"] == "written before" and "signed out while writing" in page.content.decode()


def test_an_autosave_after_the_session_ended_says_so(visitor: Client) -> None:
    body = visitor.post(ANSWER, {"text": "lost?", "revision": "3"}, headers=HTMX).content.decode()
    assert "you are signed out" in body and 'value="3"' in body


def test_answers_are_ones_own(as_member: Client, as_premium: Client) -> None:
    as_member.post(ANSWER, {"text": "PRIVATE words", "revision": "0", "do": "submit"})
    assert "PRIVATE words" not in as_premium.get(PAGE).content.decode()


def test_markup_in_an_answer_is_shown_as_typed(as_member: Client) -> None:
    as_member.post(ANSWER, {"text": "<script>x</script>", "revision": "0", "do": "submit"})
    assert "&lt;script&gt;x" in as_member.get(PAGE).content.decode()


def test_a_draft_that_vanished_is_a_conflict_not_a_crash(member: User) -> None:
    question = Question.objects.get()
    with pytest.raises(answering.Conflict, match="handed in"):
        answering.save_draft(member, question, "late", 4)


def test_a_timer_starts_with_what_is_written_and_ends_with_the_answer(as_member: Client, member: User) -> None:
    as_member.post(f"{PAGE}timer/", {"text": "So far.", "revision": "0", "timer": "start"})
    draft = Answer.objects.get(user=member)
    assert (draft.text, draft.timer_minutes) == ("So far.", draft.question.minutes)
    Answer.objects.update(timer_started_at=timezone.now() - timedelta(minutes=3, seconds=5))
    page = as_member.get(PAGE).content.decode()
    assert f"of {draft.question.minutes} minutes" in page and "data-clock=" in page
    # starting it again takes nothing away from it
    as_member.post(f"{PAGE}timer/", {"text": "So far.", "revision": "1", "timer": "start"})
    as_member.post(f"{PAGE}answer/", {"text": "Done.", "revision": "1", "do": "submit"})
    assert Answer.objects.get().time_used == "3 min 05 s"
    page = as_member.get(PAGE).content.decode()
    assert "data-clock=" not in page and "in 3 min 05 s of" in page


def test_a_timer_can_be_begun_before_the_first_word_and_put_away(as_member: Client) -> None:
    as_member.post(f"{PAGE}timer/", {"text": "", "revision": "0", "timer": "start"})
    assert "data-clock=" in as_member.get(PAGE).content.decode()
    as_member.post(f"{PAGE}timer/", {"text": "A word.", "revision": "1", "timer": "stop"})
    assert "data-clock=" not in as_member.get(PAGE).content.decode()
    assert Answer.objects.get().text == "A word."


def test_a_timer_does_not_save_over_what_another_tab_wrote(as_member: Client, member: User) -> None:
    answering.save_draft(member, Question.objects.get(), "From elsewhere.", 0)
    response = as_member.post(f"{PAGE}timer/", {"text": "Stale.", "revision": "0", "timer": "start"})
    assert response.status_code == 409
    assert Answer.objects.get().text == "From elsewhere."
    assert "Stale." in response.content.decode()


def test_the_history_says_which_version_each_answer_was_to(as_member: Client, member: User) -> None:
    first = answering.submit(member, Question.objects.get(), "The first answer.", 0)
    answering.mark(first, [0], [])
    Question.objects.update(version="later")
    answering.submit(member, Question.objects.get(), "The second answer.", 0)
    page = as_member.get(f"{PAGE}answers/").content.decode()
    assert page.index("The second answer.") < page.index("The first answer.")
    assert page.count("it has changed since") == 1 and page.count("as it is now") == 1
    assert "1 point of the rubric" in page


def test_nobody_reads_anothers_answers(as_member: Client, stranger: User, visitor: Client) -> None:
    answering.submit(stranger, Question.objects.get(), "A stranger's words.", 0)
    assert "stranger's words" not in as_member.get(f"{PAGE}answers/").content.decode()
    assert visitor.get(f"{PAGE}answers/").status_code == 302
