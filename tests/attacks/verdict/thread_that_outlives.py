# outcome: failed
# failing: saved-bytes, peak-bytes
"""Leaves threads behind that go on computing and allocate while other cases run."""
import threading

import torch

kept = []


def work():
    while True:
        kept.append(torch.ones(1000))
        if len(kept) > 100:
            kept.clear()
        threading.Event().wait(0.001)


threading.Thread(target=work, daemon=True).start()


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
