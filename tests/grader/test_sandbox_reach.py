"""What can be reached from inside, and what the filter of system calls forbids."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from grader.sandbox import (
    Ended,
)
from tests.grader.boxes import IN_TMP, NEEDED, answer

pytestmark = NEEDED


def test_network_is_out_of_reach(sandbox):
    box = sandbox(
        """
        reply([tried(lambda: socket.socket()), tried(lambda: socket.socketpair()),
               tried(lambda: socket.create_connection(("127.0.0.1", 80), 1)), os.path.exists("/sys")])
        """
    )
    assert answer(box) == "['EPERM', 'EPERM', 'EPERM', False]"


def test_database_file_and_repository_are_out_of_reach(sandbox, tmp_path):
    database = tmp_path / "db.sqlite3"
    database.write_text("secret")
    repository = Path(__file__).resolve().parents[2]
    paths = [
        str(database),
        str(repository / "pyproject.toml"),
        str(repository / "grader/judge.py"),
        "/etc/passwd",
        "/home",
    ]
    box = sandbox(f"reply([tried(lambda: open(path).read()) for path in {paths!r}])")
    assert answer(box) == str(["ENOENT"] * 5)


def test_the_tree_holds_what_was_named_and_nothing_else(sandbox):
    box = sandbox(
        """
        tree = sorted(os.path.relpath(os.path.join(at, name), "/headroom")
                      for at, _, names in os.walk("/headroom") for name in names)
        reply(tree)
        """
    )
    assert answer(box) == "['grader/__init__.py', 'grader/sandbox/inside.py', 'grader/sandbox/seccomp.py', 'work.py']"


@IN_TMP
def test_everything_but_tmp_is_read_only(sandbox):
    box = sandbox(
        """
        places = ["/", "/dev", "/headroom", "/headroom/grader", "/proc", "/usr/lib", sys.prefix, sys.prefix + "/lib"]
        reply([tried(lambda: open(place + "/new", "w")) for place in places])
        """
    )
    assert set(answer(box).strip("[]").replace("'", "").split(", ")) <= {"EROFS", "EACCES", "ENOENT"}


def test_there_is_no_shared_memory_folder_and_no_zero_device(sandbox):
    box = sandbox("reply([sorted(os.listdir('/dev')), tried(lambda: open('/dev/shm/x', 'w'))])")
    names = "['fd', 'null', 'random', 'stderr', 'stdin', 'stdout', 'urandom']"
    assert answer(box) == f"[{names}, 'ENOENT']"


def test_environment_is_clean(sandbox, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "not for them")
    box = sandbox("reply(sorted(os.environ))", environment={"EXTRA": "1"})
    names = set(answer(box).strip("[]").replace("'", "").split(", "))
    assert "EXTRA" in names
    assert "SECRET_KEY" not in names
    assert names <= {
        *("EXTRA", "HOME", "TMPDIR", "LANG", "LC_CTYPE", "PWD", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE"),
        *("MALLOC_MMAP_THRESHOLD_", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"),
        *("KINETO_LOG_LEVEL", "TORCH_CPP_LOG_LEVEL"),
    }


def test_no_credential_and_no_privilege_is_inside(sandbox):
    box = sandbox(
        """
        status = open("/proc/self/status").read()
        caps = [line.split()[1] for line in status.splitlines() if line.startswith("Cap")]
        locked = "NoNewPrivs:\\t1" in status
        reply([sum(int(c, 16) for c in caps), locked, os.getuid(), os.getpid(), socket.gethostname()])
        """
    )
    assert answer(box) == "[0, True, 65534, 1, 'sandbox']"


def test_no_descriptor_of_the_parent_is_inherited(sandbox, tmp_path):
    with open(tmp_path / "secret", "w") as secret:
        os.set_inheritable(secret.fileno(), True)
        code = "reply([tried(lambda: os.readlink(f'/proc/self/fd/{n}').split(':')[0]) for n in range(64)])"
        seen = answer(sandbox(code)).strip("[]").replace("'", "").replace('"', "").split(", ")
    assert sorted(name for name in seen if name != "ENOENT") == ["/dev/null", "pipe", "pipe", "pipe", "pipe"]


def test_other_processes_cannot_be_seen(sandbox):
    assert answer(sandbox("reply([n for n in os.listdir('/proc') if n.isdigit()])")) == "['1']"


@pytest.mark.parametrize("mode", ["bwrap", "none"])
def test_a_new_program_is_refused_after_lock_down(sandbox, mode):
    box = sandbox("lock_down(); reply(tried(lambda: os.execv(sys.executable, [sys.executable])))", mode=mode)
    assert answer(box) == "EPERM"


@pytest.mark.parametrize("mode", ["bwrap", "none"])
def test_lock_down_reaches_threads_that_already_run(sandbox, mode):
    box = sandbox(
        """
        go, seen = threading.Event(), []
        def late():
            go.wait(); seen.append(tried(lambda: os.execv(sys.executable, [sys.executable])))
        thread = threading.Thread(target=late); thread.start()
        lock_down(); go.set(); thread.join(); reply(seen)
        """,
        mode=mode,
    )
    assert answer(box) == "['EPERM']"


def test_proc_is_read_only_so_the_high_water_mark_cannot_be_lowered(sandbox):
    box = sandbox("reply([tried(lambda: open('/proc/self/clear_refs', 'w').write('5')), call(165, 0, 0, 0, 0, 0)])")
    assert answer(box) == "['EROFS', 'EPERM']"


def test_pages_cannot_be_pushed_out_of_the_resident_size(sandbox):
    box = sandbox(
        """
        pages = mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        reply([tried(lambda: pages.madvise(advice)) for advice in (12, 20, 21)] + [tried(lambda: pages.madvise(4))])
        """
    )
    assert answer(box) == "['EPERM', 'EPERM', 'EPERM', 'None']"


def test_memory_that_is_not_counted_cannot_be_had(sandbox):
    box = sandbox(
        """
        huge = lambda: mmap.mmap(-1, 1 << 21, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000)
        reading, writing = os.pipe()
        import fcntl
        reply([tried(lambda: mmap.mmap(-1, 4096)), tried(huge), tried(lambda: os.memfd_create("x")),
               tried(lambda: fcntl.fcntl(writing, 1031, 1 << 20)), tried(lambda: os.setxattr("/tmp", "user.x", b"1")),
               call(29, 0, 4096, 0o1600), call(425, 8, 0)])
        """
    )
    assert answer(box) == str(["EPERM"] * 7)


def test_the_process_cannot_hide_from_its_watcher(sandbox):
    assert answer(sandbox("reply([call(157, option, 0, 0, 0, 0) for option in (1, 4, 35)])")) == str(["EPERM"] * 3)


def test_a_call_newer_than_the_table_does_not_exist(sandbox):
    assert answer(sandbox("reply(call(470, 0, 0, 0))")) == "ENOSYS"


def test_a_call_by_another_processor_mode_ends_the_process(sandbox):
    with pytest.raises(Ended) as end:
        answer(sandbox("reply(call(0x40000000 + 39))"))
    assert end.value.signal == signal.SIGSYS
