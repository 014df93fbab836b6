"""The labs, and one lab: its statement, the editor with its draft, and sending code."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts.access import Decision, Person, Tier, decide
from grader import catalog
from grader.catalog import Lab
from grader.verdict import Outcome, Verdict
from labs import gate, marks, progress, runners, statement, submitting
from labs.models import Draft, Mode, State, Submission
from labs.submitting import NotAccepted

HISTORY = 10
KEPT_IN_SESSION = 256 * 1024
"""Code that a signed-out person sends is kept for their return, up to this many characters."""


@require_GET
def index(request: HttpRequest) -> HttpResponse:
    """List the labs, with what opens each and which are passed."""
    now, person = gate.timezone.now(), Person.of(request.user)
    passed = progress.passed_slugs(request.user)
    rows = [
        {
            "lab": lab,
            "tier": Tier(lab.tier),
            "passed": lab.slug in passed,
            "open": decide(lab.tier, 0, person, now).is_open,
        }
        for lab in catalog.all_labs()
    ]
    return render(request, "labs/list.html", {"rows": rows})


@dataclass
class Editing:
    """What the editor shows, and what there is to say about it."""

    text: str
    revision: int
    problem: str = ""
    other_text: str | None = None
    origin: Submission | None = None
    restored: bool = False


@require_GET
@never_cache
def lab(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a lab: statement, editor, own submissions. A closed lab shows what opens it, and nothing of the lab."""
    lab = gate.lab_or_404(slug)
    decision = gate.decision(request, lab)
    if not decision.is_open:
        return _locked(request, lab, decision)
    return _page(request, lab, _editing(request, lab))


def _editing(request: HttpRequest, lab: Lab) -> Editing:
    """Choose the text: what was sent when the session had ended, the code asked for, the draft, the starter."""
    if not request.user.is_authenticated:
        return Editing(request.session.get(_kept(lab), lab.starter), 0)
    draft = Draft.objects.filter(user=request.user, lab=lab.slug).first()
    kept = request.session.pop(_kept(lab), None)
    if kept is not None:
        saved = Draft.objects.save_text(request.user, lab.slug, kept, draft.revision if draft else 0)
        return Editing(kept, saved.revision if saved else 0, restored=True)
    revision = draft.revision if draft else 0
    wanted = request.GET.get("from")
    if wanted:
        origin = Submission.objects.defer("verdict").filter(public_id=wanted, user=request.user, lab=lab.slug).first()
        if origin is not None:
            return Editing(origin.code, revision, origin=origin)
    return Editing(draft.text if draft else lab.starter, revision)


def _page(request: HttpRequest, lab: Lab, editing: Editing, status: int = 200) -> HttpResponse:
    history: Any = []
    if request.user.is_authenticated:
        history = list(Submission.objects.light().filter(user=request.user, lab=lab.slug).order_by("-id")[:HISTORY])
    context = {
        "lab": lab,
        "tier": Tier(lab.tier),
        "statement": statement.to_html(lab.statement),
        "editing": editing,
        "marks": _marks(editing, history),
        "history": history,
        "queued": any(submission.state == State.QUEUED for submission in history),
        "key": secrets.token_urlsafe(16),
        "sign_in": _sign_in(lab),
        "needs_gpu": runners.device_for(lab) != "cpu",
        "runner": runners.alive(runners.device_for(lab)),
    }
    return render(request, "labs/lab.html", context, status=status)


def _marks(editing: Editing, history: list[Submission]) -> list[marks.Mark]:
    """Return what the last graded code, or the code asked for, was told of lines that are in the editor."""
    graded = editing.origin or next((submission for submission in history if submission.state == State.DONE), None)
    if graded is None or graded.outcome in ("", Outcome.PASSED, Outcome.UNGRADABLE):
        return []
    whole = Submission.objects.only("source", "verdict").get(pk=graded.pk)
    return marks.moved(marks.of(Verdict.from_json(whole.verdict or {}), whole.code), whole.code, editing.text)


def _locked(request: HttpRequest, lab: Lab, decision: Decision, status: int = 200) -> HttpResponse:
    context = {"lab": lab, "tier": Tier(lab.tier), "decision": decision, "sign_in": _sign_in(lab)}
    return render(request, "labs/locked.html", context, status=status)


def _sign_in(lab: Lab) -> str:
    return f"{resolve_url(settings.LOGIN_URL)}?{urlencode({'next': reverse('labs:lab', args=[lab.slug])})}"


def _kept(lab: Lab) -> str:
    return f"labs:kept:{lab.slug}"


def _typed(request: HttpRequest, name: str) -> str:
    """Return a text field as it was typed: a form sends CRLF for every line end."""
    return request.POST.get(name, "").replace("\r\n", "\n")


