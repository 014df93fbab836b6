"""The draft in a lab's editor: saved while it is typed, reset, merged with another tab's, and brought back."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.views.decorators.http import require_POST

from accounts.typed import whole_number
from labs import comparing, gate, merging
from labs.models import Draft

MOST_LETTERS = 256 * 1024
"""A draft holds at most so many characters."""


def typed(request: HttpRequest, name: str) -> str:
    """Return a text field as it was typed: a form sends CRLF for every line end."""
    return request.POST.get(name, "").replace("\r\n", "\n")


def revision_of(request: HttpRequest) -> int:
    """Return the revision that a text is based on; 0 for none."""
    return whole_number(request.POST.get("revision", ""))


def differences(theirs: str, yours: str) -> dict[str, Any]:
    """Return what `labs/comparison.html` needs to show the saved draft beside what is in this editor."""
    label = "The saved draft and what is in this editor"
    heads = {"before_head": "Other", "after_head": "This editor"}
    return {"comparison": comparing.compare(theirs, yours), "label": label, **heads}


def _refusal(request: HttpRequest, slug: str, *texts: str) -> JsonResponse | None:
    lab = gate.lab_or_404(slug)
    if not request.user.is_authenticated:
        return JsonResponse({"error": "You are signed out. Sign in, in another tab, to save your draft."}, status=401)
    if not gate.decision(request, lab).is_open:
        return JsonResponse({"error": "This lab is not open to your account any more."}, status=403)
    if max(map(len, texts)) > MOST_LETTERS:
        return JsonResponse({"error": f"A draft holds at most {MOST_LETTERS:,} characters."}, status=413)
    return None


@require_POST
def save(request: HttpRequest, slug: str) -> JsonResponse:
    """Save what is being typed: `text` and the `revision` it is based on. 409 holds both texts: nothing is lost.

    `aside`, where it is sent, is a text that this one replaces as a whole: it is kept beside the draft.
    """
    text, aside = typed(request, "text"), typed(request, "aside")
    if refused := _refusal(request, slug, text, aside):
        return refused
    kept = aside if "aside" in request.POST else None
    draft = Draft.objects.save_text(request.user, slug, text, revision_of(request), aside=kept)
    if draft is None:
        other = Draft.objects.of(request.user, slug)
        assert other is not None  # it was there to be in conflict with, and drafts are not deleted
        sentence = "This draft was also changed elsewhere. Keep yours by saving again, or take the other."
        conflict = {"error": sentence, "yours": text, "theirs": other.text, "revision": other.revision}
        return JsonResponse(conflict, status=409)
    return JsonResponse({"revision": draft.revision, "saved": draft.updated.isoformat()})


@require_POST
def merge(request: HttpRequest, slug: str) -> JsonResponse:
    """Set `text` beside the saved draft, and merge the two as grown from `base`. Nothing is saved."""
    text, base = typed(request, "text"), typed(request, "base")
    if refused := _refusal(request, slug, text, base):
        return refused
    other = Draft.objects.of(request.user, slug)
    if other is None:
        return JsonResponse({"error": "There is no other draft."}, status=404)
    merged = merging.merge(text, other.text, base if "base" in request.POST else None)
    html = render_to_string("labs/comparison.html", differences(other.text, text))
    return JsonResponse({"merged": merged.text, "sentence": merging.sentence(merged), "differences": html})


@require_POST
def reset(request: HttpRequest, slug: str) -> HttpResponse:
    """Put the starter back into the draft; what it held is kept aside."""
    lab = gate.lab_or_404(slug)
    if gate.decision(request, lab).is_open and request.user.is_authenticated:
        draft = Draft.objects.of(request.user, slug)
        if draft is not None and draft.text != lab.starter:
            Draft.objects.save_text(request.user, slug, lab.starter, draft.revision, aside=draft.text)
        messages.success(request, "The editor holds the starter again. The code before it is kept below the editor.")
    return redirect("labs:lab", slug=slug)


@require_POST
def aside(request: HttpRequest, slug: str) -> HttpResponse:
    """Change the draft and the text kept aside for each other; `do` = drop forgets the one kept aside."""
    gate.lab_or_404(slug)
    if request.user.is_authenticated:
        draft = Draft.objects.of(request.user, slug)
        if draft is not None and draft.aside:
            dropped = request.POST.get("do") == "drop"
            text, kept = (draft.text, "") if dropped else (draft.aside, draft.text)
            Draft.objects.save_text(request.user, slug, text, draft.revision, aside=kept)
    return redirect("labs:lab", slug=slug)
