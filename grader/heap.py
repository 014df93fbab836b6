"""Make the resident size follow the allocator: give back what is free, and leave no room for large blocks in the heap.

With a fixed threshold (`MALLOC_MMAP_THRESHOLD_`) glibc maps a large block by itself and gives its pages back when it is
freed, but only where no free piece of the heap is large enough. Working out a metered run leaves such pieces behind,
some megabytes below whatever stayed: from then on large blocks would lie there, and a freed one would stay resident.
"""

from __future__ import annotations

import ctypes
import gc

LARGE_BYTES = 65536
"""The threshold that the sandbox sets: smaller ones cost a call to the kernel for ever smaller blocks."""

_FIRST_BYTES = 64 << 20
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3

_libc = ctypes.CDLL(None)
_libc.malloc.restype = ctypes.c_void_p
_libc.malloc.argtypes = [ctypes.c_size_t]
_libc.free.argtypes = [ctypes.c_void_p]
_libc.sbrk.restype = ctypes.c_void_p
_libc.sbrk.argtypes = [ctypes.c_ssize_t]


def settle() -> None:
    """Give back what nothing holds any more, so that the resident size is what is held."""
    gc.collect()
    _libc.malloc_trim(0)


def keep_what_is_freed() -> None:
    """Let malloc keep freed pages for the next block, as it does by default, for what is timed."""
    _libc.mallopt(_M_MMAP_THRESHOLD, 32 << 20)
    _libc.mallopt(_M_TRIM_THRESHOLD, 512 << 20)


class Holes:
    """The free pieces of the heap that could hold a block of `LARGE_BYTES`, taken or left open.

    Taking them makes none of their pages resident, apart from the one in which each ends.
    """

    def __init__(self) -> None:
        self._taken: list[int] = []

    def close(self) -> None:
        """Take every such piece, the largest first."""
        size = _FIRST_BYTES
        while size >= LARGE_BYTES:
            address = _libc.malloc(size)
            if address and address < _libc.sbrk(0):
                self._taken.append(address)
            else:  # mapped by itself: no piece of the heap is so large
                _libc.free(address)
                size //= 2

    def open(self) -> None:
        """Give them back to malloc."""
        while self._taken:
            _libc.free(self._taken.pop())
