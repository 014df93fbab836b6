"""Everything that `make up` does, in order: `python3 -m headroom.up`.

Look at the port and for a twin, install, prepare the data, run the Procfile, print the address, end everything.
Run by the Python that is on the machine, so it uses the standard library alone.
"""

import contextlib
import errno
import fcntl
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

from headroom import install, redis_server
from headroom.env import BadEnvironment, Env

HOME = install.HOME
READY_S = 120.0


def wanted_port(environment: Mapping[str, str]) -> int:
    """Return the port of the web server from PORT; 8000 where it is not set."""
    return Env(environment).integer("PORT", 8000, low=1, high=65535)


def check_port(port: int) -> None:
    """Raise BadEnvironment where nothing can listen on 127.0.0.1:`port`."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            why = {errno.EADDRINUSE: "is in use", errno.EACCES: "is only for root"}.get(error.errno or 0, str(error))
            free = port + 1 if 1024 <= port < 65535 else 8000
            raise BadEnvironment(f"port {port} {why}; choose another, for example: make up PORT={free}.") from None


@contextlib.contextmanager
def only_one(var: Path, port: int) -> Iterator[IO[str]]:
    """Hold the data folder for this process; raise BadEnvironment where another `make up` holds it.

    The system lets go of the lock when the process ends, however it ends.
    """
    var.mkdir(parents=True, exist_ok=True)
    with open(var / "up.lock", "a+") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            handle.seek(0)
            where = handle.read().strip() or "an address that it has not written yet"
            raise BadEnvironment(
                f"it already runs from this folder at {where}; open that, or end it first (Ctrl-C where it runs)."
            ) from None
        handle.seek(0)
        handle.truncate()
        handle.write(f"http://127.0.0.1:{port}/ (process {os.getpid()})")
        handle.flush()
        yield handle


def environment_for(port: int, var: Path, given: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of everything that is started: local mode, our Redis, our Python first on the PATH."""
    if given.get("HEADROOM_MODE", "local") != "local":
        raise BadEnvironment(
            "make up serves one machine in local mode, and HEADROOM_MODE asks for another; unset it, "
            "or start the Procfile's commands yourself."
        )
    bin_folder = install.venv_python().parent
    return {
        **given,
        "HEADROOM_MODE": "local",
        "HEADROOM_PORT": str(port),
        "HEADROOM_DATA": str(var),
        "HEADROOM_KEEP_WITH": str(os.getpid()),
        "REDIS_URL": given.get("REDIS_URL") or redis_server.local_url(var),
        "PATH": f"{bin_folder}{os.pathsep}{given.get('PATH', os.defpath)}",
        "PYTHONUNBUFFERED": "1",
    }


def answers(port: int) -> bool:
    """Tell whether the site answers and has its database and Redis."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=2) as response:
            return response.status == 200
    except (urllib.error.URLError, OSError, ValueError):
        return False


def serve(port: int, environment: Mapping[str, str]) -> int:
    """Run the Procfile until Ctrl-C or a SIGTERM; return the exit status, 0 for an end that was asked for."""
    asked: list[int] = []
    stack = subprocess.Popen(
        [str(install.venv_python()), "-m", "honcho", "start", "-f", str(HOME / "Procfile")],
        cwd=HOME,
        env=dict(environment),
        # Ctrl-C reaches the whole foreground group: only this process is to hear it, and it tells the stack once.
        start_new_session=True,
    )

    def end(number: int, _frame: object) -> None:
        if not asked:
            stack.send_signal(signal.SIGTERM)
        asked.append(number)

    signal.signal(signal.SIGINT, end)
    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGHUP, end)
    deadline = time.monotonic() + READY_S
    while stack.poll() is None and not asked and not answers(port):
        if time.monotonic() > deadline:
            install.say(f"headroom does not answer after {READY_S:.0f} s; the lines above say why.", sys.stderr)
            end(signal.SIGTERM, None)
        time.sleep(0.2)
    if stack.poll() is None and not asked:
        install.say(f"\n  Headroom is at http://127.0.0.1:{port}/   (Ctrl-C ends it)\n")
    status = stack.wait()
    return 0 if asked else status or 1


def main() -> int:
    port = wanted_port(os.environ)
    var = Path(os.environ.get("HEADROOM_DATA") or HOME / "var").absolute()
    environment = environment_for(port, var, os.environ)
    with only_one(var, port):
        check_port(port)
        try:
            install.ensure(HOME / "requirements.lock")
        except install.CannotInstall as error:
            raise BadEnvironment(str(error)) from None
        manage = [str(install.venv_python()), str(HOME / "manage.py")]
        if subprocess.run([*manage, "prepare"], cwd=HOME, env=environment, check=False).returncode:
            install.say("headroom could not prepare its data; the message above says why.", sys.stderr)
            return 1
        return serve(port, environment)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
