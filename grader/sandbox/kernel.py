"""What the kernel says about one process, read from outside it. Nothing here trusts the process itself."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


class Gone(Exception):
    """The process has ended: the kernel no longer says anything about it."""


class Process:
    """One process by its host pid. Holds its /proc folder and a pidfd open, so a reused pid is never mistaken for it.

    Every reader raises `Gone` once the process has ended and been reaped.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._folder = -1
        self._pidfd = -1
        try:
            self._pidfd = os.pidfd_open(pid)
            self._folder = os.open(f"/proc/{pid}", os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            self.close()
            raise Gone(f"process {pid}: {error.strerror}") from error

    def close(self) -> None:
        """Let go of the process. Harmless when done twice."""
        for fd in (self._folder, self._pidfd):
            if fd >= 0:
                os.close(fd)
        self._folder = self._pidfd = -1

    def kill(self) -> None:
        """Send SIGKILL. The first process of a PID namespace takes the whole namespace with it."""
        with suppress(OSError):
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def reset_high_water(self) -> None:
        """Lower the high-water mark to the present resident size (`proc_pid_clear_refs(5)`, value 5)."""
        fd = self._open("clear_refs", os.O_WRONLY)
        try:
            os.write(fd, b"5")
        except ProcessLookupError as error:
            raise Gone(f"process {self.pid} has ended") from error
        finally:
            os.close(fd)

    def high_water_bytes(self) -> int:
        """Return the highest resident size since the last reset (VmHWM), in bytes."""
        return self._status("VmHWM") * 1024

    def resident_bytes(self) -> int:
        """Return the resident size now, in bytes."""
        return int(self._read("statm").split()[1]) * PAGE

    def threads(self) -> int:
        """Return the number of threads."""
        return self._status("Threads")

    def cpu_seconds(self) -> float:
        """Return processor time, user and system, waited-for children included."""
        return sum(int(field) for field in self._stat()[11:15]) / TICKS

    def children(self) -> list[int]:
        """Return the host pids of the process's children. In a working sandbox there are none, ever."""
        fd = self._open("task", os.O_DIRECTORY)
        try:
            threads = os.listdir(fd)
        finally:
            os.close(fd)
        text = b""
        for thread in threads:
            with suppress(Gone):
                text += self._read(f"task/{thread}/children") + b" "
        return [int(pid) for pid in text.split()]

    def tmpfs(self) -> tuple[int, int]:
        """Return bytes and number of files in the process's own /tmp, (0, 0) where there is none to look at.

        Until bubblewrap has set its root up, it sees the /tmp that we see, with everybody's files.
        """
        try:
            fd = self._open("root/tmp", os.O_DIRECTORY)
        except (OSError, Gone):
            return 0, 0
        try:
            if os.fstat(fd).st_dev == os.stat("/tmp").st_dev:
                return 0, 0
            figures = os.fstatvfs(fd)
        finally:
            os.close(fd)
        files = figures.f_files - figures.f_ffree - 1  # the folder itself
        return (figures.f_blocks - figures.f_bfree) * figures.f_frsize, files

    def ended(self) -> bool:
        """Say whether the process has ended, reaped or not."""
        try:
            return self._stat()[0] in (b"Z", b"X")
        except Gone:
            return True

    def wait(self, seconds: float) -> bool:
        """Wait until the process has ended; say whether it has."""
        until = time.monotonic() + seconds
        while not self.ended():
            if time.monotonic() > until:
                return False
            time.sleep(0.002)
        return True

    def _status(self, field: str) -> int:
        for line in self._read("status").splitlines():
            if line.startswith(field.encode() + b":"):
                return int(line.split()[1])
        raise Gone(f"process {self.pid} is ending")  # a zombie has no memory, so no Vm lines

    def _stat(self) -> list[bytes]:
        # The name, in brackets, may hold spaces and brackets of its own: cut after the last one.
        return self._read("stat").rpartition(b")")[2].split()

    def _read(self, name: str) -> bytes:
        fd = self._open(name, os.O_RDONLY)
        try:
            return os.read(fd, 1 << 16)
        except ProcessLookupError as error:
            raise Gone(f"process {self.pid} has ended") from error
        finally:
            os.close(fd)

    def _open(self, name: str, flags: int) -> int:
        if self._folder < 0:
            raise Gone(f"process {self.pid} has ended")
        try:
            return os.open(name, flags | os.O_CLOEXEC, dir_fd=self._folder)
        except (ProcessLookupError, FileNotFoundError) as error:
            raise Gone(f"process {self.pid} has ended") from error
