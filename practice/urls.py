"""Addresses of practising."""

from __future__ import annotations

from django.urls import path

from practice.views import hub, mock, numbers, review

app_name = "practice"
urlpatterns = [
    path("", hub.hub, name="hub"),
    path("progress/", hub.own_progress, name="progress"),
    path("numbers/", numbers.index, name="numbers"),
    path("numbers/<slug:number_id>/", numbers.number, name="number"),
    path("numbers/<slug:number_id>/answer/", numbers.answer, name="answer-number"),
    path("numbers/<slug:number_id>/again/", numbers.again, name="again"),
    path("review/", review.review, name="review"),
    path("review/turn/", review.turn, name="turn"),
    path("review/grade/", review.grade, name="grade"),
    path("review/undo/", review.undo, name="undo"),
    path("mock/", mock.index, name="mocks"),
    path("mock/start/", mock.start, name="start-mock"),
    path("mock/<int:pk>/", mock.mock, name="mock"),
    path("mock/<int:pk>/answer/", mock.answer, name="answer-mock"),
    path("mock/<int:pk>/mark/", mock.mark, name="mark-mock"),
]
