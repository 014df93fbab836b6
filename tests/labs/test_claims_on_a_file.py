"""Claims on the kind of database that `make up` uses: one SQLite file that many connections share."""

from django.db import connections

from accounts.models import User
from headroom import services
from labs.models import Submission
from tests.labs.conftest import claim_at_once


def test_of_eight_workers_on_one_sqlite_file_one_wins(tmp_path, django_db_blocker):
    with django_db_blocker.unblock():
        connections.settings["file"] = {**connections.settings["default"], **services.sqlite(tmp_path / "db.sqlite3")}
        try:
            with connections["file"].schema_editor() as editor:
                editor.create_model(User)
                editor.create_model(Submission)
            user = User.objects.using("file").create(email="owner@example.org")
            rows = Submission.objects.using("file")
            for _ in range(10):
                pk = rows.create(user=user, lab="free-lab", source=b"").pk
                (winner,) = claim_at_once(lambda name, pk=pk: rows.claim(pk, worker=name))
                assert rows.get(pk=pk).worker == winner
        finally:
            connections["file"].close()
            del connections.settings["file"]
