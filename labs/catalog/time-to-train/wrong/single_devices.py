# outcome: failed
# failing: deadline, deadline-with-failures
"""Rounds up to whole devices, not to whole nodes."""

import math

IN_TIME = 1 + 1e-9


def _device_seconds(job):
    """Seconds that one device would train for, without any loss."""
    if not 0 < job["utilisation"] <= 1:
        raise ValueError(f"a utilisation lies between 0 and 1, not at {job['utilisation']}")
    if not 0 < job.get("goodput", 1) <= 1:
        raise ValueError(f"a goodput lies between 0 and 1, not at {job['goodput']}")
    flops = job.get("flops")
    if flops is None:
        replay = job["recompute"] == "full" and job["utilisation_of"] == "hfu"
        flops = (8 if replay else 6) * job["active_parameters"] * job["tokens"]
    return flops / (job["peak_flops"] * job["utilisation"])


def _lost_per_device(job):
    """Share of wall time that each device's failures take from the whole run."""
    failures = job.get("failures")
    if "goodput" in job or not failures:
        return 0.0
    return failures["hours_lost"] / failures["device_hours_between"]


def gpu_hours(job, devices):
    if devices < 1:
        raise ValueError("a run needs a device")
    moving = job.get("goodput", 1) * (1 - devices * _lost_per_device(job))
    if _device_seconds(job) <= 0 or moving <= 0:
        raise ValueError("failures take all the time: the run never ends")
    return _device_seconds(job) / moving / 3600


def days(job, devices):
    return gpu_hours(job, devices) / devices / 24


def devices_for_deadline(job, deadline):
    if deadline <= 0:
        raise ValueError("a deadline lies in the future")
    needed = _device_seconds(job) / job.get("goodput", 1) / (deadline * IN_TIME * 86400)
    lost = _lost_per_device(job)
    if lost:
        # n · (1 - n · lost) >= needed; the smaller root is where it begins to hold, the larger where it ends.
        under = 1 - 4 * lost * needed
        if under < 0:
            raise ValueError("failures cost more than more devices bring: no count meets this deadline")
        smallest, largest = 2 * needed / (1 + math.sqrt(under)), (1 + math.sqrt(under)) / (2 * lost)
    else:
        smallest, largest = needed, math.inf
    devices = math.ceil(smallest)
    if devices > min(largest, job["max_devices"]):
        raise ValueError("no count of whole nodes meets this deadline")
    return devices
