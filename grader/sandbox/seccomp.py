"""The system calls that a submission may not make, and the small assembler that turns them into a filter.

The filter is classic BPF, as `seccomp(2)` and bubblewrap's `--seccomp` take it: an array of `struct sock_filter`.
Two filters are made from one table. The *base* filter is loaded by bubblewrap before Python starts, so it must allow
`execve`. The *strict* one is loaded from inside, by `grader.sandbox.inside.lock_down`, before untrusted code runs.

Numbers: Linux's `asm/unistd_64.h` (x86_64) and `asm-generic/unistd.h` (aarch64). Imports the standard library only,
because this file is also bound into the sandbox.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterator
from dataclasses import dataclass

NEWEST_REVIEWED = 462
"""`mseal`. A call with a higher number did not exist when this table was written: it answers ENOSYS."""

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32_BIT = 0x40000000


class Unsupported(Exception):
    """This processor has no system call table here."""


@dataclass(frozen=True)
class Rule:
    """Deny one call: always, or where `args[arg] & mask == value` (low 32 bits) for one of `values`."""

    name: str
    x86_64: int | None
    aarch64: int | None
    arg: int | None = None
    mask: int = 0xFFFFFFFF
    values: tuple[int, ...] = ()
    answer: int = errno.EPERM
    strict: bool = False


def _rules(*calls: tuple[str, int | None, int | None], **options: int | bool) -> tuple[Rule, ...]:
    return tuple(Rule(*call, **options) for call in calls)  # type: ignore[arg-type]


TABLE: dict[str, tuple[Rule, ...]] = {
    "no second process: its memory and its time would be out of sight": (
        Rule("clone", 56, 220, arg=0, mask=0x10000, values=(0,)),  # without CLONE_THREAD
        # The flags of clone3 lie in memory, where a filter cannot look; on ENOSYS the C library falls back to clone.
        Rule("clone3", 435, 435, answer=errno.ENOSYS),
        *_rules(("fork", 57, None), ("vfork", 58, None), ("unshare", 272, 97), ("setns", 308, 268)),
    ),
    "no new program after start: a fresh address space would forget the high-water mark": _rules(
        ("execve", 59, 221), ("execveat", 322, 281), ("seccomp", 317, 277), strict=True
    ),
    "no network, and no local sockets, whose buffers could hold data": _rules(
        ("socket", 41, 198), ("socketpair", 53, 199)
    ),
    "no memory outside the process's resident size": (
        # Shared anonymous pages stay when they are unmapped with MADV_DONTNEED: data would be kept and not counted.
        Rule("mmap", 9, 222, arg=3, mask=0x21, values=(0x21,)),  # MAP_SHARED | MAP_ANONYMOUS
        Rule("mmap", 9, 222, arg=3, mask=0x40000, values=(0x40000,)),  # MAP_HUGETLB: not part of VmRSS
        # MERGEABLE, COLD, PAGEOUT, HWPOISON, SOFT_OFFLINE: take pages out of the resident size.
        Rule("madvise", 28, 233, arg=2, values=(12, 20, 21, 100, 101)),
        Rule("fcntl", 72, 25, arg=1, values=(1031,)),  # F_SETPIPE_SZ: 1 MiB a pipe
        *_rules(("memfd_create", 319, 279), ("memfd_secret", 447, 447), ("remap_file_pages", 216, 234)),
        *_rules(("shmget", 29, 194), ("shmat", 30, 196), ("msgget", 68, 186), ("semget", 64, 190)),
        *_rules(("mq_open", 240, 180), ("add_key", 248, 217), ("request_key", 249, 218), ("keyctl", 250, 219)),
        # A tmpfs keeps extended attributes outside its size limit.
        *_rules(("setxattr", 188, 5), ("lsetxattr", 189, 6), ("fsetxattr", 190, 7)),
        *_rules(("vmsplice", 278, 75), ("tee", 276, 77), ("splice", 275, 76)),
        *_rules(("io_setup", 206, 0), ("io_uring_setup", 425, 425), ("io_uring_enter", 426, 426)),
        *_rules(("io_uring_register", 427, 427), ("move_pages", 279, 239), ("migrate_pages", 256, 238)),
    ),
    "no hiding from, and no outliving, the watcher": (
        # PDEATHSIG, DUMPABLE, MM, MEMORY_MERGE, PTRACER
        Rule("prctl", 157, 167, arg=0, values=(1, 4, 35, 67, 0x59616D61)),
        Rule("prctl", 157, 167, arg=0, values=(22,), strict=True),  # SECCOMP
    ),
    "no looking into other processes": _rules(
        ("ptrace", 101, 117),
        ("process_vm_readv", 310, 270),
        ("process_vm_writev", 311, 271),
        ("process_madvise", 440, 440),
        ("process_mrelease", 448, 448),
        ("pidfd_getfd", 438, 438),
        ("kcmp", 312, 272),
    ),
    "no change of the file tree": _rules(
        ("mount", 165, 40),
        ("umount2", 166, 39),
        ("pivot_root", 155, 41),
        ("chroot", 161, 51),
        ("open_tree", 428, 428),
        ("move_mount", 429, 429),
        ("fsopen", 430, 430),
        ("fsconfig", 431, 431),
        ("fsmount", 432, 432),
        ("fspick", 433, 433),
        ("mount_setattr", 442, 442),
        ("mknod", 133, None),
        ("mknodat", 259, 33),
        ("name_to_handle_at", 303, 264),
        ("open_by_handle_at", 304, 265),
        ("fanotify_init", 300, 262),
        ("quotactl", 179, 60),
        ("quotactl_fd", 443, 443),
    ),
    "no wide doors into the kernel": _rules(
        ("bpf", 321, 280),
        ("perf_event_open", 298, 241),
        ("userfaultfd", 323, 282),
        ("lookup_dcookie", 212, 18),
        ("personality", 135, 92),
        ("syslog", 103, 116),
        ("acct", 163, 89),
        ("kexec_load", 246, 104),
        ("kexec_file_load", 320, 294),
        ("init_module", 175, 105),
        ("finit_module", 313, 273),
        ("delete_module", 176, 106),
        ("modify_ldt", 154, None),
        ("iopl", 172, None),
        ("ioperm", 173, None),
        ("uselib", 134, None),
        ("vhangup", 153, 58),
    ),
    "no change of the machine": _rules(
        ("swapon", 167, 224),
        ("swapoff", 168, 225),
        ("reboot", 169, 142),
        ("settimeofday", 164, 170),
        ("clock_settime", 227, 112),
        ("clock_adjtime", 305, 266),
        ("adjtimex", 159, 171),
        ("sethostname", 170, 161),
        ("setdomainname", 171, 162),
    ),
}
"""Why, and which calls. One line of reason for each group."""

# Instruction codes of classic BPF (linux/bpf_common.h) and return values (linux/seccomp.h).
_LOAD, _AND, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_ALLOW, _ERRNO, _KILL_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000
# Offsets in struct seccomp_data; both processors are little-endian, so an argument's low half comes first.
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16


def program(*, strict: bool, machine: str | None = None) -> bytes:
    """Return the filter as an array of `struct sock_filter`, for this processor or the named one.

    Calls made through another processor mode (32-bit x86, x32) end the process: their numbers mean other calls.
    Raises Unsupported for a processor other than x86_64 and aarch64.
    """
    machine = machine or platform.machine()
    if machine not in AUDIT_ARCH:
        raise Unsupported(f"The sandbox has no system call table for {machine}: x86_64 and aarch64 are supported.")
    code = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, AUDIT_ARCH[machine]),
        (_RETURN, 0, 0, _KILL_PROCESS),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, X32_BIT),
        (_RETURN, 0, 0, _KILL_PROCESS),
        (_AT_LEAST, 0, 1, NEWEST_REVIEWED + 1),
        (_RETURN, 0, 0, _ERRNO | errno.ENOSYS),
    ]
    for rules in TABLE.values():
        for rule in rules:
            if strict or not rule.strict:
                code += _assemble(rule, rule.x86_64 if machine == "x86_64" else rule.aarch64)
    code.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in code)


def _assemble(rule: Rule, number: int | None) -> Iterator[tuple[int, int, int, int]]:
    """Yield the instructions of one rule; the call's number is in the accumulator before and after."""
    if number is None:
        return
    deny = (_RETURN, 0, 0, _ERRNO | rule.answer)
    if rule.arg is None:
        yield (_EQUAL, 0, 1, number)
        yield deny
        return
    body = [(_LOAD, 0, 0, _ARGUMENTS + 8 * rule.arg), (_AND, 0, 0, rule.mask)]
    for value in rule.values:
        body += [(_EQUAL, 0, 1, value), deny]
    body.append((_LOAD, 0, 0, _NUMBER))
    yield (_EQUAL, 0, len(body), number)
    yield from body
