"""A memory control group around one sandbox, where the operator has given a folder to make them in.

`HEADROOM_CGROUP` names a folder of the memory controller that this user may write (version 1 or 2), for instance one
that systemd delegated. It is never looked for: taking part of somebody else's hierarchy is not this program's choice.
It adds what the resident size alone does not tell: pages in /tmp, in pipes and in the kernel.
"""

from __future__ import annotations

import contextlib
import os
import time
import uuid
from pathlib import Path

from grader.sandbox.ends import Unavailable
from grader.sandbox.limits import Limits

PARENT = "HEADROOM_CGROUP"


class Cgroup:
    """One group, made for one sandbox and removed with it."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        """Make the group and set its limits. Raises Unavailable, with what to check."""
        self.folder = folder
        self._peak = -1
        try:
            folder.mkdir()
            first = (folder / "memory.max").exists()
            self._set("memory.max" if first else "memory.limit_in_bytes", limits.memory_bytes)
            if first:
                with contextlib.suppress(OSError):  # where there is no swap, there is no such file
                    self._set("memory.swap.max", 0)
                with contextlib.suppress(OSError):  # where the pids controller is not delegated
                    self._set("pids.max", limits.threads)
            # Kept open: version 2 resets the peak for this very descriptor only (Linux 6.12 and later).
            self._peak = os.open(folder / ("memory.peak" if first else "memory.max_usage_in_bytes"), os.O_RDWR)
        except OSError as error:
            self.remove()
            raise Unavailable(
                f"{PARENT}={folder.parent} cannot be used ({error}): it must be a folder of the memory controller "
                "that this user may write, with memory in its cgroup.subtree_control. Correct it or unset it."
            ) from error

    @classmethod
    def create(cls, limits: Limits) -> Cgroup | None:
        """Make a group below `HEADROOM_CGROUP`; None where that is not set."""
        parent = os.environ.get(PARENT)
        return cls(Path(parent, f"headroom-{uuid.uuid4().hex}"), limits) if parent else None

    def add(self, pid: int) -> None:
        """Move a process into the group; what it takes from now on is counted here."""
        self._set("cgroup.procs", pid)

    def reset_peak(self) -> None:
        """Lower the peak to the present use. Raises OSError before Linux 6.12 under version 2."""
        os.write(self._peak, b"0")

    def peak_bytes(self) -> int:
        """Return the highest use since the last reset, in bytes; pages of files that were first read here included."""
        return int(os.pread(self._peak, 64, 0))

    def out_of_memory(self) -> bool:
        """Say whether the kernel has killed a process of this group for want of memory."""
        for name in ("memory.events", "memory.oom_control"):
            with contextlib.suppress(OSError):
                for line in (self.folder / name).read_text().splitlines():
                    if line.startswith("oom_kill "):
                        return int(line.split()[1]) > 0
        return False

    def remove(self) -> None:
        """Remove the group. Its processes must have ended; the kernel may need a moment to notice."""
        if self._peak >= 0:
            os.close(self._peak)
            self._peak = -1
        for _ in range(100):
            try:
                self.folder.rmdir()
            except FileNotFoundError:
                return
            except OSError:
                time.sleep(0.01)
            else:
                return

    def _set(self, name: str, value: int) -> None:
        (self.folder / name).write_text(str(value))
