"""What courses keep of a person."""

from accounts import personal
from courses.models import Answer, LessonRead, QuizAttempt

personal.rows(LessonRead, "courses/lessons-read", "Lessons you have read")
personal.rows(Answer, "courses/answers", "Answers to questions, with your drafts and marks")
personal.rows(QuizAttempt, "courses/quiz-attempts", "Tries at quizzes")
