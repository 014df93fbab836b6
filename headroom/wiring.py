"""What one app shows of another, where the import contracts keep them apart: the project hands it over."""

from typing import Any

from grader import catalog
from labs import progress
from practice import days
from practice.progress import LabWork


def lab_titles() -> dict[str, str]:
    """Return the labs' titles by slug, for the links in lessons and questions."""
    return {lab.slug: lab.title for lab in catalog.all_labs()}


def lab_work(user: Any) -> LabWork:
    """Return what someone did in the labs, for their progress: one query."""
    passed, on = progress.passed_and_days(user, days.zone(user))
    return LabWork(lab_titles(), passed, on)
