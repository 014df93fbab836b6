"""What the site teaches, and what people did with it."""

from courses.models.content import Alias, Course, Lesson, Page, Phase, Question, QuizItem, Section, Track
from courses.models.work import Answer, LessonRead, QuizAttempt

__all__ = [
    "Alias",
    "Answer",
    "Course",
    "Lesson",
    "LessonRead",
    "Page",
    "Phase",
    "Question",
    "QuizAttempt",
    "QuizItem",
    "Section",
    "Track",
]
