"""What other pages show of practising."""

from __future__ import annotations

import pytest
from django.test import Client

from accounts.models import User

pytestmark = pytest.mark.usefixtures("curriculum")


def test_home_says_what_is_due_to_who_has_something_due(as_member: Client, member: User, visitor: Client, reads):
    assert "due today" not in as_member.get("/").content.decode()
    reads(member, "saved-tensors")
    assert "2 reviews due today" in as_member.get("/").content.decode()
    assert "due today" not in visitor.get("/").content.decode()


@pytest.mark.parametrize("page", ["numbertry", "review", "cardstate", "mock"])
def test_staff_can_look_and_change_nothing(client: Client, staff: User, page: str):
    client.force_login(staff)
    assert client.get(f"/staff/practice/{page}/").status_code == 200
    assert client.get(f"/staff/practice/{page}/add/").status_code == 403


@pytest.mark.parametrize("address", ["", "numbers/", "numbers/kv-bytes-a-token/", "review/", "mock/"])
def test_a_visitor_finds_the_way_in(visitor: Client, address: str):
    page = visitor.get(f"/practise/{address}").content.decode()
    assert page.count('href="/practise/"') >= 2 and "<h1>" in page


def test_what_is_not_there_is_not_found(as_member: Client):
    assert as_member.get("/practise/numbers/no-such/").status_code == 404
    assert as_member.post("/practise/numbers/no-such/answer/").status_code == 404
    assert as_member.get("/practise/mock/99/").status_code == 404
