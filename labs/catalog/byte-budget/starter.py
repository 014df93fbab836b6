"""Run a chain of blocks within a budget of bytes, at the least recomputed work."""


def forward(blocks, x, budget_bytes, profile):
    # This runs, and gives the right gradients, but keeps everything whatever the budget says.
    # harness.predicted_peak(profile, parts) says what a plan needs, before anything runs:
    #
    #     from harness import predicted_peak
    #     predicted_peak(profile, [(0, 1, False), (1, 3, True), (3, 4, False)])   # keep 0, replay 1 and 2, keep 3
    #
    # First find the best plan (and raise ValueError if there is none), then run the blocks as it says.
    for block in blocks:
        x = block(x)
    return x
