"""What a submission prints: read for ever, so that it never blocks, and kept up to a limit."""

from __future__ import annotations

import os
import re
import threading

CHUNK = 1 << 16
# Everything that a terminal or a page would swallow or obey, except tab and newline.
_HIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class Output:
    """Drains one pipe in a thread of its own until its end."""

    def __init__(self, fd: int, limit: int) -> None:
        self._fd = fd
        self._limit = limit
        self._kept = bytearray()
        self._total = 0
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._drain, name="sandbox-output", daemon=True)
        self._thread.start()

    def finish(self, seconds: float) -> None:
        """Wait until everything has been read, at most so long."""
        self._thread.join(seconds)

    def read(self) -> tuple[str, int]:
        """Return the kept text, cut by whole lines, and the number of bytes that were dropped."""
        with self._lock:
            kept, total = bytes(self._kept), self._total
        if total > len(kept):
            whole = kept.rfind(b"\n") + 1
            kept = kept[: whole or len(kept)]  # one endless line is cut where it must be
        return visible(kept), total - len(kept)

    def _drain(self) -> None:
        try:
            while chunk := os.read(self._fd, CHUNK):
                with self._lock:
                    self._total += len(chunk)
                    if room := self._limit - len(self._kept):
                        self._kept += chunk[:room]
        finally:
            os.close(self._fd)


def visible(data: bytes) -> str:
    r"""Return the bytes as text in which NUL, other control characters and invalid UTF-8 can be seen (`\x00`)."""
    text = data.decode("utf-8", "backslashreplace")
    return _HIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
