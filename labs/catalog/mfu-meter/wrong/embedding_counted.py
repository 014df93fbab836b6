# outcome: failed
# failing: dense, grouped-query, gated, experts, head-dimension
"""6N with every parameter in N: where the embedding is a matrix of its own, its look-up is counted as a product."""


def _layer(c):
    """Forward FLOPs per token of one layer, the attention core apart."""
    width, kv_width = c["heads"] * c["head_dim"], c["kv_heads"] * c["head_dim"]
    attention = 2 * c["hidden"] * width + 2 * c["hidden"] * kv_width
    mlp = (3 if c["gated"] else 2) * c["hidden"] * c["ff"]
    if c["experts"]:
        mlp = c["top_k"] * mlp + c["hidden"] * c["experts"]
    return 2 * (attention + mlp)


def _core(c):
    """Forward FLOPs per token of scores and weighted sum in one layer."""
    return 4 * c["heads"] * c["head_dim"] * c["sequence"]


def model_flops_per_token(config):
    layers = config["layers"] * (_layer(config) + _core(config))
    return 3 * (layers + 2 * config["hidden"] * config["vocabulary"] * (1 if config["tied"] else 2))


def _device_rate(config, run):
    if "tokens_per_second_per_device" in run:
        return run["tokens_per_second_per_device"]
    if "tokens_per_second" in run:
        return run["tokens_per_second"] / run["devices"]
    sequences = run["replicas"] * run["micro_batch"] * run["accumulation"]
    return sequences * config["sequence"] / run["step_seconds"] / run["devices"]


def _peak(device):
    return device["bf16_flops"] / (2 if device["with_sparsity"] else 1)


def mfu(config, run, device):
    return _device_rate(config, run) * model_flops_per_token(config) / _peak(device)


def hfu(config, run, device):
    replayed = {
        "none": 0,
        "attention": config["layers"] * _core(config),
        "full": config["layers"] * (_layer(config) + _core(config)),
    }[run["recompute"]]
    return _device_rate(config, run) * (model_flops_per_token(config) + replayed) / _peak(device)
