"""Keep a command running: `python -m headroom.keep COMMAND…`.

When the command ends it is started again, after a pause that grows while it fails quickly. SIGTERM and SIGINT are
passed on, and then its end is ours. Nothing outlives us: the command is killed with us however we end, and what it
leaves in its process group is ended before it starts again. Where HEADROOM_KEEP_WITH names a process, we stop when
that process ends, even by SIGKILL.
"""

import contextlib
import ctypes
import functools
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from types import FrameType

PR_SET_PDEATHSIG = 1
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
# A run at least this long counts as healthy: the pause starts small again.
HEALTHY_S = 10.0
# After a stop the command has this long to end by itself.
GRACE_S = 30.0


def die_with_parent(parent: int) -> None:
    """Ask Linux to kill us when the thread that started us ends; end at once where `parent` is gone already.

    Elsewhere than on Linux there is no such request, and nothing happens.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)


def wait_for_end(pid: int) -> None:
    """Return when the process `pid`, which need not be a child, has ended."""
    try:
        # Absent outside Linux.
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    except (AttributeError, OSError):
        with contextlib.suppress(ProcessLookupError):
            while True:
                os.kill(pid, 0)
                time.sleep(0.5)
        return
    try:
        select.select([handle], [], [])
    finally:
        os.close(handle)


class Keeper:
    """Runs one command again and again until it is told to stop."""

    def __init__(self, command: Sequence[str]) -> None:
        self.command = list(command)
        self.stopping: int | None = None
        self.child: subprocess.Popen[bytes] | None = None

    def stop(self, number: int, _frame: FrameType | None = None) -> None:
        """Pass the signal on and start the command no more."""
        self.stopping = number
        if self.child is not None and self.child.poll() is None:
            self.child.send_signal(number)

    def run(self) -> int:
        """Run until stopped; return the exit status to end with (0 after a stop, 127 if it cannot be started)."""
        pause = FIRST_PAUSE_S / 2
        while self.stopping is None:
            began = time.monotonic()
            try:
                # A group of its own: a signal to our group reaches the command once, through us.
                self.child = subprocess.Popen(
                    self.command, process_group=0, preexec_fn=functools.partial(die_with_parent, os.getpid())
                )
            except OSError as error:
                self._say(f"{self.command[0]} cannot be started: {error.strerror}.")
                return 127
            status = self._until_it_ends(self.child)
            if self.stopping is not None:
                break
            pause = FIRST_PAUSE_S if time.monotonic() - began >= HEALTHY_S else min(pause * 2, LONGEST_PAUSE_S)
            self._say(f"{' '.join(self.command[:6])} ended with {status}; starting it again in {pause:g} s.")
            self._sleep(pause)
        return 0

    def _until_it_ends(self, child: "subprocess.Popen[bytes]") -> int:
        give_up: float | None = None
        while True:
            if self.stopping is not None and give_up is None:
                give_up = time.monotonic() + GRACE_S
                # Again, for the signal that came before there was a child to pass it to.
                child.send_signal(self.stopping)
            try:
                status = child.wait(timeout=0.2)
                break
            except subprocess.TimeoutExpired:
                if give_up is not None and time.monotonic() > give_up:
                    child.kill()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        return status

    def _sleep(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while self.stopping is None and (left := until - time.monotonic()) > 0:
            time.sleep(min(left, 0.1))

    @staticmethod
    def _say(sentence: str) -> None:
        sys.stderr.write(f"keep: {sentence}\n")
        sys.stderr.flush()


def main(command: Sequence[str], companion: str | None) -> int:
    """Keep `command` running, at most as long as the process `companion` (a pid) lives; return our exit status."""
    if not command:
        sys.stderr.write("usage: python -m headroom.keep COMMAND [ARGUMENT…]\n")
        return 2
    keeper = Keeper(command)
    signal.signal(signal.SIGTERM, keeper.stop)
    signal.signal(signal.SIGINT, keeper.stop)
    if companion:

        def stop_with_it() -> None:
            wait_for_end(int(companion))
            os.kill(os.getpid(), signal.SIGTERM)

        threading.Thread(target=stop_with_it, daemon=True).start()
    return keeper.run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ.get("HEADROOM_KEEP_WITH")))
