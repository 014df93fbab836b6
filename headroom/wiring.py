"""What one app shows of another, where the import contracts keep them apart: the project hands it over."""

from grader import catalog


def lab_titles() -> dict[str, str]:
    """Return the labs' titles by slug, for the links in lessons and questions."""
    return {lab.slug: lab.title for lab in catalog.all_labs()}
