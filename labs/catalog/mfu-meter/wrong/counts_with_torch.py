# outcome: failed
# failing: written-yourself
"""Lets torch count what is recomputed, where the lab asks for the formula."""
import harness
import torch
from torch.utils.flop_counter import FlopCounterMode


def _count(config, recompute):
    step = harness.training_step(config | {"layers": 1}, recompute, batch=1)
    two = harness.training_step(config | {"layers": 2}, recompute, batch=1)
    flops = []
    for program in (step, two):
        with FlopCounterMode(display=False) as counter:
            for _, phase in program.phases:
                phase()
        flops.append(counter.get_total_flops())
    return (flops[0] + (config["layers"] - 1) * (flops[1] - flops[0])) / config["sequence"]


def _by_hand(config):
    wide, kv = config["heads"] * config["head_dim"], config["kv_heads"] * config["head_dim"]
    mlp = (3 if config["gated"] else 2) * config["hidden"] * config["ff"]
    if config["experts"]:
        mlp = config["top_k"] * mlp + config["hidden"] * config["experts"]
    layer = 2 * config["hidden"] * (wide + kv) + mlp + 2 * wide * config["sequence"]
    return 6 * (config["layers"] * layer + config["hidden"] * config["vocabulary"])


def model_flops_per_token(config):
    return _by_hand(config)


def _rate(config, run, device):
    tokens = run.get("tokens_per_second_per_device") or run.get("tokens_per_second", 0) / run["devices"]
    if "step_seconds" in run:
        sequences = run["replicas"] * run["micro_batch"] * run["accumulation"]
        tokens = sequences * config["sequence"] / run["step_seconds"] / run["devices"]
    return tokens * (1 + device["with_sparsity"]) / device["bf16_flops"]


def mfu(config, run, device):
    return model_flops_per_token(config) * _rate(config, run, device)


def hfu(config, run, device):
    return _count(config, run["recompute"]) * _rate(config, run, device)
