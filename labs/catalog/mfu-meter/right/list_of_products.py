"""Lists every matrix product of a whole sequence as (rows, inner, columns, how often, where) and adds them up."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Product:
    rows: int
    inner: int
    columns: int
    place: str  # "projection", "core", "head"
    times: int = 1

    def flops(self):
        return 2 * self.rows * self.inner * self.columns * self.times


def _products(c):
    T, D, Q = c["sequence"], c["hidden"], c["head_dim"]
    for _ in range(c["layers"]):
        yield Product(T, D, c["heads"] * Q, "projection")
        yield Product(T, D, c["kv_heads"] * Q, "projection", times=2)
        yield Product(T, Q, T, "core", times=c["heads"])
        yield Product(T, T, Q, "core", times=c["heads"])
        yield Product(T, c["heads"] * Q, D, "projection")
        if c["experts"]:
            yield Product(T, D, c["experts"], "projection")
        matrices = 3 if c["gated"] else 2
        yield Product(T, D, c["ff"], "projection", times=matrices * (c["top_k"] if c["experts"] else 1))
    yield Product(T, D, c["vocabulary"], "head")


def _hardware_per_token(config, recompute):
    again = {"none": (), "attention": ("core",), "full": ("core", "projection")}[recompute]
    flops = sum(p.flops() * (4 if p.place in again else 3) for p in _products(config))
    return Fraction(flops, config["sequence"])


def model_flops_per_token(config):
    return _hardware_per_token(config, "none")


def _seconds_and_tokens(config, run):
    """Seconds, and the tokens that all devices together trained on in them."""
    if "step_seconds" in run:
        sequences = run["accumulation"] * run["micro_batch"] * run["replicas"]
        return run["step_seconds"], sequences * config["sequence"]
    if "tokens_per_second" in run:
        return 1.0, run["tokens_per_second"]
    return 1.0, run["tokens_per_second_per_device"] * run["devices"]


def _utilisation(config, run, device, recompute):
    seconds, tokens = _seconds_and_tokens(config, run)
    could = run["devices"] * device["bf16_flops"] * seconds / (1 + device["with_sparsity"])
    return float(_hardware_per_token(config, recompute)) * tokens / could


def mfu(config, run, device):
    return _utilisation(config, run, device, "none")


def hfu(config, run, device):
    return _utilisation(config, run, device, run["recompute"])
