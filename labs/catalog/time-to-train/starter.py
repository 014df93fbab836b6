"""Say how long a training run takes, what it costs in device-hours, and how many devices a deadline needs."""

import math


def gpu_hours(job, devices):
    # 6 FLOPs per parameter and token, all of them at the peak. Which word in this sentence is wrong, and when?
    flops = job.get("flops") or 6 * job["parameters"] * job["tokens"]
    return flops / job["peak_flops"] / 3600


def days(job, devices):
    return gpu_hours(job, devices) / devices / 24


def devices_for_deadline(job, deadline):
    # Is a whole number of devices enough? And what if no number of them is?
    return math.ceil(gpu_hours(job, 1) / 24 / max(deadline, 1e-9))
