# outcome: out_of_memory|killed|crashed
# note: private mappings count against RLIMIT_DATA, whose error is an OSError
"""Maps shared files and touches private pages until memory is gone."""
import mmap


def checkpoint(function, *args, **kwargs):
    kept = []
    while True:
        area = mmap.mmap(-1, 1 << 28, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        area.write(b"x" * (1 << 28))
        kept.append(area)
    return function(*args, **kwargs)
