"""The judge's side of `time-to-train`: published runs, hidden jobs, deadlines that can and cannot be met."""

from pathlib import Path

import yaml

from grader import formulas
from grader.verdict import Check

PRIMARY = None

TOLERANCE = 1e-3
"""For days and device-hours of hidden jobs, where the answer is arithmetic. Published runs allow their own rounding."""

LATE = 1e-9
"""A run that ends so much of its deadline late is in time: floating point, not lateness."""

PUBLISHED = yaml.safe_load((Path(__file__).parent / "published.yaml").read_text(encoding="utf-8"))

PEAKS = {"A100": 312e12, "H100-SXM": 989e12, "MI300X": 1307e12}

TITLES = {
    "published-runs": "Published runs, within their rounding",
    "dense": "Device-hours and days of a dense model",
    "experts": "A mixture of experts",
    "recompute-by-mfu": "Recomputation, with the rate as MFU",
    "recompute-by-hfu": "Recomputation, with the rate as HFU",
    "goodput": "Goodput",
    "failures": "Time lost to failures",
    "goodput-includes-failures": "Failures that goodput already holds",
    "deadline": "Devices for a deadline",
    "deadline-with-failures": "Devices for a deadline when more devices fail more often",
    "round-trip": "Your days, given back as the deadline",
    "refused": "Questions without an answer are refused",
}

CAUSES = {
    "published-runs": "Work over devices × peak × utilisation; where `flops` is given it is the whole work already.",
    "dense": "6 FLOPs per parameter and token, over the rate that one device achieves. Device-hours are days × 24 × "
    "devices.",
    "experts": "The work follows the parameters that a token passes through.",
    "recompute-by-mfu": "MFU is a rate of model FLOPs: recomputation has lowered it already, the work stays 6.",
    "recompute-by-hfu": "HFU counts the replay as work, so the work is 8 FLOPs per parameter and token.",
    "goodput": "Goodput is a share of wall time: days and device-hours are divided by it.",
    "failures": "n devices fail n times as often. In one hour on the wall, n / device_hours_between failures cost "
    "hours_lost each; the rest of the hour trains.",
    "goodput-includes-failures": "Goodput was measured after every kind of loss. Taking failures off again counts "
    "them twice.",
    "deadline": "The smallest whole number of nodes that is in time, with goodput if there is one.",
    "deadline-with-failures": "Days depend on the devices through the failures: solve for the smallest count that is "
    "in time, or try them. Beyond some count, more devices take longer.",
    "round-trip": "Your own days on n devices are a deadline that n devices meet. A ceiling of a float that is a hair "
    "above a whole number adds a node: leave one part in a billion.",
    "refused": "Raise ValueError.",
}

WHY = {
    "deadline": "A deadline that is not above zero was answered.",
    "too-few": "A deadline that not even max_devices meet was answered.",
    "failures-win": "A deadline that no device count meets was answered: from some count on, failures cost more than "
    "another node brings.",
    "no-progress": "A run that loses all its time to failures was given an end.",
    "devices": "A run on no devices was given an end.",
    "utilisation": "A utilisation that is not above 0 and at most 1 was accepted.",
    "goodput": "A goodput that is not above 0 and at most 1 was accepted.",
}

EXACT = {"devices_for_deadline", "round_trip"}


def cases(rng, harness, mode):
    """Draw the questions of one grading: the public ones for Run, fresh jobs for Submit."""
    if mode == "run":
        return harness.PUBLIC_CASES
    features = {
        "dense": {},
        "experts": {"active": rng.uniform(0.05, 0.3)},
        "recompute-by-mfu": {"recompute": "full"},
        "recompute-by-hfu": {"recompute": "full", "utilisation_of": "hfu"},
        "goodput": {"goodput": rng.uniform(0.7, 0.95)},
    }
    drawn = [_case("published-runs", *_published())]
    drawn += [_case(family, *_both(_job(rng, **feature), _count(rng))) for family, feature in features.items()]
    count = _count(rng)
    drawn.append(_case("failures", *_both(_failing(rng, count), count)))
    drawn.append(_case("goodput-includes-failures", *_both(_failing(rng, count, goodput=rng.uniform(0.6, 0.8)), count)))
    plain = [_deadline(rng, _job(rng), _count(rng)), _deadline(rng, _job(rng, goodput=0.8), _count(rng), only=True)]
    drawn.append(_case("deadline", *plain))
    drawn.append(_case("deadline-with-failures", *(_deadline(rng, _failing(rng, n), n) for n in (_count(rng), count))))
    trips = [(_failing(rng, n) if n % 3 == 0 else _job(rng), n) for n in (_count(rng) for _ in range(60))]
    drawn.append(_case("round-trip", *({"ask": "round_trip", "job": job, "argument": n} for job, n in trips)))
    return [*drawn, _case("refused", *_refusals(rng))]


def expected(case):
    """Return what is right: what was published, what the arithmetic gives, or a refusal."""
    return {name: _right(question) for name, question in _named(case)}


