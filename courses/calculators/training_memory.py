"""Weights, gradients and optimiser state per device, with ZeRO or FSDP sharding. Rajbhandari et al. 2020, ZeRO."""

from __future__ import annotations

from courses.calculators.contract import Calculator, Field, Figure, Result
from courses.calculators.units import exact, latex, rounded

# Adam in mixed precision keeps an fp32 master copy and two fp32 moments: 12 bytes a parameter.
OPTIMISERS = {"adam-mixed": 12, "adam": 8, "sgd-momentum": 4, "none": 0}

FIELDS = (
    Field(
        "parameters",
        "Parameters",
        "parameters",
        "7.5B",
        "quantity",
        min=1,
        max=1e15,
        help="All of them, for a mixture of experts too: experts that a token skips are stored all the same.",
    ),
    Field(
        "weight_bytes",
        "Bytes per weight",
        "",
        "2",
        "choice",
        choices=(("2", "2: bf16, fp16"), ("4", "4: fp32"), ("1", "1: fp8, int8")),
    ),
    Field(
        "gradient_bytes",
        "Bytes per gradient",
        "",
        "2",
        "choice",
        choices=(("2", "2: bf16, fp16"), ("4", "4: fp32, also accumulated in fp32"), ("0", "0: inference")),
    ),
    Field(
        "optimiser",
        "Optimiser state",
        "",
        "adam-mixed",
        "choice",
        choices=(
            ("adam-mixed", "Adam, mixed precision: fp32 master copy and two moments, 12 bytes"),
            ("adam", "Adam, weights already fp32: two moments, 8 bytes"),
            ("sgd-momentum", "SGD with momentum, 4 bytes"),
            ("none", "None (plain SGD, inference)"),
        ),
    ),
    Field(
        "model_parallel",
        "Tensor × pipeline parallel",
        "devices",
        1,
        "int",
        min=1,
        max=1_000_000,
        help="The number of devices that share one copy of the model.",
    ),
    Field("data_parallel", "Data parallel", "devices", 64, "int", min=1, max=1_000_000),
    Field(
        "shard",
        "Sharded over data parallel",
        "",
        "0",
        "choice",
        choices=(
            ("0", "Nothing (DDP)"),
            ("1", "Optimiser state (ZeRO-1)"),
            ("2", "and gradients (ZeRO-2)"),
            ("3", "and weights (ZeRO-3, FSDP)"),
        ),
    ),
    Field(
        "activations",
        "Activations at the peak",
        "GiB",
        0,
        "quantity",
        min=0,
        max=1e9,
        help="Per device, measured or from the activation calculator.",
    ),
)


def compute(
    *,
    parameters: float,
    weight_bytes: str,
    gradient_bytes: str,
    optimiser: str,
    model_parallel: int,
    data_parallel: int,
    shard: str,
    activations: float,
) -> Result:
    """Return bytes per device by kind, in bytes."""
    stage = int(shard)
    local = parameters / model_parallel

    def held(bytes_each: int, sharded_from: int) -> float:
        return local * bytes_each / (data_parallel if stage >= sharded_from else 1)

    weights = held(int(weight_bytes), 3)
    gradients = held(int(gradient_bytes), 2)
    state = held(OPTIMISERS[optimiser], 1)
    total = weights + gradients + state + activations
    each = int(weight_bytes) + int(gradient_bytes) + OPTIMISERS[optimiser]
    return Result(
        figures=(
            Figure.of("device_bytes", "Per device", _whole(total), "bytes"),
            Figure.of("weights", "Weights per device", _whole(weights), "bytes"),
            Figure.of("gradients", "Gradients per device", _whole(gradients), "bytes"),
            Figure.of("optimiser_state", "Optimiser state per device", _whole(state), "bytes"),
            Figure.of("weights_all", "One copy of the weights", _whole(parameters * int(weight_bytes)), "bytes"),
            Figure.of("bytes_per_parameter", "Bytes per parameter before sharding", each, "bytes"),
        ),
        formula=(
            f"{rounded(local)} parameters a device · ({weight_bytes}{_over(stage, 3, data_parallel)}"
            f" + {gradient_bytes}{_over(stage, 2, data_parallel)}"
            f" + {OPTIMISERS[optimiser]}{_over(stage, 1, data_parallel)})"
            + (f" + {exact(_whole(activations))} bytes of activations" if activations else "")
            + f" = {rounded(total)} bytes"
        ),
        latex=(
            rf"{latex(local)} \cdot ({_latex_share(weight_bytes, stage, 3, data_parallel)}"
            rf" + {_latex_share(gradient_bytes, stage, 2, data_parallel)}"
            rf" + {_latex_share(OPTIMISERS[optimiser], stage, 1, data_parallel)})"
            + (rf" + {latex(activations)}" if activations else "")
            + rf" = {latex(total)}\ \text{{bytes}}"
        ),
        establishes="The bytes that are resident whatever the batch: a floor under the device's peak.",
        to_measure=(
            "Activations and their peak, gathered weights and reduced gradients in flight (ZeRO-3 holds a layer or two "
            "whole), communication buffers, fragmentation, and what the context and libraries take."
        ),
        convention=(
            f"{each} bytes a parameter before sharding. ZeRO's bookkeeping for Adam is 16: weights and gradients in "
            "16 bit, master copy and moments in fp32."
        ),
    )


def _over(stage: int, sharded_from: int, data_parallel: int) -> str:
    return f"/{exact(data_parallel)}" if stage >= sharded_from and data_parallel > 1 else ""


def _latex_share(each: int | str, stage: int, sharded_from: int, data_parallel: int) -> str:
    return rf"\frac{{{each}}}{{{data_parallel}}}" if stage >= sharded_from and data_parallel > 1 else str(each)


def _whole(value: float) -> float:
    return int(value) if value == int(value) else value


CALCULATOR = Calculator(
    "training-memory",
    "Training memory per device",
    "Weights, gradients and optimiser state, sharded or not.",
    FIELDS,
    compute,
)