def _revision(request: HttpRequest) -> int:
    text = request.POST.get("revision", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


@require_POST
def send(request: HttpRequest, slug: str) -> HttpResponse:
    """Take what the editor's form sends: run, submit or save. Whatever is refused, the text is kept."""
    lab = gate.lab_or_404(slug)
    text, action = _typed(request, "code"), request.POST.get("do", "submit")
    if not request.user.is_authenticated:
        request.session[_kept(lab)] = text[:KEPT_IN_SESSION]
        messages.info(request, "You are signed out. Sign in to send your code: it is kept and will be in the editor.")
        return redirect(_sign_in(lab))
    saved = Draft.objects.save_text(request.user, lab.slug, text, _revision(request))
    decision = gate.decision(request, lab)
    if not decision.is_open:
        return _locked(request, lab, decision, status=403)
    editing = Editing(text, saved.revision if saved else 0)
    if saved is None:
        other = Draft.objects.get(user=request.user, lab=lab.slug)
        editing.revision, editing.other_text = other.revision, other.text
    if action == "save":
        if saved is None:
            return _page(request, lab, editing, status=409)
        messages.success(request, "Draft saved.")
        return redirect("labs:lab", slug=slug)
    try:
        submission = _submit(request, lab, text, Mode.RUN if action == "run" else Mode.SUBMIT)
    except NotAccepted as refused:
        editing.problem = str(refused)
        return _page(request, lab, editing, status=422)
    return redirect("labs:submission", public_id=submission.public_id)


def _submit(request: HttpRequest, lab: Lab, text: str, mode: Mode) -> Submission:
    """Submit the uploaded file where there is one, byte for byte, else the text. Raises NotAccepted."""
    upload = request.FILES.get("file")
    if upload is None:
        source = text.encode("utf-8", errors="surrogatepass")
    else:
        submitting.check_size(lab, upload.size or 0)
        source = upload.read()
    key = request.POST.get("key", "")[:64]
    wait, supersede = (request.POST.get(name) == "yes" for name in ("wait", "supersede"))
    taken = submitting.submit(request.user, lab, mode=mode, source=source, key=key, wait=wait, supersede=supersede)
    return taken.submission


@require_POST
def save_draft(request: HttpRequest, slug: str) -> JsonResponse:
    """Save what is being typed: `text` and the `revision` it is based on. 409 holds both texts: nothing is lost."""
    lab = gate.lab_or_404(slug)
    if not request.user.is_authenticated:
        return JsonResponse({"error": "You are signed out. Sign in, in another tab, to save your draft."}, status=401)
    if not gate.decision(request, lab).is_open:
        return JsonResponse({"error": "This lab is not open to your account any more."}, status=403)
    text = _typed(request, "text")
    if len(text) > KEPT_IN_SESSION:
        return JsonResponse({"error": f"A draft holds at most {KEPT_IN_SESSION:,} characters."}, status=413)
    draft = Draft.objects.save_text(request.user, lab.slug, text, _revision(request))
    if draft is None:
        other = Draft.objects.get(user=request.user, lab=lab.slug)
        sentence = "This draft was also changed elsewhere. Keep yours by saving again, or take the other."
        conflict = {"error": sentence, "yours": text, "theirs": other.text, "revision": other.revision}
        return JsonResponse(conflict, status=409)
    return JsonResponse({"revision": draft.revision, "saved": draft.updated.isoformat()})


@require_POST
def reset(request: HttpRequest, slug: str) -> HttpResponse:
    """Put the starter back into the draft. What was sent stays among the submissions."""
    lab = gate.lab_or_404(slug)
    if not gate.decision(request, lab).is_open or not request.user.is_authenticated:
        return redirect("labs:lab", slug=slug)
    draft = Draft.objects.filter(user=request.user, lab=lab.slug).first()
    if draft is not None:
        Draft.objects.save_text(request.user, lab.slug, lab.starter, draft.revision)
    messages.success(request, "The editor holds the starter again.")
    return redirect("labs:lab", slug=slug)


@require_GET
def download(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Download a lab's public file: its starter or its harness."""
    lab = gate.lab_or_404(slug)
    decision = gate.decision(request, lab)
    if not decision.is_open:
        return _locked(request, lab, decision, status=403)
    return attachment((lab.starter if name == "starter" else lab.harness).encode(), f"{lab.slug}-{name}.py")


def attachment(content: bytes, filename: str, content_type: str = "text/x-python; charset=utf-8") -> HttpResponse:
    """Return bytes as a file to keep, never to be shown as a page."""
    headers = {"Content-Disposition": f'attachment; filename="{filename}"', "X-Content-Type-Options": "nosniff"}
    return HttpResponse(content, content_type=content_type, headers=headers)
