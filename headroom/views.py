"""Pages that need more than one of the apps, health for an orchestrator, and errors."""

from django.contrib.auth.decorators import login_required
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache

from accounts.access import Person
from billing import subscribing
from courses import progress as course_progress
from headroom import cache
from labs import progress as lab_progress
from practice import progress as practice_progress


@login_required
@never_cache
def account(request: HttpRequest) -> HttpResponse:
    """One's own account: name, plan, and progress through courses and labs."""
    person, now = Person.of(request.user), timezone.now()
    progress = practice_progress.glance(request.user, now)
    return render(
        request,
        "account/home.html",
        {
            "person": person,
            "premium": person.premium_at(now),
            "subscription": subscribing.standing(request.user, now),
            "progress": progress,
            "go_on": course_progress.next_lesson(person, progress.in_order, progress.read),
            "lately": course_progress.lately(request.user),
            "submissions": lab_progress.recent(request.user),
        },
    )


@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """Tell that this process answers; touches nothing else."""
    return HttpResponse("ok\n", content_type="text/plain")


@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """Tell whether database and Redis answer: 200 where both do, else 503 with the one that does not named."""
    checks = {"database": _database_answers, "redis": cache.answers}
    answers = {name: check() for name, check in checks.items()}
    return JsonResponse(answers, status=200 if all(answers.values()) else 503)


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        return True
    except Exception:
        # Whatever the driver raises, the answer is the same: not ready.
        return False


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return render(request, "403.html", status=403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return render(request, "404.html", status=404)


def failed(request: HttpRequest) -> HttpResponse:
    return render(request, "500.html", status=500)
