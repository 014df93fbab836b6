"""A lab that takes milliseconds, for tests of the way to a verdict: `double(x)` returns twice its input."""

from pathlib import Path

HARNESS = """
import torch
from grader.program import Program

PLAIN = {"double": lambda x: 2 * x}

def prepare(case, entry):
    torch.manual_seed(case["seed"])
    x = torch.randn(8)
    found = {}
    return Program(phases=[("forward", lambda: found.update(y=entry["double"](x)))], observe=lambda: found)
"""
JUDGE = """
from grader import checks

PRIMARY = "double"

def cases(rng, harness, mode):
    return [{"name": "double", "family": "double", "seed": rng.getrandbits(31), "measure": False}]

def check(runs):
    return [checks.same_results(run, {"double": "Twice the input"}, {"double": "Add it to itself."}) for run in runs]
"""
LAB = """title: Double
summary: Twice.
tier: open
order: 1
entry_points: [double]
devices: [cpu]
time_limit_s: 40
"""


def write(catalogue: Path) -> None:
    """Write the lab `double` into a folder of labs."""
    folder = catalogue / "double"
    folder.mkdir(parents=True)
    files = {"lab.yaml": LAB, "statement.md": "Twice.", "starter.py": "", "harness.py": HARNESS, "judge.py": JUDGE}
    for name, text in files.items():
        (folder / name).write_text(text)
