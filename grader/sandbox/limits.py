"""Every limit on a submission, in this one place."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 2**20


@dataclass(frozen=True)
class Limits:
    """What one sandbox may use. Sizes in bytes, times in seconds. Each has a test named after it.

    memory_bytes   resident size, watched from outside (over it: killed, `OutOfMemory`), and private writable
                   memory by RLIMIT_DATA (over it: MemoryError inside). Not RLIMIT_AS: torch maps far more than it uses.
    cpu_seconds    processor time, since start or since `restart_clocks`.
    wall_seconds   time on the wall, since start or since `restart_clocks`.
    threads        threads of the one process; a second process is not possible at all.
    file_bytes     size of one file (RLIMIT_FSIZE).
    open_files     file descriptors. A pipe holds 64 KiB, so this also bounds what can be parked in pipes (2 MiB).
    tmpfs_bytes    the private /tmp. Its content is not part of the process's resident size: so much can be parked there
                   beyond the tolerance within which the kernel's and the allocator's figures are compared.
    tmpfs_files    files and folders in /tmp, watched from outside: names hold data too, outside the size above.
    output_bytes   how much of stdout and stderr is kept; the rest is read and dropped.
    message_bytes  the longest message on the result pipe.
    """

    memory_bytes: int = 4096 * MIB
    cpu_seconds: float = 120.0
    wall_seconds: float = 120.0
    threads: int = 64
    file_bytes: int = 1 * MIB
    open_files: int = 64
    tmpfs_bytes: int = 1 * MIB
    tmpfs_files: int = 1000
    output_bytes: int = 64 * 1024
    message_bytes: int = 64 * MIB