def check(runs):
    """Return one check a case."""
    return [_refused(run) if run.case["family"] == "refused" else _answers(run) for run in runs]


def _answers(run):
    family = run.case["family"]
    tolerance = {name: _tolerance(question) for name, question in _named(run.case)}
    return formulas.within(run, TITLES[family], tolerance, CAUSES[family], _mistakes(run.case))


def _refused(run):
    title, asked = TITLES["refused"], dict(_named(run.case))
    if run.crash is not None:
        hint = f"{run.crash.error}. Raise ValueError where there is no answer, and no other error."
        return Check("refused", title, False, f"{len(asked)} refused", "error", "", hint)
    answered = [question for name, question in asked.items() if run.observed.get(name) != "refused"]
    hint = f"{WHY[answered[0]['why']]} {CAUSES['refused']}" if answered else ""
    actual = f"{len(asked) - len(answered)} refused"
    return Check("refused", title, not answered, f"{len(asked)} refused", actual, "", hint)


def work(job, *, parameters="active_parameters", factor=None):
    """Return the run's FLOPs, counted as its utilisation counts them."""
    if "flops" in job:
        return job["flops"]
    replayed = job["recompute"] == "full" and job["utilisation_of"] == "hfu"
    return (factor or (8 if replayed else 6)) * job[parameters] * job["tokens"]


def moving(job, devices):
    """Return the share of wall time in which the run moves forward: measured, or what failures leave."""
    return job["goodput"] if "goodput" in job else 1 - lost(job, devices)


def lost(job, devices):
    """Return the share of wall time that failures take on so many devices."""
    failures = job.get("failures")
    return devices * failures["hours_lost"] / failures["device_hours_between"] if failures else 0.0


def days(job, devices):
    """Return the days on the wall. Raises ValueError where the run never ends."""
    share = moving(job, devices)
    if share <= 0:
        raise ValueError("failures take all the time")
    return work(job) / (devices * job["peak_flops"] * job["utilisation"] * share) / 86400


def devices_for_deadline(job, deadline):
    """Try every whole number of nodes. Raises ValueError if none is in time."""
    for devices in range(job["node"], job["max_devices"] + 1, job["node"]):
        if moving(job, devices) > 0 and days(job, devices) <= deadline * (1 + LATE):
            return devices
    raise ValueError("no number of devices is in time")


def _right(question):
    job, argument = question["job"], question["argument"]
    match question["ask"]:
        case "refusal":
            return "refused"
        case "round_trip":
            return float(argument)
        case "devices_for_deadline":
            return float(devices_for_deadline(job, argument))
        case ask:
            if "label" in question:
                return _PRINTED[question["label"]][0]
            return days(job, argument) * (24 * argument if ask == "gpu_hours" else 1)


def _tolerance(question):
    if question["ask"] in EXACT:
        return 0.0
    return _PRINTED[question["label"]][1] if "label" in question else TOLERANCE


def _named(case):
    return [(f"{question['ask']} {number}", question) for number, question in enumerate(case["questions"], 1)]


def _mistakes(case):
    found = {}
    for name, question in _named(case):
        slips = _count_slips if question["ask"] in EXACT else _time_slips
        for sentence, value in slips(question):
            found.setdefault(sentence, {})[name] = value
    return found


def _time_slips(question):
    job, devices, hours = question["job"], question["argument"], question["ask"] == "gpu_hours"
    right = days(job, devices) * (24 * devices if hours else 1)
    share, failing = moving(job, devices), lost(job, devices)
    if "flops" not in job:
        done = work(job)
        yield (
            "All parameters are counted. A token passes through the active ones.",
            (right * work(job, parameters="parameters") / done),
        )
        yield (
            "The work counts the replay, and the rate is MFU, which it has lowered already: it is counted twice.",
            (right * work(job, factor=8) / done),
        )
        yield (
            "The rate is HFU, which counts the replay as work, and the work leaves it out.",
            (right * work(job, factor=6) / done),
        )
    if failing and "goodput" not in job:
        yield "Lost time is left out, or one device's is counted: n devices fail n times as often.", right * share
    yield "Lost time is left out: the run holds its devices while it restarts.", right * share
    yield "Goodput is multiplied where it divides: less of it takes longer.", right * share * share
    if "goodput" in job and failing:
        yield "Failures are taken off twice: goodput, where it is given, was measured with them.", right / (1 - failing)
        yield (
            "Goodput is ignored. It was measured; use it in place of the estimate from failures.",
            (right * share / (1 - failing)),
        )
    if failing:
        yield (
            "Lost hours come on top of the hours that train: an hour that is lost also fails.",
            right * share * (1 + failing),
        )
    yield "The utilisation is left out: no run goes at the peak.", right * job["utilisation"]
    if hours:
        yield "Those are the hours on the wall; every device runs through them.", right / devices
    else:
        yield "Those are hours; a day has 24.", right * 24


