"""The grader's command line: list, grade, meter, selfcheck, tradeoff.

Exit status: 0 passed, 1 the submission did not pass, 2 wrong usage, 3 ungradable.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from pathlib import Path

from grader import catalog
from grader.verdict import Outcome, Verdict


def main(argv: list[str] | None = None) -> int:
    arguments = sys.argv[1:] if argv is None else argv
    if arguments[:1] == ["meter"]:
        from grader.meter.cli import main_meter

        return main_meter(arguments[1:])
    options = _parser().parse_args(arguments)
    return int(options.run(options))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m grader", description="Measure and judge PyTorch code.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    listing = commands.add_parser("list", help="list the labs")
    listing.set_defaults(run=_list)

    grade = commands.add_parser("grade", help="grade FILE in LAB")
    grade.add_argument("lab")
    grade.add_argument("file", type=Path)
    grade.add_argument("--device", choices=["cpu", "cuda"], help="cpu where the lab runs on it, if left out")
    grade.add_argument("--json", action="store_true", help="print the verdict as JSON")
    grade.add_argument("--sandbox", choices=["auto", "bwrap", "none"], default="auto")
    grade.add_argument("--mode", choices=["submit", "run"], default="submit", help="run: the public cases only")
    grade.set_defaults(run=_grade)

    commands.add_parser("meter", help="meter any training step: python -m grader meter --help")

    check = commands.add_parser("selfcheck", help="play every lab's right and wrong solutions")
    check.add_argument("lab", nargs="?", help="one lab only")
    check.add_argument("--only", help="solutions whose name contains this")
    check.add_argument("--attacks", type=Path, metavar="FOLDER", help="play the attacks below FOLDER too")
    check.set_defaults(run=_selfcheck)

    trade = commands.add_parser("tradeoff", help="meter what a lab's plot of memory against work shows, and write it")
    trade.add_argument("lab", nargs="?", help="one lab only")
    trade.set_defaults(run=_tradeoff)
    return parser


def _list(options: argparse.Namespace) -> int:
    for lab in catalog.all_labs():
        print(f"{lab.slug:24} {lab.tier:8} {', '.join(lab.devices):10} {lab.title}")
    return 0


def _grade(options: argparse.Namespace) -> int:
    try:
        submission = options.file.read_bytes()
        lab = catalog.get(options.lab)
    except OSError as error:
        return _usage(f"{options.file} cannot be read: {error.strerror}")
    except KeyError as error:
        return _usage(str(error.args[0]))
    from grader.judge import grade  # imports torch: a wrong path should not wait for it

    device = options.device or ("cpu" if "cpu" in lab.devices else lab.devices[0])
    try:
        verdict = grade(options.lab, submission, device=device, mode=options.mode, sandbox=options.sandbox)
    except ValueError as error:
        return _usage(str(error))
    print(json.dumps(verdict.to_json(), indent=2) if options.json else text(verdict))
    return {Outcome.PASSED: 0, Outcome.UNGRADABLE: 3}.get(verdict.outcome, 1)


def _selfcheck(options: argparse.Namespace) -> int:
    from grader.selfcheck import play, play_attacks, skipped

    try:
        labs = [catalog.get(options.lab)] if options.lab else catalog.all_labs()
    except KeyError as error:
        return _usage(str(error.args[0]))
    for sentence in filter(None, map(skipped, labs)):
        print(sentence, flush=True)
    series = [play(lab, options.only) for lab in labs if not skipped(lab)]
    if options.attacks:
        series.append(play_attacks(options.attacks, options.only))
    wrong = total = 0
    began = time.monotonic()
    for played in itertools.chain.from_iterable(series):
        total += 1
        wrong += bool(played.complaint)
        seconds = time.monotonic() - began
        failed = ", ".join(check.name for check in played.verdict.checks if not check.passed)
        mark = "ok " if not played.complaint else "BAD"
        print(f"{mark} {played.expectation.name:56} {played.verdict.outcome:14} {seconds:5.1f} s  {failed}", flush=True)
        if played.complaint:
            print(f"    {played.complaint}", flush=True)
        began = time.monotonic()
    print(f"{total} solutions and attacks, {total - wrong} as expected, {wrong} not")
    return 1 if wrong or not total else 0


def _tradeoff(options: argparse.Namespace) -> int:
    from grader.tradeoff import measuring, rows

    try:
        labs = [catalog.get(options.lab)] if options.lab else catalog.all_labs()
    except KeyError as error:
        return _usage(str(error.args[0]))
    found = [lab for lab in labs if measuring.takes_part(lab)]
    if options.lab and not found:
        return _usage(f"{options.lab} has no plot of memory against work: its judge names no SELECTIVE")
    for lab in found:
        for made in measuring.write(lab):
            print(f"{lab.slug}, {made.case}")
            for point, again in rows(made):
                print(f"  {point.words:48} {point.peak_bytes:>15,} bytes  {again:>8.2%} of the work again", flush=True)
    return 0


def text(verdict: Verdict) -> str:
    """Return the verdict for a terminal."""
    lines = [f"{verdict.lab}: {verdict.outcome.replace('_', ' ')}. {verdict.message}", ""]
    for check in verdict.checks:
        mark = "✓" if check.passed else "✗"
        lines.append(
            f"  {mark} {check.title}: expected {_value(check.expected)}, got {_value(check.actual)} {check.unit}"
        )
        if check.hint:
            lines.append(f"      {check.hint}")
    measured = verdict.measurements
    for label, value in (
        ("saved", measured.saved_bytes),
        ("peak", measured.peak_bytes),
        ("plain peak", measured.plain_peak_bytes),
        ("kernel peak", measured.kernel_peak_bytes),
    ):
        if value is not None:
            lines.append(f"  {label:12} {value:>15,} bytes")
    if measured.step_flops is not None:
        lines.append(f"  {'work':12} {measured.step_flops:>15,} FLOPs, {measured.recomputed_flops:,} of them again")
    if verdict.traceback:
        lines += ["", verdict.traceback]
    return "\n".join([*lines, *(f"  {note}" for note in verdict.notes)])


def _value(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _usage(message: str) -> int:
    print(message, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
