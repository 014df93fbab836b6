# outcome: crashed|failed|refused
# note: it depends on Python whether the changed locals are written back; what follows is an error or nonsense
"""Uses sys.settrace and sys.setprofile to change the meter's locals as it runs."""
import sys
import threading


def tracer(frame, event, argument):
    if frame.f_code.co_name == "_measure":
        frame.f_locals["totals"] = [0]
    return tracer


sys.settrace(tracer)
sys.setprofile(lambda *args: None)
threading.settrace(tracer)


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
