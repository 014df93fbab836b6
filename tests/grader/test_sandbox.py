"""Talking to a sandbox, what the kernel says of it, how it ends, and the one mode without isolation."""

from __future__ import annotations

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
    Reason,
    available,
)
from grader.sandbox.kernel import Process
from tests.grader.boxes import IN_TMP, MIB, NEEDED, answer, wait_for

pytestmark = NEEDED


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


def test_files_in_everybodys_tmp_are_not_counted_while_a_process_has_none_of_its_own():
    companion = subprocess.Popen(["sleep", "60"])  # as bubblewrap is before it has set its root up
    process = Process(companion.pid)
    try:
        assert process.tmpfs() == (0, 0)
    finally:
        process.close()
        companion.kill()
        companion.wait()


def test_processor_time_and_threads_are_read_from_outside(sandbox):
    box = sandbox(
        "until = time.process_time() + 0.3\nwhile time.process_time() < until: pass\nreply('x'); channel.receive()"
    )
    answer(box)
    assert 0.25 < box.process.cpu_seconds() < 3
    assert box.process.threads() == 1


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
