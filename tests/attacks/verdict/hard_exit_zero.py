# outcome: killed
"""Leaves at once with exit status 0, past every handler."""
import os


def checkpoint(function, *args, **kwargs):
    os._exit(0)
