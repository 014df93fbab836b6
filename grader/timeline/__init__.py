"""Live bytes over one update as JSON, picture and table. Imports no torch: the web process draws with it.

A timeline is {"phases": [{"name", "start"}, ...], "kinds": [...], "live": {kind: [bytes per point, ...]},
"total": [...], "peak_index": int}: `start` is the index of a phase's first point, all lists have one length, and the
kinds sum to the total at every point. Bytes are above what was live when the update started, so a point can be below
zero where the update freed what was there before.
"""

from grader.timeline.checking import validate
from grader.timeline.drawing import svg
from grader.timeline.painting import CannotPaint, png
from grader.timeline.series import KINDS, LABELS, MOST_POINTS, build, format_bytes, phase_at, thin
from grader.timeline.tables import csv, rows

__all__ = [
    "KINDS",
    "LABELS",
    "MOST_POINTS",
    "CannotPaint",
    "build",
    "csv",
    "format_bytes",
    "phase_at",
    "png",
    "rows",
    "svg",
    "thin",
    "validate",
]
