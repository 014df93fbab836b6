"""One test for each limit of the sandbox, named after it."""

from __future__ import annotations

import time

import pytest

from grader.sandbox import (
    Ended,
    Limits,
    OutOfMemory,
    Reason,
    TimedOut,
    TooLong,
)
from tests.grader.boxes import IN_TMP, MIB, NEEDED, answer, wait_for

pytestmark = NEEDED


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
        file_bytes=8 * MIB,
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
