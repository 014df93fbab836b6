"""The commands that docs/operating.md gives for backing up and restoring, run as they stand there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.stack import ROOT
from tests.support import postgres, required

PAGE = (ROOT / "docs" / "operating.md").read_text()
SOURCE = b"def f():\n    return '\\x00'\n\x00\xff\xfe not UTF-8"

SMALL = ROOT / "tests" / "courses" / "content"
MANAGE = f"""
import sys
from pathlib import Path
import django; django.setup()
from django.core.management import execute_from_command_line
from courses.management.commands import content
content.CONTENT = Path({str(SMALL)!r})
execute_from_command_line(sys.argv)
"""
"""The site's own, with a curriculum that is loaded in a second."""

FILL = f"""
import django; django.setup()
from pathlib import Path
from django.core.management import call_command
from accounts.models import User
from courses import drawing
from courses.authoring.build import build_or_raise
from courses.sync import sync
from labs.models import Submission
call_command("migrate", interactive=False, verbosity=0)
sync(build_or_raise(Path({str(SMALL)!r}), drawing.embedded))
for number in range(3):
    user = User.objects.create_user(f"{{number}}@example.org", "a long passphrase")
    Submission.objects.create(user=user, lab="checkpoint-function", source={SOURCE!r}, verdict={{"outcome": "passed"}})
Submission.objects.filter(user__email="0@example.org").update(state="running", attempt=1)
"""
LOSE = """
import django; django.setup()
from accounts.models import User
User.objects.filter(email="1@example.org").delete()
"""
COUNT = """
import django; django.setup()
import hashlib, json
from django.apps import apps
from labs.models import Submission
print(json.dumps({
    "rows": {model._meta.label: model.objects.count() for model in apps.get_models()},
    "submissions": sorted(
        [row.public_id, row.state, row.verdict, bytes(row.source).hex(), row.created.isoformat()]
        for row in Submission.objects.all()
    ),
}, sort_keys=True))
"""


def commands(name: str) -> str:
    """Return the shell commands that follow the comment `name` on the page."""
    found = re.search(rf"<!-- {name} -->\n```sh\n(.*?)```", PAGE, re.S)
    assert found, f"docs/operating.md gives no commands for {name}"
    return found[1]


class Site:
    """A site's folder and environment; commands run where its backup is, and find `manage.py` there."""

    def __init__(self, folder: Path, path: str = "", **environment: str) -> None:
        self.folder = folder
        folder.mkdir()
        (folder / "manage.py").write_text(MANAGE)
        here = f"{path}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        self.environment = {
            "PATH": here, "PYTHONPATH": str(ROOT), "HEADROOM_MODE": "local", "HEADROOM_DATA": str(folder / "data"),
            "DJANGO_SETTINGS_MODULE": "headroom.settings", "REDIS_URL": "redis://127.0.0.1:1/0", **environment,
        }  # fmt: skip
        (folder / "data").mkdir()

    def run(self, *command: str) -> str:
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        return done.stdout

    def shell(self, name: str) -> None:
        self.run("sh", "-euc", commands(name))

    def fill(self) -> str:
        """Put a small curriculum, people and submissions in; return what is there."""
        return self.count(FILL)

    def count(self, before: str = "") -> str:
        """Run the code `before`; say what is there then."""
        return self.run(sys.executable, "-c", before + COUNT)


@pytest.mark.long
def test_a_sqlite_site_comes_back_whole(tmp_path):
    site = Site(tmp_path / "site")
    before = site.fill()
    assert SOURCE.hex() in before
    site.shell("backup: sqlite")
    assert site.count(LOSE) != before
    site.shell("restore: sqlite")
    assert site.count() == before


@pytest.mark.long
def test_a_postgresql_site_comes_back_whole_on_another_server(tmp_path):
    try:
        with postgres.serving() as old, postgres.serving() as new:
            site = Site(tmp_path / "site", str(old.binaries), DATABASE_URL=old.url)
            before = site.fill()
            assert SOURCE.hex() in before
            site.shell("backup: postgresql")
            old.stop()
            site.environment["DATABASE_URL"] = new.url
            site.shell("restore: postgresql")
            assert site.count() == before
    except postgres.NotAvailable as missing:
        pytest.fail(str(missing)) if required("postgres") else pytest.skip(str(missing))
