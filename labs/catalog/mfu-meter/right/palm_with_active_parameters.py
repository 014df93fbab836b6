"""PaLM's way: 6 · N + 12 · L · H · Q · T, with N the parameters of the matrices that a token is multiplied with."""


def _parameters(c):
    """Weights of all matrices that one token meets: N without the input embedding, with top_k experts, with the head."""
    per_layer = {
        "query": c["hidden"] * c["heads"] * c["head_dim"],
        "key": c["hidden"] * c["kv_heads"] * c["head_dim"],
        "value": c["hidden"] * c["kv_heads"] * c["head_dim"],
        "output": c["heads"] * c["head_dim"] * c["hidden"],
    }
    at_work = c["top_k"] if c["experts"] else 1
    names = ["up", "down"] + ["gate"] * c["gated"]
    for expert in range(at_work):
        for name in names:
            per_layer[f"{name} of expert {expert}"] = c["hidden"] * c["ff"]
    per_layer["router"] = c["hidden"] * c["experts"]
    return c["layers"] * sum(per_layer.values()), c["vocabulary"] * c["hidden"]


def _attention(c):
    return 12 * c["layers"] * c["heads"] * c["head_dim"] * c["sequence"]


def model_flops_per_token(config):
    body, head = _parameters(config)
    return 6 * (body + head) + _attention(config)


def mfu(config, run, device):
    return _share_of_peak(model_flops_per_token(config), config, run, device)


def hfu(config, run, device):
    body, _ = _parameters(config)
    flops = model_flops_per_token(config)
    if run["recompute"] in ("attention", "full"):
        flops += _attention(config) / 3
    if run["recompute"] == "full":
        flops += 2 * body
    return _share_of_peak(flops, config, run, device)


def _share_of_peak(flops_per_token, config, run, device):
    match run:
        case {"tokens_per_second_per_device": rate}:
            pass
        case {"tokens_per_second": job, "devices": devices}:
            rate = job / devices
        case {"step_seconds": seconds, "replicas": r, "micro_batch": b, "accumulation": a, "devices": devices}:
            rate = r * b * a * config["sequence"] / (seconds * devices)
    dense = device["bf16_flops"] * (0.5 if device["with_sparsity"] else 1.0)
    return flops_per_token * rate / dense
