"""What `make up` says and refuses before it starts anything. tests/e2e runs the whole of it."""

import fcntl
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from headroom import install, up
from headroom.env import BadEnvironment

ROOT = Path(__file__).resolve().parents[2]


def run_up(data: Path, **given: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name not in ("PORT", "HEADROOM_MODE")}
    environment |= {"HEADROOM_DATA": str(data), **given}
    return subprocess.run(
        [sys.executable, "-m", "headroom.up"], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=30
    )


@pytest.fixture
def taken():
    """A port that something listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_taken_port_gets_one_sentence_before_anything_starts(tmp_path: Path, taken: int) -> None:
    done = run_up(tmp_path / "var", PORT=str(taken))
    assert done.returncode == 1
    assert done.stdout == ""
    free = taken + 1 if taken < 65535 else 8000
    assert done.stderr == (
        f"headroom cannot start: port {taken} is in use; choose another, for example: make up PORT={free}.\n"
    )
    assert not (tmp_path / "var" / "headroom.sqlite3").exists()


def test_a_free_port_is_taken_as_it_is() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    up.check_port(port)


@pytest.mark.parametrize("port", ["http", "0", "70000", "80 80"])
def test_a_port_that_is_none_is_refused(tmp_path: Path, port: str) -> None:
    done = run_up(tmp_path / "var", PORT=port)
    assert done.stderr.strip() == (
        f'headroom cannot start: the environment variable PORT is "{port}"; expected a whole number from 1 to 65535.'
    )


def test_the_port_is_8000_where_none_is_named() -> None:
    assert up.wanted_port({}) == 8000
    assert up.wanted_port({"PORT": "8123"}) == 8123


def test_a_second_one_in_the_same_folder_is_told_where_the_first_is(tmp_path: Path) -> None:
    with up.only_one(tmp_path, 8123):
        done = run_up(tmp_path, PORT="8124")
    assert done.returncode == 1
    assert done.stderr == (
        f"headroom cannot start: it already runs from this folder at http://127.0.0.1:8123/ (process {os.getpid()}); "
        "open that, or end it first (Ctrl-C where it runs).\n"
    )


def test_the_folder_is_free_again_after_the_first_was_killed(tmp_path: Path) -> None:
    script = f"import time; from headroom import up\nwith up.only_one({tmp_path!r}, 8123): time.sleep(600)"
    script = script.replace("PosixPath", "__import__('pathlib').Path")
    first = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT)
    try:
        while not (tmp_path / "up.lock").exists() or not (tmp_path / "up.lock").read_text():
            assert first.poll() is None
    finally:
        first.kill()
        first.wait()
    with up.only_one(tmp_path, 8124) as handle:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_it_serves_in_local_mode_only() -> None:
    with pytest.raises(BadEnvironment, match="make up serves one machine in local mode"):
        up.environment_for(8000, Path("/var"), {"HEADROOM_MODE": "production"})


def test_its_own_python_comes_first_on_the_path() -> None:
    path = up.environment_for(8000, Path("/srv"), {"PATH": "/usr/bin"})["PATH"]
    assert path.split(os.pathsep) == [str(install.VENV / "bin"), "/usr/bin"]


def test_redis_url_is_kept_where_there_is_one() -> None:
    assert up.environment_for(8000, Path("/srv"), {})["REDIS_URL"] == "unix:///srv/redis.sock?db=0"
    assert up.environment_for(8000, Path("/srv"), {"REDIS_URL": "redis://h"})["REDIS_URL"] == "redis://h"


@pytest.fixture(scope="module")
def venv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment made from an empty lock file; making one takes pip many seconds."""
    folder = tmp_path_factory.mktemp("install")
    lock = folder / "requirements.lock"
    lock.write_text("")
    assert install.ensure(lock, folder / "venv") is True
    return folder / "venv"


def test_it_installs_again_only_when_the_lock_file_changed(venv: Path, capsys) -> None:
    lock = venv.parent / "requirements.lock"
    assert install.ensure(lock, venv) is False
    assert capsys.readouterr().out == ""
    lock.write_text("# changed\n")
    assert install.ensure(lock, venv) is True
    assert "Installing what requirements.lock names into" in capsys.readouterr().out
    assert install.ensure(lock, venv) is False


def test_what_could_not_be_installed_is_tried_again(venv: Path) -> None:
    lock = venv.parent / "broken.lock"
    lock.write_text("./no-such-folder\n")
    for _ in range(2):
        with pytest.raises(install.CannotInstall, match=r"pip could not install broken\.lock; its message above"):
            install.ensure(lock, venv)


def test_an_environment_whose_python_is_gone_does_not_count_as_one(venv: Path, tmp_path: Path) -> None:
    assert install.runs(venv / "bin" / "python")
    (tmp_path / "python").symlink_to("/nowhere/python3")
    assert not install.runs(tmp_path / "python")
