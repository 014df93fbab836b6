"""sbh(34 + 5as/h), taken apart: which of the 34 and of the 5 are elements, which are masks, which belong to the MLP."""


def saved_bytes(config):
    s, b, h, a, ff = (config[key] for key in ("sequence", "batch", "hidden", "heads", "ff"))
    e = 2 if config["dtype"] == "bfloat16" else 4
    p = 1 if config["dropout"] else 0

    attention = s * b * h * (5 * e + p)  # 11 = 5 · 2 + 1
    scores = s * b * a * s * (e + p * (e + 1))  # 5 = 2 + 1 + 2
    mlp = s * b * (e * h + (4 if config["gated"] else 2) * e * ff + p * h)  # 19 = 2 + 4 · 2 · 2 + 1
    norms = 2 * s * b * h * e  # 4: the inputs of two norms

    match config["checkpoint"], config["attention"]:
        case "block", _:
            per_block = s * b * h * e
        case ("attention", _) | (_, "fused"):
            per_block = attention + mlp + norms
        case _:
            per_block = attention + scores + mlp + norms
    # A block's input is the output of the one before; the first one's was there, the last one's is held.
    return per_block * config["layers"]
