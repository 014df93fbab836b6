"""Asks `days` of one node, two nodes, and so on, until one is in time. No algebra to get wrong."""

from dataclasses import dataclass


@dataclass
class Run:
    flops: float
    rate: float
    goodput: float | None
    failures: dict | None

    @classmethod
    def of(cls, job):
        if job["utilisation"] <= 0 or job["utilisation"] > 1:
            raise ValueError("utilisation must be above 0 and at most 1")
        goodput = job.get("goodput")
        if goodput is not None and (goodput <= 0 or goodput > 1):
            raise ValueError("goodput must be above 0 and at most 1")
        if "flops" in job:
            flops = job["flops"]
        else:
            forwards = 3  # one forward, and a backward that is worth two
            if (job["recompute"], job["utilisation_of"]) == ("full", "hfu"):
                forwards += 1
            flops = 2 * forwards * job["active_parameters"] * job["tokens"]
        return cls(flops, job["peak_flops"] * job["utilisation"], goodput, job.get("failures"))

    def progress(self, devices):
        if self.goodput is not None:
            return self.goodput
        if self.failures is None:
            return 1.0
        failures_an_hour = devices / self.failures["device_hours_between"]
        return 1.0 - failures_an_hour * self.failures["hours_lost"]

    def wall_hours(self, devices):
        if devices < 1:
            raise ValueError("no devices")
        progress = self.progress(devices)
        if progress <= 0:
            raise ValueError("it loses all its time")
        return self.flops / (self.rate * devices * progress) / 3600


def gpu_hours(job, devices):
    return devices * Run.of(job).wall_hours(devices)


def days(job, devices):
    return Run.of(job).wall_hours(devices) / 24


def devices_for_deadline(job, deadline):
    run = Run.of(job)
    for devices in range(job["node"], job["max_devices"] + 1, job["node"]):
        try:
            hours = run.wall_hours(devices)
        except ValueError:
            break  # from here on it is only worse
        if hours <= 24 * deadline * (1 + 1e-9):
            return devices
    raise ValueError(f"no count up to {job['max_devices']} ends within {deadline} days")
