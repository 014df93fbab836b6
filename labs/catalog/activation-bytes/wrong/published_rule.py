# outcome: failed
# failing: plain, half-precision, heads, mlp-width, fused, dropout, gated, checkpoint-attention, checkpoint-block, everything
"""sbh(34 + 5as/h) as it is printed, whatever the configuration."""


def saved_bytes(config):
    s, b, h, a = config["sequence"], config["batch"], config["hidden"], config["heads"]
    return int(config["layers"] * s * b * h * (34 + 5 * a * s / h))
