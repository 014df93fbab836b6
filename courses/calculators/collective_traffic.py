"""What a collective sends and how long it takes: steps · latency + bytes / bandwidth.

Ring volumes: Patarasuk and Yuan 2009, Bandwidth optimal all-reduce algorithms. The tree is the pair of binary trees of
Sanders, Speck and Träff 2009, which moves as many bytes as the ring in 2 · log2 N steps instead of 2(N - 1).
"""

from __future__ import annotations

from courses.calculators.contract import Calculator, Field, Figure, InputError, Result
from courses.calculators.units import exact, latex, rounded, show

OPERATIONS = (
    ("all-reduce", "All-reduce: all end with the sum"),
    ("reduce-scatter", "Reduce-scatter: each ends with its share of the sum"),
    ("all-gather", "All-gather: each ends with all shares"),
    ("all-to-all", "All-to-all: each has a share for each"),
)

FIELDS = (
    Field("operation", "Operation", "", "all-reduce", "choice", choices=OPERATIONS),
    Field("devices", "Devices N", "devices", 8, "int", min=1, max=10_000_000),
    Field(
        "buffer",
        "Whole buffer S",
        "GB",
        1,
        "quantity",
        min=1e-9,
        max=1e9,
        help="The full tensor: what a device ends with in an all-gather, what it begins with in the others.",
    ),
    Field("bandwidth", "Rate a device and direction", "GB/s", 450, "quantity", min=1e-6, max=1e6),
    Field("latency", "Latency of a step", "us", 5, "quantity", min=0, max=1e6),
    Field(
        "algorithm",
        "Algorithm",
        "",
        "ring",
        "choice",
        choices=(("ring", "Ring (direct sends, for all-to-all)"), ("tree", "Double binary tree (all-reduce)")),
    ),
)


def compute(*, operation: str, devices: int, buffer: float, bandwidth: float, latency: float, algorithm: str) -> Result:
    """Return bytes sent by each device, in bytes, and the time, in seconds. Raises InputError."""
    if algorithm == "tree" and operation != "all-reduce":
        raise InputError({"algorithm": "The tree here is one for all-reduce: choose the ring for the others."})
    passes = 2 if operation == "all-reduce" else 1
    sent = passes * buffer * (devices - 1) / devices
    steps = passes * (devices - 1 if algorithm == "ring" else (devices - 1).bit_length())
    waiting, moving = steps * latency, sent / bandwidth
    seconds = waiting + moving
    factor = f"{passes if passes > 1 else ''}{' · ' if passes > 1 else ''}{exact(devices - 1)}/{exact(devices)}"
    return Result(
        figures=(
            Figure.of("sent_bytes", "Sent by each device", _whole(sent), "bytes"),
            Figure.of("seconds", "Time", seconds, "s"),
            Figure.of("bandwidth_seconds", "Of it, bytes over bandwidth", moving, "s"),
            Figure.of("latency_seconds", "Of it, latency", waiting, "s"),
            Figure.of("steps", "Steps one after another", steps, "steps"),
            Figure.of("share_of_buffer", "Sent by each, in buffers", sent / buffer, "buffers"),
            Figure.of("total_bytes", "Sent by all", _whole(sent * devices), "bytes"),
            Figure.of("bus_bandwidth", "Bus bandwidth", sent / seconds if seconds else 0, "bytes/s"),
            Figure.of(
                "half_rate_bytes",
                "Buffer at which latency is half the time",
                _half(steps, latency, bandwidth, sent / buffer),
                "bytes",
            ),
        ),
        formula=(
            f"{factor} · {exact(_whole(buffer))} bytes = {rounded(sent)} bytes; {exact(steps)} steps · "
            f"{show(latency, 's')} + {rounded(sent)} / {show(bandwidth, 'bytes/s')} = {show(seconds, 's')}"
        ),
        latex=(
            rf"{steps} \cdot {latency * 1e6:.4g}\ \text{{µs}} + \frac{{{latex(sent)}}}{{{latex(bandwidth)}}}"
            rf"\ \text{{s}} = {seconds * 1000:.4g}\ \text{{ms}}"
        ),
        establishes=(
            "The bytes are exact for this algorithm, and no all-reduce, reduce-scatter or all-gather sends fewer on "
            "average where switches do not add up. The time is a lower bound at this rate and latency."
        ),
        to_measure=(
            "The rate at this message size between these devices, with the other groups' traffic running: a slowest "
            "link sets a ring's pace. How much is hidden under computation is a matter of the schedule."
        ),
        convention=(
            "Every device sends and receives at once at the stated rate: a link sold by the sum of both directions "
            "counts half. Bus bandwidth as collective benchmarks print it: bytes sent by each over time. All-to-all "
            "goes through a switch; on a physical ring without one its bytes pass through the devices between."
        ),
    )


def _half(steps: int, latency: float, bandwidth: float, share: float) -> float:
    return steps * latency * bandwidth / share if share else 0


def _whole(value: float) -> float:
    return int(value) if value == int(value) else value


CALCULATOR = Calculator(
    "collective-traffic",
    "Traffic and time of a collective",
    "Bytes a device sends and seconds it takes, for all-reduce, reduce-scatter, all-gather and all-to-all.",
    FIELDS,
    compute,
)
