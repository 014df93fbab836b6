"""The first page and the outline of the course."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_GET

from accounts.access import Person
from courses import calculators, drawing, progress
from courses.models import Course, Lesson

BEGIN_WITH = 4


@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """Show what this is: a live calculator, a measured run, the first lessons, and where someone was."""
    course = Course.objects.first()
    lessons = list(progress.marked(Lesson.objects.shown().select_related("phase"), request.user))
    person = Person.of(request.user)
    read = {lesson.pk for lesson in lessons if lesson.is_read}
    go_on = progress.next_lesson(person, lessons, read) if read else None
    calculator = None
    if course and course.home_calculator:
        calculator = drawing.context(calculators.get(course.home_calculator), {})
    # the figure is our own drawing, made when the content was synced
    figure = mark_safe(course.home_figure) if course else ""
    return render(
        request,
        "home.html",
        {
            "lessons": lessons[:BEGIN_WITH],
            "calculator": calculator,
            "figure": figure,
            "go_on": go_on,
            "person": person,
        },
    )


@require_GET
def course(request: HttpRequest) -> HttpResponse:
    """Show the course: its phases, and every lesson with its tier and whether it is read."""
    person = Person.of(request.user)
    return render(
        request,
        "courses/course.html",
        {
            "course": Course.objects.first(),
            "phases": progress.outline(request.user, person),
        },
    )
