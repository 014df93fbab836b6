"""Starts from the nodes that a run without failures needs and adds what the failures of that many cost, until it holds."""

from fractions import Fraction
from math import ceil


def _exact(value):
    return Fraction(value)


def _share(name, value):
    if not 0 < value <= 1:
        raise ValueError(f"{name} must lie in (0, 1], got {value}")
    return _exact(value)


def _ideal_device_days(job):
    utilisation = _share("utilisation", job["utilisation"])
    if "flops" in job:
        work = _exact(job["flops"])
    else:
        per_token = 6
        if job["utilisation_of"] == "hfu" and job["recompute"] == "full":
            per_token = 8
        work = per_token * _exact(job["active_parameters"]) * _exact(job["tokens"])
    return work / (_exact(job["peak_flops"]) * utilisation * 86400)


def _useful(job, devices):
    if "goodput" in job:
        return _share("goodput", job["goodput"])
    failures = job.get("failures")
    if failures is None:
        return Fraction(1)
    return 1 - devices * _exact(failures["hours_lost"]) / _exact(failures["device_hours_between"])


def days(job, devices):
    ideal, useful = _ideal_device_days(job), _useful(job, devices)
    if devices <= 0 or useful <= 0:
        raise ValueError(f"{devices} devices never finish this run")
    return float(ideal / devices / useful)


def gpu_hours(job, devices):
    return days(job, devices) * 24 * devices


def devices_for_deadline(job, deadline):
    if deadline <= 0:
        raise ValueError("the deadline has passed")
    needed, node = _ideal_device_days(job) / (_exact(deadline) * (1 + Fraction(1, 10**9))), job["node"]
    devices = node
    while True:
        useful = _useful(job, devices)
        if useful <= 0 or devices > job["max_devices"]:
            raise ValueError("no number of devices ends this run in time")
        wanted = ceil(needed / useful / node) * node
        if wanted <= devices:
            return devices
        devices = wanted
