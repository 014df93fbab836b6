"""The whole site with its real content, in which someone typed the corpus into every field that people fill."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from pytest_django.plugin import DjangoDbBlocker

from tests.face.site import served
from tests.security.filling import Filled, fill


@pytest.fixture(scope="package")
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The database, in which rows stay from test to test. pytest-django makes it for tests with a fixture so named."""
    with django_db_blocker.unblock():
        yield


@pytest.fixture(scope="package")
def filled(browser: Browser, db: None, shared: Path) -> Iterator[Filled]:
    """The filled site."""
    with served(shared) as site:
        yield fill(site)
