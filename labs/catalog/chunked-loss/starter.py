"""The loss of a language model's head, without the logits ever existing whole."""

import torch.nn.functional as F

IGNORED = -100


def loss(hidden_BTD, weight_VD, targets_BT):
    # This runs and gives the right value and gradients, but one tensor here has B·T·V elements, and autograd makes
    # two more like it. Which of them does the mean really need at the same time?
    logits_NV = F.linear(hidden_BTD.reshape(-1, hidden_BTD.shape[-1]), weight_VD).float()
    targets_N = targets_BT.reshape(-1)
    kept = (targets_N != IGNORED).sum().clamp(min=1)
    return F.cross_entropy(logits_NV, targets_N, ignore_index=IGNORED, reduction="sum") / kept
