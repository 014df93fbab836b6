"""How your functions are called. This file is the whole of what runs beside your code.

Your module defines

    gpu_hours(job, devices)                # device-hours from the start of a run to its end, lost time included
    days(job, devices)                     # the same run in days on the wall
    devices_for_deadline(job, deadline)    # the fewest devices, in whole nodes, that end in `deadline` days

job  {"utilisation": of the dense peak, while training steps run; "utilisation_of": "mfu" or "hfu";
      "peak_flops": dense, of one device, in FLOP/s; "node": devices a node; "max_devices": as many as there are}
     and either {"flops"}: the whole run's work, counted as its utilisation counts it,
     or {"parameters", "active_parameters": those that a token passes through, "tokens", "recompute": "none" or "full"}
     and perhaps {"goodput"}: measured share of wall time in which the run moved forward, after every kind of loss,
     and perhaps {"failures": {"device_hours_between", "hours_lost"}}: how many device-hours lie between two failures
     on average, and how many hours on the wall the run loses to each.

All three raise ValueError where there is no answer; the statement says when.
"""

from grader.program import Program

PLAIN = {}  # what is right is published, or computed by the judge

ANSWERS = ("gpu_hours", "days", "devices_for_deadline")


def prepare(case, entry):
    """Ask your functions this case's questions; answer i is named after what was asked."""
    answers = {}

    def ask():
        for number, question in enumerate(case["questions"], 1):
            answers[f"{question['ask']} {number}"] = ASK[question["ask"]](entry, question)

    return Program(phases=[("answers", ask)], observe=lambda: answers)


def answer(entry, question):
    """Call the function that is asked for; an exception of any kind is yours."""
    return plain_number(entry[question["ask"]](_copy(question["job"]), question["argument"]))


def round_trip(entry, question):
    """Your own days for so many devices, given back to you as the deadline."""
    job, devices = question["job"], question["argument"]
    return plain_number(entry["devices_for_deadline"](_copy(job), entry["days"](_copy(job), devices)))


def refusal(entry, question):
    """A question without an answer: ValueError, and nothing else, is right."""
    try:
        entry[question["function"]](_copy(question["job"]), question["argument"])
    except ValueError:
        return "refused"
    return "answered"


ASK = {**dict.fromkeys(ANSWERS, answer), "round_trip": round_trip, "refusal": refusal}


def _copy(job):
    return {key: dict(value) if isinstance(value, dict) else value for key, value in job.items()}


def plain_number(value):
    """Return any kind of real number as a float, and anything else as it is."""
    if isinstance(value, (bool, str)) or not hasattr(value, "__float__"):
        return value
    return float(value)


SEVEN_B = {"parameters": 7e9, "active_parameters": 7e9, "tokens": 2e12, "recompute": "none"}
SEVEN_B |= {"utilisation": 0.4, "utilisation_of": "mfu", "peak_flops": 312e12, "node": 8, "max_devices": 65536}
FAILURES = {"failures": {"device_hours_between": 50_000, "hours_lost": 3}}
OPT_175B = {"flops": 4.30e23, "utilisation": 147 / 312, "utilisation_of": "mfu", "peak_flops": 312e12}
OPT_175B |= {"node": 8, "max_devices": 65536}


def _both(job, devices):
    return [{"ask": ask, "job": job, "argument": devices} for ask in ("gpu_hours", "days")]


PUBLIC_CASES = [
    {"name": name, "family": name, "seed": 1, "measure": False, "questions": questions}
    for name, questions in {
        "published-runs": [{"ask": "days", "job": OPT_175B, "argument": 1024, "label": "OPT-175B"}],
        "dense": _both(SEVEN_B, 512),
        "experts": _both(SEVEN_B | {"active_parameters": 2e9}, 512),
        "recompute-by-mfu": _both(SEVEN_B | {"recompute": "full"}, 512),
        "recompute-by-hfu": _both(SEVEN_B | {"recompute": "full", "utilisation_of": "hfu"}, 512),
        "goodput": _both(SEVEN_B | {"goodput": 0.9}, 512),
        "failures": _both(SEVEN_B | FAILURES, 2048),
        "goodput-includes-failures": _both(SEVEN_B | FAILURES | {"goodput": 0.8}, 2048),
        "deadline": [{"ask": "devices_for_deadline", "job": SEVEN_B, "argument": 10.0}],
        "deadline-with-failures": [{"ask": "devices_for_deadline", "job": SEVEN_B | FAILURES, "argument": 4.0}],
        "round-trip": [{"ask": "round_trip", "job": SEVEN_B, "argument": devices} for devices in (24, 104, 512, 1000)],
        "refused": [
            {"ask": "refusal", "function": "devices_for_deadline", "job": SEVEN_B, "argument": 0.0, "why": "deadline"},
            {"ask": "refusal", "function": "days", "job": SEVEN_B | FAILURES, "argument": 20_000, "why": "no-progress"},
        ],
    }.items()
]
