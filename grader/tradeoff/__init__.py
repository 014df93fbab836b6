"""Memory against work: one update under several schedules, as artefact, picture and table. Imports no torch.

An artefact is `tradeoff.json` in a lab's folder: what `python -m grader tradeoff LAB` metered of the lab's main case,
in each size that a grading plays. `measuring` makes it; a verdict is drawn among the points of the size it measured.
"""

from grader.tradeoff.drawing import svg
from grader.tradeoff.points import FILE, OWN, Point, Tradeoff, csv, find, load, rows

__all__ = ["FILE", "OWN", "Point", "Tradeoff", "csv", "find", "load", "rows", "svg"]
