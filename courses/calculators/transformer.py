"""FLOPs and bytes of a dense transformer: the published formulas, each with its source, as functions of plain numbers.

Symbols: B sequences a step, L layers, s tokens a sequence, h width, v vocabulary, a heads, b micro-batch.
"""

from __future__ import annotations


def megatron_bracket(sequence: int, hidden: int, layers: int, vocabulary: int, attention: float) -> float:
    """1 + attention·s/h + v/(12·h·L): the bracket of Korthikanti et al. 2022, with the attention term's weight."""
    return 1 + attention * sequence / hidden + vocabulary / (12 * hidden * layers)


def megatron_model_flops(batch: int, layers: int, sequence: int, hidden: int, vocabulary: int) -> float:
    """Model FLOPs of one step, 72·B·L·s·h²·(1 + s/(6h) + v/(12hL)). Korthikanti et al. 2022, arXiv 2205.05198."""
    bracket = megatron_bracket(sequence, hidden, layers, vocabulary, 1 / 6)
    return 72 * batch * layers * sequence * hidden**2 * bracket


def megatron_selective_hardware_flops(
    batch: int, layers: int, sequence: int, hidden: int, vocabulary: int, *, published: bool
) -> float:
    """Hardware FLOPs of one step with the attention core recomputed.

    `published` uses the paper's s/(3h); otherwise one more forward of the attention core, 4·B·L·s²·h, which makes the
    term s/(4.5h). The paper's HFU column comes out with the published form only.
    """
    bracket = megatron_bracket(sequence, hidden, layers, vocabulary, 1 / 3 if published else 1 / 4.5)
    return 72 * batch * layers * sequence * hidden**2 * bracket


def megatron_full_recompute_flops(batch: int, layers: int, sequence: int, hidden: int, vocabulary: int) -> float:
    """FLOPs of one step with every layer replayed, 96·B·L·s·h²·(1 + s/(6h) + v/(16Lh)).

    Four forward-equivalents for the layers and three for the logits, which are not replayed. Narayanan et al. 2021.
    """
    bracket = 1 + sequence / (6 * hidden) + vocabulary / (16 * layers * hidden)
    return 96 * batch * layers * sequence * hidden**2 * bracket


def dense_parameters(layers: int, hidden: int, vocabulary: int, sequence: int) -> float:
    """12·L·h²·(1 + 13/(12h) + (v + s)/(12·L·h)): GPT with d_ff = 4h and learned positions. Narayanan et al. 2021."""
    return 12 * layers * hidden**2 * (1 + 13 / (12 * hidden) + (vocabulary + sequence) / (12 * layers * hidden))
