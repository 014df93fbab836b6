"""Type the corpus into the fields of the site, through its own addresses, and remember which fields those were."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from allauth.mfa.models import Authenticator
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import resolve
from django.utils import timezone

from accounts.models import Grant, User
from courses.models import QuizItem
from discussion import moderating
from discussion.models import Comment
from grader.verdict import Check
from labs.models import Submission
from practice.models import Mock
from tests.face.site import LAB, LESSON, NUMBER, PASSWORD, QUESTION, STAFF, Site
from tests.labs.conftest import failed_verdict
from tests.support.payloads import BYTES, PAYLOADS

WRITER = "writer"
ALL = "\n\n".join(PAYLOADS)
ODD_ADDRESS = '"<img/src=x/onerror=xss()>"@example.org'


def packed(most: int, texts: list[str] = PAYLOADS) -> list[str]:
    """Return the payloads in as few texts of at most `most` characters as they need; what is longer is left out."""
    packs = [""]
    for text in texts:
        if len(text) > most:
            continue
        if len(packs[-1]) + len(text) + 1 > most:
            packs.append("")
        packs[-1] += f" {text}" if packs[-1] else text
    return packs


@dataclass
class Filled:
    """The site, and the fields (view, name) that took payloads. `shown` says who can see what at which address."""

    site: Site
    fields: set[tuple[str, str]] = field(default_factory=set)
    shown: list[tuple[str, str]] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    """Pages and parts of pages that came back when something was sent."""

    def send(
        self, client: Client, path: str, fields: Mapping[str, Any], *, method: str = "post", **headers: Any
    ) -> Any:
        """Send a form or a query, remember which of its fields held a payload, and keep the page that came back."""
        view = resolve(path).view_name
        held = {name for name, value in fields.items() if "xss" in str(value) or hasattr(value, "read")}
        self.fields |= {(view, name) for name in held}
        response = getattr(client, method)(path, fields, **headers)
        assert response.status_code < 500, f"{path} {fields}: {response.status_code}"
        kind = response.headers.get("Content-Type", "")
        if kind.startswith("text/html") and response.content:
            self.answers.append(response.text)
        return response


def fill(site: Site) -> Filled:
    """Fill everything that the site stores or shows; the pages that show it are in `shown`."""
    filled = Filled(site)
    writer = site.join(WRITER, premium=True)
    thread = _talk(filled)
    _learn(filled)
    _practise(filled)
    graded = _submit(filled, writer)
    _sign_in(filled, writer)
    for grant in packed(200)[:5]:
        Grant.objects.create(user=writer, until=timezone.now(), reason=grant)
    filled.shown += [
        *((WRITER, path) for path in ("/", "/account/", "/account/profile/", "/account/2fa/webauthn/", "/notes/")),
        (WRITER, "/account/sessions/"),
        (WRITER, f"/lessons/{LESSON}/"),
        (WRITER, f"/questions/{QUESTION}/"),
        (WRITER, f"/questions/{QUESTION}/answers/"),
        (WRITER, f"/practise/numbers/{NUMBER}/"),
        (WRITER, f"/labs/{LAB}/"),
        *((WRITER, f"/labs/submissions/{each.public_id}/") for each in graded),
        (WRITER, f"/labs/{LAB}/changes/?from={graded[0].public_id}&to={graded[1].public_id}"),
        (WRITER, f"/discussion/{thread}/"),
        ("visitor", f"/discussion/{thread}/"),
        *((STAFF, f"/discussion/lesson/{LESSON}/?page={number}") for number in range(1, 10)),
        (STAFF, f"/discussion/{thread}/"),
        *((STAFF, f"/staff/{path}") for path in _STAFF),
        (STAFF, f"/staff/labs/submission/{graded[0].pk}/change/"),
        (STAFF, f"/staff/discussion/comment/{Comment.objects.filter(thread=thread).earliest('pk').pk}/change/"),
        (STAFF, f"/staff/accounts/user/{writer.pk}/change/"),
        (STAFF, f"/staff/accounts/user/{User.objects.get(email=ODD_ADDRESS).pk}/change/"),
    ]
    return filled


_STAFF = (
    "", "accounts/user/", "accounts/grant/", "accounts/auditentry/", "courses/answer/", "courses/quizattempt/",
    "discussion/comment/", "discussion/report/?state=all", "discussion/thread/", "labs/submission/",
    "labs/submission/queue/", "practice/numbertry/",
)  # fmt: skip


def _talk(filled: Filled) -> int:
    """Let one person a payload be called so, start a thread so called, answer so and report so; return the thread."""
    site, here = filled.site, f"/discussion/lesson/{LESSON}/"
    filled.send(site.clients[WRITER], here, {"title": PAYLOADS[0], "text": PAYLOADS[0]})
    first = Comment.objects.latest("pk")
    assert first.thread.title == PAYLOADS[0], "it was refused"
    crowd = User.objects.bulk_create(
        User(email=f"crowd{number}@example.org", password="!") for number in range(len(PAYLOADS))
    )
    for user, payload in zip(crowd, PAYLOADS, strict=True):
        client = Client()
        client.force_login(user)
        filled.send(client, "/account/profile/", {"display_name": payload[:80], "timezone": "UTC"})
        filled.send(client, f"/discussion/comments/{first.pk}/reply/", {"text": payload})
        filled.send(client, here, {"title": payload[:120], "text": payload})
        filled.send(client, f"/discussion/comments/{first.pk}/report/", {"why": "spam", "words": payload[:500]})
    filled.send(client, "/account/profile/", {"display_name": ALL, "timezone": ALL})
    mine = Comment.objects.filter(author=crowd[0]).earliest("pk")
    client = Client()
    client.force_login(crowd[0])
    edit = f"/discussion/comments/{mine.pk}/edit/"
    filled.send(client, edit, {"text": ALL[:7_500], "revision": mine.revision})
    filled.send(client, edit, {"text": ALL[:7_500] + "xss", "revision": 99})
    filled.send(client, here, {"title": "", "text": ALL})
    moderating.hide([mine.pk], packed(200)[0], User.objects.get(email="staff@example.org"), timezone.now())
    filled.answers.append(client.get(f"/discussion/{first.thread_id}/").text)
    # without an account what was typed is kept until they are back
    visitor = Client()
    filled.send(visitor, here, {"title": PAYLOADS[0], "text": ALL[:7_500]})
    filled.send(visitor, f"/discussion/comments/{first.pk}/reply/", {"text": ALL[:7_500]})
    visitor.force_login(crowd[1])
    filled.answers += [visitor.get(here).text, visitor.get(f"/discussion/comments/{first.pk}/reply/").text]
    return first.thread_id


def _learn(filled: Filled) -> None:
    client = filled.site.clients[WRITER]
    send, note, answer = filled.send, f"/notes/lesson/{LESSON}/", f"/questions/{QUESTION}/answer/"
    send(client, note, {"text": ALL[:19_000], "revision": 0})
    send(client, note, {"text": ALL[:19_000] + "!", "revision": 7})
    send(client, note, {"text": ALL + "xss" * 9_000, "revision": 1}, headers={"HX-Request": "true"})
    send(client, answer, {"text": ALL[:19_000], "do": "submit", "revision": 0})
    send(client, answer, {"text": ALL[:19_000], "do": "save", "revision": 0})
    send(client, answer, {"text": ALL[:18_000], "do": "save", "revision": 9})
    send(client, f"/questions/{QUESTION}/timer/", {"text": ALL[:19_000], "timer": "start", "revision": 9})
    send(client, f"/questions/{QUESTION}/mark/", {"point": ["xss", "9" * 5_000], "flag": "xss"})
    for item in QuizItem.objects.filter(lesson__slug=LESSON):
        for text in (*packed(300)[:3], ALL):
            path = f"/lessons/{LESSON}/quiz/{item.key}/"
            send(client, path, {"answer": text, "option": text})
            send(client, path, {"answer": text, "option": text}, headers={"HX-Request": "true"})


def _practise(filled: Filled) -> None:
    client, number = filled.site.clients[WRITER], f"/practise/numbers/{NUMBER}/answer/"
    for text in PAYLOADS:
        filled.send(client, number, {"answer": text}, headers={"HX-Request": "true"})
    filled.send(client, number, {"answer": ALL})
    filled.send(client, "/practise/review/turn/", {"card": f"number:{NUMBER}", "answer": ALL[:2_000]})
    filled.send(client, "/practise/review/turn/", {"card": ALL[:2_000]})
    filled.send(client, "/practise/review/grade/", {"card": ALL[:2_000], "grade": "xss", "nth": "xss"})
    filled.send(client, "/practise/mock/start/", {"track": ALL[:900], "level": ALL[:900], "minutes": ALL[:900]})
    client.post("/practise/mock/start/", {"track": "", "level": "", "minutes": 30})
    mock = Mock.objects.latest("pk")
    path = f"/practise/mock/{mock.pk}/"
    filled.send(client, f"{path}answer/", {"text": ALL + "xss" * 9_000, "position": 1, "revision": 0})
    filled.send(client, f"{path}answer/", {"text": ALL[:19_000], "position": 1, "revision": 0, "do": "end"})
    filled.send(client, f"{path}mark/", {"point-1": ["xss", "9" * 5_000], "flag-1": "xss"})
    filled.shown += [(WRITER, path), (WRITER, f"{path}?mark")]


def _submit(filled: Filled, writer: User) -> list[Submission]:
    """Send code as text and as bytes; write verdicts whose every text came from the submission."""
    client, lab = filled.site.clients[WRITER], f"/labs/{LAB}/"
    filled.send(client, f"{lab}send/", {"code": ALL, "do": "run", "key": PAYLOADS[0][:60]})
    upload = SimpleUploadedFile("<img src=x onerror=xss()>.py", b"\n".join([*BYTES, *(p.encode() for p in PAYLOADS)]))
    filled.send(client, f"{lab}send/", {"code": "x", "file": upload, "do": "run", "supersede": "yes"})
    filled.send(client, f"{lab}send/", {"code": ALL, "file": SimpleUploadedFile("a.py", b"xss" * 99_999), "do": "run"})
    draft = filled.send(client, f"{lab}draft/", {"text": ALL, "aside": ALL[::-1], "revision": 99})
    revision = draft.json()["revision"]
    filled.send(client, f"{lab}draft/", {"text": ALL, "aside": ALL[:90_000], "revision": revision})
    merged = filled.send(client, f"{lab}draft/merge/", {"text": f"x\n{ALL}", "base": ALL[:500]})
    filled.answers.append(merged.json()["differences"])
    filled.send(client, f"{lab}send/", {"code": f"{ALL}\ny", "do": "save", "revision": 99})
    base = failed_verdict()
    checks = tuple(Check(p, p, False, p, p, p[:20], p) for p in PAYLOADS)
    tensors = [
        {"bytes": 1, "count": 1, "dtype": p, "shape": [p], "kind": p, "module": p, "operator": p} for p in PAYLOADS
    ]
    verdict = replace(
        base, checks=checks, peak={**base.peak, "phase": ALL, "tensors": tensors}, message=ALL, traceback=ALL,
        output=ALL, notes=tuple(PAYLOADS),
    )  # fmt: skip
    rows = list(Submission.objects.filter(user=writer).order_by("pk")[:2])
    for row in rows:
        Submission.objects.filter(pk=row.pk).update(state="queued", lab=LAB)
        attempt = Submission.objects.claim(row.pk, worker="w").attempt
        Submission.objects.finish(row.pk, attempt, verdict.to_json(), grader_version="1")
    return [Submission.objects.get(pk=row.pk) for row in rows]


def _sign_in(filled: Filled, writer: User) -> None:
    """Sign in with browsers so called, fail to, and have a key so called."""
    for agent in packed(190, [each for each in PAYLOADS if each.isprintable() and each.isascii()])[:12]:
        cache.clear()
        client = Client(HTTP_USER_AGENT=agent)
        client.post("/account/login/", {"login": writer.email, "password": PASSWORD})
        client.get("/account/")
    visitor = Client()
    for text in (ODD_ADDRESS, *packed(250)[:12]):
        cache.clear()
        filled.send(visitor, "/account/login/", {"login": text, "password": text, "next": text})
        filled.send(visitor, "/account/password/reset/", {"email": text})
        filled.send(Client(), "/account/signup/", {"email": text, "password1": "a long passphrase xss", "next": text})
    if not User.objects.filter(email=ODD_ADDRESS).exists():
        User.objects.create_user(ODD_ADDRESS, PASSWORD, display_name=PAYLOADS[0][:80])
    client = filled.site.clients[WRITER]
    filled.send(client, "/account/email/", {"email": ODD_ADDRESS, "action_add": ""})
    filled.send(client, "/account/password/change/", {"oldpassword": "xss", "password1": "xss", "password2": "xss"})
    filled.send(client, "/account/reauthenticate/", {"password": "xss", "next": PAYLOADS[0]})
    for text in PAYLOADS[:40]:
        credential = {"clientExtensionResults": {}}
        Authenticator.objects.create(
            user=writer, type=Authenticator.Type.WEBAUTHN, data={"name": text[:100], "credential": credential}
        )
