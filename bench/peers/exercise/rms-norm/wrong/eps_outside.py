# outcome: failed
# failing: zeros
"""Adds eps after the root: a row of zeros gets NaN for a gradient."""


def rms_norm(x, weight, eps):
    return weight * x / ((x * x).mean(-1, keepdim=True).sqrt() + eps)
