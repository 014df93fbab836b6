"""Say how much of the hardware a training run uses: FLOPs per token, MFU, HFU."""


def model_flops_per_token(config):
    # The rule of thumb for a dense model: 6 FLOPs per parameter and token, 12·hidden² parameters a layer.
    # Which products does `Model` in the harness compute that this leaves out, and which does it get wrong?
    return 6 * 12 * config["layers"] * config["hidden"] ** 2


def mfu(config, run, device):
    # This reads one kind of log line only, and believes the data sheet.
    rate = run.get("tokens_per_second", 0.0) / run["devices"]
    return rate * model_flops_per_token(config) / device["bf16_flops"]


def hfu(config, run, device):
    # What is computed a second time counts here, and only here.
    return mfu(config, run, device)
