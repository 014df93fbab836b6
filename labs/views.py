"""The labs, and one lab: its statement, the editor with its draft, and sending code."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts.access import Decision, Person, Tier, decide
from grader import catalog
from grader.catalog import Lab
from grader.verdict import Outcome, Verdict
from labs import draft_views, gate, marks, merging, progress, runners, statement, submitting
from labs.models import Draft, Mode, State, Submission
from labs.submitting import NotAccepted

HISTORY = 10


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
    aside: str = ""


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
    draft = Draft.objects.of(request.user, lab.slug)
    kept = request.session.pop(_kept(lab), None)
    if kept is not None:
        saved = Draft.objects.save_text(request.user, lab.slug, kept, draft.revision if draft else 0)
        return Editing(kept, saved.revision if saved else 0, restored=True)
    revision = draft.revision if draft else 0
    wanted = request.GET.get("from")
    if wanted:
        origin = Submission.objects.defer("verdict").filter(public_id=wanted, user=request.user, lab=lab.slug).first()
        if origin is not None:
            return Editing(origin.code, revision, origin=origin, aside=draft.text if draft else "")
    return Editing(draft.text, revision, aside=draft.aside) if draft else Editing(lab.starter, 0)


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
        "differences": draft_views.differences(editing.other_text, editing.text) if editing.other_text else None,
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


@require_POST
def send(request: HttpRequest, slug: str) -> HttpResponse:
    """Take what the editor's form sends: run, submit or save. Whatever is refused, the text is kept."""
    lab = gate.lab_or_404(slug)
    text, action = draft_views.typed(request, "code"), request.POST.get("do", "submit")
    if not request.user.is_authenticated:
        request.session[_kept(lab)] = text[: draft_views.MOST_LETTERS]
        messages.info(request, "You are signed out. Sign in to send your code: it is kept and will be in the editor.")
        return redirect(_sign_in(lab))
    if action in ("take", "keep", "merge"):
        return _settle(request, lab, text, action)
    replaced = Draft.objects.of(request.user, lab.slug) if "replaces" in request.POST else None
    aside = replaced.text if replaced and replaced.text != text else None
    saved = Draft.objects.save_text(request.user, lab.slug, text, draft_views.revision_of(request), aside=aside)
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


def _settle(request: HttpRequest, lab: Lab, text: str, action: str) -> HttpResponse:
    """Settle a conflict as the person chose, without script: the text that goes is kept aside."""
    other = Draft.objects.of(request.user, lab.slug)
    theirs, revision = (other.text, other.revision) if other else (text, 0)
    merged = merging.merge(text, theirs) if action == "merge" else None
    chosen = merged.text if merged else theirs if action == "take" else text
    Draft.objects.save_text(request.user, lab.slug, chosen, revision, aside=theirs if action == "keep" else text)
    if merged and merged.conflicts:
        messages.warning(request, merging.sentence(merged))
    else:
        messages.success(request, "Draft saved. The code that it replaced is kept below the editor.")
    return redirect("labs:lab", slug=lab.slug)


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
