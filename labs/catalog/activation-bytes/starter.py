"""Say how many bytes a stack of transformer blocks keeps for backward, before anything runs."""


def saved_bytes(config):
    # The published rule for 16-bit elements, dropout on, scores written out and an MLP four times as wide:
    # sequence · batch · hidden · (34 + 5 · heads · sequence / hidden) bytes a block (Korthikanti et al. 2022).
    # Which of its terms change with the configuration? Walk through `Block` and ask of each line what backward reads.
    s, b, h, a = config["sequence"], config["batch"], config["hidden"], config["heads"]
    return config["layers"] * s * b * h * (34 + 5 * a * s / h)
