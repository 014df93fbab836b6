"""Every case, with a fresh seed; nothing is metered, so that the peers are asked the same."""

from collections import defaultdict

from grader import checks

PRIMARY = None


def cases(rng, harness, mode):
    return [{"name": name, "family": name, "seed": rng.getrandbits(31), "measure": False} for name in harness.CASES]


def check(runs):
    titles = {run.case["family"]: f"Right for {run.case['family'].replace('-', ' ')}" for run in runs}
    cause = "Divide by the root of the mean of squares plus eps."
    return [checks.same_results(run, titles, defaultdict(lambda: cause)) for run in runs]
