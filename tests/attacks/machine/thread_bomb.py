# outcome: killed|crashed
# note: the watcher ends it, or the interpreter cannot start one more
"""Starts threads for ever."""
import threading


def checkpoint(function, *args, **kwargs):
    while True:
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    return function(*args, **kwargs)
