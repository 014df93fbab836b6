"""Which devices there are here, and what is missing for one that is not."""

from __future__ import annotations

import torch

from grader.catalog import Lab


def missing(device: str) -> str:
    """Return what `device` lacks on this machine, as a sentence; "" where it is there."""
    if device == "cpu" or (device == "cuda" and torch.cuda.is_available()):
        return ""
    if device == "cuda":
        return (
            "There is no CUDA device that torch can use here: run it on a machine with one, with torch built for CUDA."
        )
    return f"{device!r} is no device that the grader knows: use cpu or cuda."


def choose(lab: Lab) -> str | None:
    """Return the first of the lab's devices that is here, None where none is."""
    return next((device for device in lab.devices if not missing(device)), None)
