"""Addresses of what people learn. The content engine writes the same ones into pages (courses.authoring.links)."""

from django.urls import path

from courses.views import calculators, home, lessons, questions

app_name = "courses"
urlpatterns = [
    path("", home.home, name="home"),
    path("course/", home.course, name="course"),
    path("lessons/<slug:slug>/", lessons.lesson, name="lesson"),
    path("lessons/<slug:slug>/read/", lessons.mark_read, name="mark-read"),
    path("lessons/<slug:slug>/quiz/<slug:key>/", lessons.answer_quiz, name="answer-quiz"),
    path("questions/", questions.index, name="questions"),
    path("questions/<slug:slug>/", questions.question, name="question"),
    path("questions/<slug:slug>/answer/", questions.answer, name="answer"),
    path("questions/<slug:slug>/timer/", questions.timer, name="timer"),
    path("questions/<slug:slug>/answers/", questions.answers, name="answers"),
    path("questions/<slug:slug>/mark/", questions.mark, name="mark"),
    path("calculators/", calculators.index, name="calculators"),
    path("calculators/<slug:calculator_id>/", calculators.calculator, name="calculator"),
]
