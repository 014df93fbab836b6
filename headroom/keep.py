"""Keep a command running: `python -m headroom.keep COMMAND…`.

When the command ends it is started again, after a pause that grows while it fails quickly. SIGTERM and SIGINT are
passed on, and then its end is ours. The command is killed when we are, however we end, so that nothing is orphaned.
"""

import ctypes
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from types import FrameType

PR_SET_PDEATHSIG = 1
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
# A run at least this long counts as healthy: the pause starts small again.
HEALTHY_S = 10.0


def die_with_parent(by: signal.Signals = signal.SIGKILL) -> None:
    """Ask Linux to send us `by` when the thread that started us ends; elsewhere do nothing."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, int(by), 0, 0, 0)


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
        """Run until stopped; return the exit status to end with (0 after a stop)."""
        pause = FIRST_PAUSE_S
        while self.stopping is None:
            began = time.monotonic()
            try:
                self.child = subprocess.Popen(self.command, preexec_fn=die_with_parent)
            except OSError as error:
                print(f"keep: {self.command[0]} cannot be started: {error.strerror}.", file=sys.stderr, flush=True)
                return 127
            # A signal may have come while the child was being started, and found no child to go to.
            if self.stopping is not None:
                self.child.send_signal(self.stopping)
            status = self.child.wait()
            if self.stopping is not None:
                return 0
            pause = FIRST_PAUSE_S if time.monotonic() - began >= HEALTHY_S else min(pause * 2, LONGEST_PAUSE_S)
            name = " ".join(self.command[:4])
            print(f"keep: {name} ended with {status}; starting again in {pause:.1f} s.", file=sys.stderr, flush=True)
            self._wait(pause)
        return 0

    def _wait(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while self.stopping is None and (left := until - time.monotonic()) > 0:
            time.sleep(min(left, 0.1))


def main(command: Sequence[str]) -> int:
    """Keep `command` running; return the exit status of this process."""
    if not command:
        print("usage: python -m headroom.keep COMMAND [ARGUMENT…]", file=sys.stderr)
        return 2
    keeper = Keeper(command)
    die_with_parent(signal.SIGTERM)
    signal.signal(signal.SIGTERM, keeper.stop)
    signal.signal(signal.SIGINT, keeper.stop)
    return keeper.run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
