# outcome: killed|crashed
# note: the watcher ends it, or the file system's own table is full first
"""Makes files, empty ones, for ever."""
import itertools
import os


def checkpoint(function, *args, **kwargs):
    for number in itertools.count():
        os.close(os.open(f"/tmp/{number}", os.O_CREAT | os.O_WRONLY))
    return function(*args, **kwargs)
