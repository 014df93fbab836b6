"""Slices of the vocabulary instead of slices of the batch: a running maximum and sum give the log-sum-exp of every
position in one pass; backward goes over the slices again with it."""

import torch

SLICE = 1024


class _Loss(torch.autograd.Function):
    @staticmethod
    def forward(ctx, hidden, weight, targets):
        rows = hidden.reshape(-1, hidden.shape[-1])
        labels = targets.reshape(-1)
        keep = labels != -100
        safe = labels.where(keep, torch.zeros_like(labels))
        top = torch.full((len(rows),), -float("inf"), device=hidden.device)
        norm = torch.zeros_like(top)
        picked = torch.zeros_like(top)
        for start in range(0, len(weight), SLICE):
            logits = torch.nn.functional.linear(rows, weight[start : start + SLICE]).float()
            new = torch.maximum(top, logits.amax(1))
            inside = (safe >= start) & (safe < start + SLICE)
            where = (safe - start).clamp(0, logits.shape[1] - 1)
            picked += logits.gather(1, where[:, None])[:, 0] * inside
            norm = norm * (top - new).exp() + logits.sub_(new[:, None]).exp_().sum(1)
            top = new
        lse = top + norm.log()
        count = keep.sum().clamp(min=1)
        ctx.save_for_backward(hidden, weight, safe, keep, lse, count)
        return ((lse - picked) * keep).sum() / count

    @staticmethod
    def backward(ctx, upstream):
        hidden, weight, safe, keep, lse, count = ctx.saved_tensors
        rows = hidden.reshape(-1, hidden.shape[-1])
        scale = (upstream / count) * keep
        grad_rows = torch.zeros(rows.shape, device=rows.device)
        grad_weight = torch.empty_like(weight)
        for start in range(0, len(weight), SLICE):
            part = weight[start : start + SLICE]
            error = torch.nn.functional.linear(rows, part).float()
            error.sub_(lse[:, None]).exp_()
            inside = ((safe >= start) & (safe < start + SLICE)).nonzero()[:, 0]
            error[inside, safe[inside] - start] -= 1
            error *= scale[:, None]
            error = error.to(weight.dtype)
            grad_rows += error @ part
            grad_weight[start : start + SLICE] = error.t() @ rows
        return grad_rows.to(hidden.dtype).view(hidden.shape), grad_weight, None


def loss(hidden_BTD, weight_VD, targets_BT):
    return _Loss.apply(hidden_BTD, weight_VD, targets_BT)
