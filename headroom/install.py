"""Fill `.venv` from a lock file, only when that file changed: `python3 headroom/install.py requirements.lock`.

Run by the Python that is on the machine, so it uses the standard library alone.
"""

import fcntl
import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import TextIO

HOME = Path(__file__).resolve().parent.parent
VENV = HOME / ".venv"


class CannotInstall(Exception):
    """Says in one sentence what is missing and how to get it."""


def say(text: str, stream: TextIO | None = None) -> None:
    """Write one line at once, also into a pipe; to stdout where no stream is named."""
    stream = stream or sys.stdout
    stream.write(text + "\n")
    stream.flush()


def venv_python(venv: Path = VENV) -> Path:
    return venv / "bin" / "python"


def ensure(lock: Path, venv: Path = VENV) -> bool:
    """Make `venv` hold what `lock` names; return whether anything had to be done.

    Raises CannotInstall where the environment cannot be made or pip fails; what pip said has been printed by then.
    """
    mark = venv / f"installed-{lock.name}"
    wanted = hashlib.sha256(lock.read_bytes()).hexdigest()
    guard = HOME / "var" / "install.lock"
    guard.parent.mkdir(exist_ok=True)
    with open(guard, "w") as handle:
        # Two commands at once in a fresh clone: the second waits for the first, then finds nothing to do.
        fcntl.flock(handle, fcntl.LOCK_EX)
        usable = runs(venv_python(venv))
        if usable and mark.exists() and mark.read_text() == wanted:
            return False
        if not usable:
            _create(venv)
        say(f"Installing what {lock.name} names into {_short(venv)} (minutes the first time)…")
        pip = [str(venv_python(venv)), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        if subprocess.run([*pip, "-r", str(lock)], check=False).returncode:
            raise CannotInstall(f"pip could not install {lock.name}; its message above says why. Then run this again.")
        mark.write_text(wanted)
    return True


def _create(venv: Path) -> None:
    made = subprocess.run(
        [sys.executable, "-m", "venv", "--clear", str(venv)], capture_output=True, text=True, check=False
    )
    if made.returncode or not runs(venv_python(venv)):
        said = " ".join((made.stdout + made.stderr).split())
        raise CannotInstall(
            f"{sys.executable} could not create {_short(venv)} ({said or 'no message'}); "
            "install Python's venv module, or choose another Python with PYTHON=/path/to/python3."
        )


def runs(python: Path) -> bool:
    """Tell whether the environment's interpreter and pip start: a moved clone or an upgraded system breaks them."""
    try:
        return subprocess.run([str(python), "-c", "import pip"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def _short(path: Path) -> str:
    return os.path.relpath(path, HOME) if path.is_relative_to(HOME) else str(path)


def main(arguments: list[str]) -> int:
    try:
        for name in arguments:
            ensure(HOME / name)
    except CannotInstall as error:
        say(f"headroom cannot be installed: {error}", sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
