"""One test for each limit of the sandbox, named after it. All run real sandboxes; none needs torch."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from grader.sandbox import (
    Ended,
    Garbled,
    Limits,
    OutOfMemory,
    Reason,
    Sandbox,
    TimedOut,
    TooLong,
    available,
)
from grader.sandbox.kernel import Process
from tests.support import required

pytestmark = pytest.mark.skipif(not available().ok and not required("sandbox"), reason=available().why)

IN_TMP = pytest.mark.skipif(
    str(Path(sys.prefix).resolve()).startswith("/tmp/") or sys.prefix.startswith("/tmp/"),
    reason="this checkout lies below /tmp, so the mount points of its own Python are in the sandbox's /tmp",
)

MIB = 2**20
PRELUDE = """
import ctypes, errno, mmap, os, signal, socket, subprocess, sys, threading, time
from grader.sandbox.inside import Channel, lock_down
channel = Channel.take()
libc = ctypes.CDLL(None, use_errno=True)

def tried(action):
    "The name of the error that the action raised, else what it returned."
    try:
        return repr(action())
    except OSError as error:
        return errno.errorcode[error.errno]
    except Exception as error:
        return type(error).__name__

def call(number, *args):
    "Make a raw system call; the error's name or the answer."
    answer = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(arg) for arg in args])
    return errno.errorcode[ctypes.get_errno()] if answer == -1 else str(answer)

def reply(text):
    channel.send(str(text).encode())
