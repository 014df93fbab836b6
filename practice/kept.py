"""What practice keeps of a person."""

from accounts import personal
from practice.models import CardState, Mock, MockTurn, NumberTry, Review

personal.rows(NumberTry, "practice/numbers", "Numbers that were drawn for you, and what you answered")
personal.rows(Review, "practice/reviews", "Grades that you gave to cards")
personal.rows(CardState, "practice/cards", "When each card is due")
personal.rows(Mock, "practice/mocks", "Mock interviews")
personal.rows(MockTurn, "practice/mock-turns", "The questions of your mock interviews", owner="mock__user")
