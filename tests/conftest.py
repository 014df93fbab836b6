"""Fixtures and reporting for the whole suite; `tests/support` says what there is."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.cache import cache
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis
from playwright.sync_api import Browser, expect
from pytest_django.plugin import DjangoDbBlocker
from xdist.scheduler import LoadFileScheduling

from accounts.models import User
from courses import shelf
from tests.support import browser as chromium
from tests.support import databases, required
from tests.support import redis as test_redis

# How long a busy machine takes decides nothing.
hypothesis.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis.load_profile("suite")
expect.set_options(timeout=30_000)

ON_POSTGRES = "postgresql" in settings.DATABASES["default"]["ENGINE"]


TESTS = Path(__file__).parent
WITHOUT_DATABASE = ("bench", "facts", "fuzz/test_grader.py", "gpu", "grader")
"""Nothing here asks for a database, so a run on PostgreSQL does not import it: torch alone takes seconds each time."""
EACH_ALONE = ("tests/crawl/test_crawler.py",)
"""Files whose tests take minutes and share nothing: any process may take any of them."""


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    return True if ON_POSTGRES and _without_database(collection_path) else None


def _without_database(path: Path) -> bool:
    return any((TESTS / each) in (path, *path.parents) for each in WITHOUT_DATABASE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    without = os.environ.get("HEADROOM_NO_POSTGRES")
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)
        if _without_database(item.path) and any(map(item.get_closest_marker, ("django_db", "postgres"))):
            raise pytest.UsageError(f"{item.nodeid} asks for a database: see WITHOUT_DATABASE in tests/conftest.py.")
        if without:
            item.add_marker(pytest.mark.skip(reason=without))
        elif item.get_closest_marker("postgres") and not ON_POSTGRES:
            item.add_marker(pytest.mark.skip(reason="runs with HEADROOM_TEST_DATABASE=postgres"))
    # Files that take minutes come first, those that are given most time before the others, so that no process is left
    # alone with one of them at the end.
    given: dict[Path, float] = {}
    for item in items:
        if any(map(item.get_closest_marker, ("stack", "long"))):
            limit = item.get_closest_marker("timeout")
            given[item.path] = max(given.get(item.path, 1), limit.args[0] if limit else 1)
    items.sort(key=lambda item: -given.get(item.path, 0))


class _ByFile(LoadFileScheduling):
    """xdist's `loadfile`, but for the files of EACH_ALONE."""

    def _split_scope(self, nodeid: str) -> str:
        return nodeid if nodeid.startswith(EACH_ALONE) else super()._split_scope(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling | None:
    return _ByFile(config, log) if config.getvalue("dist") == "loadfile" else None


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the processes of this run have together."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if os.environ.get("PYTEST_XDIST_WORKER") else own


@pytest.fixture(scope="session")
def django_db_setup(
    shared: Path,
    django_test_environment: None,
    django_db_blocker: DjangoDbBlocker,
    django_db_modify_db_settings: None,
) -> Iterator[None]:
    """pytest-django's own migrates in each process anew, which takes seconds."""
    with django_db_blocker.unblock():
        made = databases.migrated(shared)
        made.__enter__()
    yield
    with django_db_blocker.unblock():
        made.__exit__(None, None, None)


@pytest.fixture(scope="session")
def migrated_file(shared: Path, django_db_setup: None) -> Path:
    """An SQLite database with all tables and no rows, to copy into the data of a site. None on PostgreSQL."""
    return shared / databases.MIGRATED


@pytest.fixture(scope="session")
def chromium_path(request: pytest.FixtureRequest) -> str:
    """The path of a Chromium; without one the test is skipped, or fails where HEADROOM_REQUIRE names browser."""
    path = chromium.find()
    if path is None:
        request.config.stash[NO_BROWSER] = True
        message = f"there is no Chromium: {chromium.HOW_TO_GET_ONE}"
        pytest.fail(message) if required("browser") else pytest.skip(message)
    return path


@pytest.fixture(scope="session")
def browser(chromium_path: str) -> Iterator[Browser]:
    """A Playwright browser; `browser.new_page()` gives a fresh one."""
    # Playwright runs an event loop in this thread, and Django would refuse the database while one runs.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with chromium.running(chromium_path) as running:
        yield running


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """The REDIS_URL of a server for this run."""
    with test_redis.running() as url:
        yield url


@pytest.fixture(autouse=True)
def _fresh_cache() -> None:
    """Rate limits count in the cache: no test inherits another's."""
    cache.clear()


@pytest.fixture
def in_production(settings: Any) -> Iterator[None]:
    """Pages as web processes serve them in production, which keep what is the same for all."""
    settings.PRODUCTION = True
    shelf.forget()
    yield
    shelf.forget()


def _confirmed(user: User) -> User:
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


@pytest.fixture
def member(db: None) -> User:
    """Someone with a free account and a confirmed address: member@example.org, password `a long passphrase`."""
    return _confirmed(User.objects.create_user("member@example.org", "a long passphrase", display_name="Member"))


@pytest.fixture
def stranger(db: None) -> User:
    """Someone else with a free account."""
    return _confirmed(User.objects.create_user("stranger@example.org", "a long passphrase", display_name="Stranger"))


@pytest.fixture
def staff(db: None) -> User:
    """A member of staff."""
    return _confirmed(User.objects.create_superuser("staff@example.org", "a long passphrase", display_name="Staff"))


NO_BROWSER = pytest.StashKey[bool]()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if config.stash.get(NO_BROWSER, False):
        terminalreporter.section("no browser", sep="-", yellow=True)
        terminalreporter.line(f"The browser tests did not run: {chromium.HOW_TO_GET_ONE}")
    if without := os.environ.get("HEADROOM_NO_POSTGRES"):
        terminalreporter.section("no PostgreSQL", sep="-", yellow=True)
        terminalreporter.line(f"The PostgreSQL tests did not run: {without}.")