def _count_slips(question):
    right, node = _right(question), question["job"]["node"]
    yield "One node too many: a hair above a whole number was rounded up, or a whole number once more.", right + node
    yield "One node too few: the run would end late.", right - node


def _job(rng, active=1.0, **features):
    parameters = rng.uniform(5e9, 200e9)
    return {
        "parameters": parameters,
        "active_parameters": parameters * active,
        "tokens": parameters * rng.uniform(15, 60),
        "recompute": "none",
        "utilisation": rng.uniform(0.25, 0.5),
        "utilisation_of": "mfu",
        "peak_flops": rng.choice(list(PEAKS.values())),
        "node": 8,
        "max_devices": 65536,
        **features,
    }


def _count(rng):
    return 8 * rng.randrange(30, 1000)


def _failing(rng, devices, **features):
    """Draw a job that loses 10 to 30 % of its time to failures on so many devices."""
    hours_lost = rng.uniform(0.5, 3)
    between = devices * hours_lost / rng.uniform(0.1, 0.3)
    return _job(rng, failures={"device_hours_between": between, "hours_lost": hours_lost}, **features)


def _both(job, devices):
    return [{"ask": ask, "job": job, "argument": devices} for ask in ("gpu_hours", "days")]


def _deadline(rng, job, devices, only=False):
    """Draw a deadline that `devices` meet and one node fewer misses; with `only`, no more devices exist."""
    late, early = days(job, devices - job["node"]), days(job, devices)
    deadline = early + rng.uniform(0.2, 0.8) * (late - early)
    limit = {"max_devices": devices} if only else {}
    return {"ask": "devices_for_deadline", "job": job | limit, "argument": deadline}


def _refusals(rng):
    job, count = _job(rng), _count(rng)
    failing = _failing(rng, count)
    fastest = failing["failures"]["device_hours_between"] / failing["failures"]["hours_lost"] / 2
    few = job | {"max_devices": count}
    yield _refusal("deadline", "devices_for_deadline", job, 0.0)
    yield _refusal("deadline", "devices_for_deadline", job, -rng.uniform(1, 50))
    yield _refusal("too-few", "devices_for_deadline", few, days(job, count) * rng.uniform(0.5, 0.98))
    yield _refusal("failures-win", "devices_for_deadline", failing, days(failing, fastest) * rng.uniform(0.5, 0.98))
    yield _refusal("no-progress", "days", failing, int(fastest * rng.uniform(2.1, 4)))
    yield _refusal("no-progress", "gpu_hours", failing, int(fastest * rng.uniform(2.1, 4)))
    yield _refusal("devices", "days", job, 0)
    yield _refusal("utilisation", "days", job | {"utilisation": rng.uniform(1.05, 60)}, count)
    yield _refusal("utilisation", "gpu_hours", job | {"utilisation": 0.0}, count)
    yield _refusal("goodput", "days", job | {"goodput": rng.uniform(1.05, 1.4)}, count)


def _refusal(why, function, job, argument):
    return {"ask": "refusal", "function": function, "job": job, "argument": argument, "why": why}


def _published():
    """Return the questions about published runs; what was printed stays here, in `_PRINTED`."""
    table = PUBLISHED["narayanan_2021"]
    c = table["shape"]
    layers, hidden, sequence = c["layers"], c["hidden"], c["sequence"]
    bracket = 1 + sequence / (6 * hidden) + c["vocabulary"] / (16 * layers * hidden)
    flops = 96 * layers * hidden**2 * bracket * table["tokens"]
    for row in table["rows"]:
        yield _run(f"GPT 175B on {row['devices']}", "days", flops, row, table["peak_flops"], "hfu")
    opt = PUBLISHED["opt_175b"]
    yield _run("OPT-175B", "days", opt["flops"], opt, opt["peak_flops"], "mfu")
    llama = PUBLISHED["llama_3_1_405b"]
    rate = llama["implied_utilisation"] * llama["peak_flops"]
    run = {"devices": 16384, "flops_per_second": rate}
    yield _run(
        "Llama 3.1 405B", "gpu_hours", 6 * llama["parameters"] * llama["tokens"], run, llama["peak_flops"], "mfu"
    )


def _run(label, ask, flops, row, peak, kind):
    job = {"flops": flops, "utilisation": row["flops_per_second"] / peak, "utilisation_of": kind, "peak_flops": peak}
    job |= {"node": 8, "max_devices": 65536}
    return {"ask": ask, "job": job, "argument": row["devices"], "label": label}


def _printed():
    table, opt, llama = (PUBLISHED[name] for name in ("narayanan_2021", "opt_175b", "llama_3_1_405b"))
    printed = {f"GPT 175B on {row['devices']}": (float(row["days"]), row["rounding"]) for row in table["rows"]}
    printed["OPT-175B"] = (float(opt["days"]), opt["rounding"])
    return printed | {"Llama 3.1 405B": (llama["device_hours"], llama["rounding"])}


_PRINTED = _printed()


def _case(family, *questions):
    return {"name": family, "family": family, "seed": 0, "measure": False, "questions": list(questions)}
