# outcome: failed
# failing: mlp-width, gated, everything
"""Takes the MLP's width for granted."""

SIZE = {"float32": 4, "bfloat16": 2}


def saved_bytes(config):
    size, tokens, hidden = SIZE[config["dtype"]], config["batch"] * config["sequence"], config["hidden"]
    dropout = config["dropout"] > 0
    if config["checkpoint"] == "block":
        return config["layers"] * tokens * hidden * size

    # The output of the block (the input of the next), the residual between its halves, two norms' outputs,
    # Q, K and V, the context that the projection reads.
    elements = 8 * hidden
    # The activation's input and output; with a gate the activation's input, its output, up and the product.
    elements += (4 if config["gated"] else 2) * 4 * hidden
    masks = 2 * hidden if dropout else 0
    if config["attention"] == "materialised" and config["checkpoint"] == "none":
        weights = config["heads"] * config["sequence"]
        elements += weights  # the softmax's output
        if dropout:
            masks += weights
            elements += weights  # the weights that multiply V
    return config["layers"] * tokens * (elements * size + masks)
