"""Practising what the courses teach: numbers, spaced review, mock interviews, and how far someone has come."""