"""


@pytest.fixture
def sandbox(tmp_path):
    """Start a sandbox that runs the given code; all of them are killed at the end of the test."""
    boxes = []

    def start(code: str, *, mode: str = "bwrap", environment=None, **limits) -> Sandbox:
        script = tmp_path / f"work{len(boxes)}.py"
        script.write_text(PRELUDE + textwrap.dedent(code))
        chosen = dataclasses.replace(Limits(wall_seconds=20, cpu_seconds=20), **limits)
        box = Sandbox.start("work", files={"work.py": script}, environment=environment, limits=chosen, mode=mode)
        boxes.append(box)
        return box

    yield start
    for box in boxes:
        box.kill()


def answer(box: Sandbox) -> str:
    try:
        return box.receive(20).decode()
    finally:
        sys.stdout.write(box.output)  # shown by pytest where a test fails


# Talking


def test_messages_go_there_and_back_unchanged(sandbox):
    box = sandbox("while (message := channel.receive()) is not None: channel.send(message[::-1])")
    for payload in (b"", b"abc", os.urandom(3 * MIB)):
        box.send(payload)
        assert box.receive(10) == payload[::-1]


def test_ready_waits_without_ending_anything(sandbox):
    box = sandbox("channel.receive(); reply('now')")
    assert not box.ready(0.1)
    box.send(b"go")
    assert box.ready(10)
    assert answer(box) == "now"


def test_an_exit_without_reply_says_the_status(sandbox):
    with pytest.raises(Ended, match="exit status 7") as end:
        answer(sandbox("os._exit(7)"))
    assert (end.value.reason, end.value.exit_status, end.value.signal) == (Reason.EXITED, 7, None)


def test_a_crash_of_the_interpreter_says_the_signal(sandbox):
    with pytest.raises(Ended, match="SIGSEGV") as end:
        answer(sandbox("ctypes.string_at(0)"))
    assert (end.value.reason, end.value.exit_status, end.value.signal) == (Reason.SIGNALLED, None, signal.SIGSEGV)


def test_a_closed_result_pipe_ends_the_sandbox(sandbox):
    with pytest.raises(Ended, match="closed the result pipe") as end:
        answer(sandbox("os.closerange(3, 64); time.sleep(60)"))
    assert end.value.reason is Reason.MESSAGE


def test_a_message_cut_short_by_the_end_is_no_message(sandbox):
    with pytest.raises(Ended):
        answer(sandbox("os.write(channel._results, b'hdrm' + (100).to_bytes(4, 'little') + b'half'); os._exit(0)"))


def test_foreign_bytes_on_the_result_pipe_are_garbled(sandbox):
    with pytest.raises(Garbled):
        answer(sandbox("os.write(channel._results, b'passed: true\\n'); time.sleep(60)"))


def test_a_second_message_is_seen_as_unread(sandbox):
    box = sandbox("reply('one'); reply('two'); print('done', flush=True); time.sleep(60)")
    assert answer(box) == "one"
    wait_for(lambda: "done" in box.output)
    assert box.unread() > 0


def test_sending_to_a_dead_sandbox_says_how_it_ended(sandbox):
    box = sandbox("os._exit(3)")
    with pytest.raises(Ended, match="exit status 3"):
        for _ in range(100):
            box.send(bytes(MIB))


@IN_TMP
def test_two_sandboxes_in_a_row_share_nothing(sandbox):
    code = "reply(os.listdir('/tmp')); open('/tmp/left', 'w').write('behind')"
    first = sandbox(code)
    assert answer(first) == "[]"
    first.kill()
    assert answer(sandbox(code)) == "[]"


# Limits


def test_memory_beyond_the_limit_ends_the_sandbox(sandbox):
    # Pages of a file count as resident, and no limit from inside (RLIMIT_DATA) knows them: only the watch can act.
    box = sandbox(
        """
        reply("up")
        file, held = open(libc_file, "rb"), []
        while True:
            held.append(mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE | 0x8000, prot=mmap.PROT_READ))
        """.replace("libc_file", "next(line.split()[5] for line in open('/proc/self/maps') if 'libc.so' in line)"),
        memory_bytes=100 * MIB,
        open_files=1000,
    )
    assert answer(box) == "up"
    with pytest.raises(OutOfMemory):
        answer(box)


def test_memory_allocation_beyond_the_limit_is_refused(sandbox):
    assert answer(sandbox("reply(tried(lambda: bytearray(10 << 30)))")) == "MemoryError"


def test_cpu_time_is_limited(sandbox):
    with pytest.raises(TimedOut) as end:
        answer(sandbox("while True: pass", cpu_seconds=0.3))
    assert end.value.reason is Reason.CPU


def test_wall_time_is_limited_even_when_nobody_reads(sandbox):
    box = sandbox("time.sleep(60)", wall_seconds=0.3)
    wait_for(lambda: not box.alive)
    with pytest.raises(TimedOut) as end:
        answer(box)
    assert end.value.reason is Reason.WALL


def test_a_reply_that_does_not_come_in_time_is_timed_out(sandbox):
    with pytest.raises(TimedOut):
        sandbox("time.sleep(60)").receive(0.3)


def test_clocks_can_be_restarted_for_a_sandbox_that_waited(sandbox):
    box = sandbox("channel.receive(); time.sleep(0.4); reply('late')", wall_seconds=0.6)
    time.sleep(0.4)
    box.restart_clocks(wall_seconds=10, cpu_seconds=10)
    box.send(b"go")
    assert answer(box) == "late"


def test_processes_cannot_be_started(sandbox):
    box = sandbox(
        """
        reply([tried(os.fork), tried(lambda: os.posix_spawn(sys.executable, ["x"], {})),
               tried(lambda: subprocess.run([sys.executable])), call(435, 0, 0)])
        """
    )
    assert answer(box) == "['EPERM', 'EPERM', 'EPERM', 'ENOSYS']"


def test_a_fork_bomb_stays_one_process(sandbox):
    box = sandbox(
        """
        def bomb():
            for _ in range(1000):
                try: os.fork()
                except OSError: pass
        bomb()
        reply("still one")
        """
    )
    assert answer(box) == "still one"
    assert box.process.children() == []


def test_threads_work_up_to_the_limit(sandbox):
    code = """
        stop = threading.Event()
        for _ in range(%d): threading.Thread(target=stop.wait, daemon=True).start()
        reply("started"); channel.receive()
        """
    box = sandbox(code % 10, threads=16)
    assert answer(box) == "started"
    time.sleep(0.1)
    assert box.alive
    over = sandbox(code % 40, threads=16)
    with pytest.raises(Ended) as end:
        answer(over)
        answer(over)
    assert end.value.reason is Reason.THREADS


def test_file_size_is_limited(sandbox):
    box = sandbox("reply(tried(lambda: open('/tmp/big', 'wb').write(bytes(2 << 20))))", file_bytes=MIB)
    assert answer(box) == "EFBIG"


def test_open_files_are_limited(sandbox):
    box = sandbox(
        "held = []; reply(tried(lambda: [held.append(open('/dev/null')) for _ in range(100)]))", open_files=32
    )
    assert answer(box) == "EMFILE"


@IN_TMP
def test_tmpfs_is_limited_and_measured(sandbox):
    box = sandbox(
        """
        open('/tmp/a', 'wb').write(bytes(1 << 20))
        reply("first"); channel.receive()
        reply(tried(lambda: open('/tmp/b', 'wb').write(bytes(4 << 20))))
        """,
        tmpfs_bytes=2 * MIB,
    )
    assert answer(box) == "first"
    assert box.process.tmpfs() == (MIB, 1)
    box.send(b"go")
    assert answer(box) == "ENOSPC"


def test_tmpfs_files_are_limited(sandbox):
    box = sandbox("[open(f'/tmp/{n}', 'w').close() for n in range(300)]; time.sleep(60)", tmpfs_files=100)
    with pytest.raises(Ended) as end:
        answer(box)
    assert end.value.reason is Reason.FILES


def test_output_is_kept_by_whole_lines_up_to_the_limit(sandbox):
    box = sandbox(
        "print('first'); print('x' * 50); print('y' * 50); sys.stdout.flush(); reply('done')", output_bytes=100
    )
    answer(box)
    box.kill()
    assert box.output == "first\n" + "x" * 50 + "\n"
    assert box.dropped_bytes == 51


def test_output_of_100_MB_is_drained(sandbox):
    box = sandbox("block = b'z' * 999 + b'\\n'\nfor _ in range(100): os.write(1, block * 1000)\nreply('done')")
    assert answer(box) == "done"
    box.kill()
    kept = len(box.output)
    assert 0 < kept <= Limits().output_bytes
    assert kept % 1000 == 0
    assert kept + box.dropped_bytes == 100_000_000


def test_output_shows_nul_and_invalid_utf8(sandbox):
    box = sandbox(r"os.write(1, b'a\0b\xffc\x1b[31m\r' + 'é\u202e'.encode() + b'\n'); reply('done')")
    answer(box)
    box.kill()
    assert box.output == "a\\x00b\\xffc\\x1b[31m\\ré\\u202e\n"


def test_output_of_stderr_is_kept_in_order(sandbox):
    box = sandbox("os.write(1, b'1'); os.write(2, b'2'); os.write(1, b'3'); reply('done')")
    answer(box)
    box.kill()
    assert box.output == "123"


def test_message_bytes_are_limited(sandbox):
    with pytest.raises(TooLong):
        answer(sandbox("channel.send(bytes(2 << 20))", message_bytes=MIB))


# What can be reached


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


# What the filter forbids


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


# What the kernel says


def test_the_high_water_mark_is_read_and_reset_from_outside(sandbox):
    box = sandbox(
        """
        big = bytearray(64 << 20); del big
        reply("first"); channel.receive()
        big = bytearray(32 << 20); del big
        reply("second"); channel.receive()
        """
    )
    answer(box)
    before = box.process.resident_bytes()
    assert box.process.high_water_bytes() - before > 60 * MIB
    box.process.reset_high_water()
    assert box.process.high_water_bytes() - before < MIB
    box.send(b"go")
    answer(box)
    assert 31 * MIB < box.process.high_water_bytes() - before < 34 * MIB


def test_processor_time_and_threads_are_read_from_outside(sandbox):
    box = sandbox(
        "until = time.process_time() + 0.3\nwhile time.process_time() < until: pass\nreply('x'); channel.receive()"
    )
    answer(box)
    assert 0.25 < box.process.cpu_seconds() < 1
    assert box.process.threads() == 1


# The end


def wait_for(condition, seconds: float = 10) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.01)


def test_a_killed_sandbox_leaves_no_process_no_zombie_and_no_descriptor(sandbox):
    available()
    before, children = len(os.listdir("/proc/self/fd")), own_children()
    box = sandbox("threading.Thread(target=time.sleep, args=(60,)).start(); reply('up'); time.sleep(60)")
    answer(box)
    pid = box.process.pid
    box.kill()
    assert not os.path.exists(f"/proc/{pid}")
    assert own_children() == children
    wait_for(lambda: len(os.listdir("/proc/self/fd")) == before)


def test_cancel_from_another_thread_is_seen_as_killed(sandbox):
    box = sandbox("time.sleep(60)")
    threading.Timer(0.1, box.cancel).start()
    with pytest.raises(Ended) as end:
        answer(box)
    assert end.value.reason is Reason.KILLED


def test_a_sandbox_outlives_the_thread_that_started_it(sandbox):
    boxes = []

    def start():
        boxes.append(sandbox("reply('up'); channel.receive(); reply('alive')"))
        answer(boxes[0])

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    time.sleep(0.1)
    boxes[0].send(b"go")
    assert answer(boxes[0]) == "alive"


@pytest.mark.parametrize("mode", ["bwrap", "none"])
@pytest.mark.parametrize("seconds", [0, 0.3])
def test_a_killed_worker_takes_its_sandbox_with_it(tmp_path, seconds, mode):
    (tmp_path / "work.py").write_text("import time; time.sleep(60)")
    worker = f"""
        import pathlib, time
        from grader.sandbox import Sandbox
        box = Sandbox.start("work", files={{"work.py": pathlib.Path({str(tmp_path)!r}, "work.py")}}, mode={mode!r})
        print(box.process.pid, flush=True); time.sleep(60)
    """
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(worker)], stdout=subprocess.PIPE, cwd=root, env={"TMPDIR": str(tmp_path)}
    ) as parent:
        process = Process(int(parent.stdout.readline()))
        time.sleep(seconds)  # 0: bubblewrap has not yet asked to die with its parent
        assert not process.ended()
        parent.kill()
    assert process.wait(10)
    process.close()


def own_children() -> set[str]:
    return set(Path(f"/proc/self/task/{threading.main_thread().native_id}/children").read_text().split())


# Without a sandbox


def test_mode_none_speaks_the_same_and_is_limited_too(sandbox):
    box = sandbox(
        "lock_down(); reply([tried(os.fork), tried(lambda: socket.socket()), tried(lambda: bytearray(10 << 30))])",
        mode="none",
    )
    assert box.mode == "none"
    assert answer(box) == "['EPERM', 'EPERM', 'MemoryError']"
    folder = Path(box._started.folder)
    assert folder.is_dir()
    box.kill()
    assert not folder.exists()


def test_mode_none_ends_a_process_that_starts_another(sandbox):
    with pytest.raises(Ended) as end:
        answer(sandbox("subprocess.Popen(['sleep', '60']); time.sleep(60)", mode="none"))
    assert end.value.reason is Reason.PROCESSES
