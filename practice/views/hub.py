"""The way into practising, and one's progress."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from accounts.access import Person
from practice import numbers, progress, reviewing
from practice.models import Mock


@require_GET
def hub(request: HttpRequest) -> HttpResponse:
    """Show what there is to practise, and what is due today."""
    context: dict[str, object] = {"numbers": len(numbers.all_numbers())}
    if request.user.is_authenticated:
        now = timezone.now()
        context["today"] = reviewing.today(request.user, Person.of(request.user), now)
        context["mock"] = Mock.objects.filter(user=request.user, finished_at=None).first()
    return render(request, "practice/hub.html", context)


@login_required
@never_cache
@require_GET
def own_progress(request: HttpRequest) -> HttpResponse:
    """Show one's progress by lesson, phase, track and lab, and the days in a row."""
    return render(request, "practice/progress.html", {"progress": progress.of(request.user, timezone.now())})
