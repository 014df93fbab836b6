"""Tests here are marked `gpu`, and skipped for one reason only: there is no device."""

from pathlib import Path

import pytest

from grader import devices


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = devices.missing("cuda")
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.gpu)
            if missing:
                item.add_marker(pytest.mark.skip(reason=missing))
