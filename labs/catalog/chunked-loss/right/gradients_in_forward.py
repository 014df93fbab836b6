"""A Function that leaves nothing for backward to compute: gradients are made chunk by chunk while the chunk's softmax
is there, kept instead of it, and only scaled in backward."""

import torch


class _Loss(torch.autograd.Function):
    @staticmethod
    def forward(ctx, hidden, weight, targets):
        flat, labels = hidden.reshape(-1, hidden.shape[-1]), targets.reshape(-1)
        count = max(int((labels != -100).sum()), 1)
        total = torch.zeros((), device=hidden.device)
        need_hidden, need_weight, _ = ctx.needs_input_grad
        grad_hidden = torch.zeros_like(flat) if need_hidden else None
        grad_weight = torch.zeros(weight.shape, device=weight.device, dtype=torch.float32) if need_weight else None
        for start in range(0, len(flat), 128):
            chunk, label = flat[start : start + 128], labels[start : start + 128]
            keep = label != -100
            if not keep.any():
                continue
            rows = keep.nonzero().squeeze(1)
            chunk, label = chunk[rows], label[rows]
            logits = (chunk @ weight.t()).float()
            logits -= logits.amax(dim=1, keepdim=True)
            picked = logits.gather(1, label[:, None])
            probability = logits.exp_()
            norm = probability.sum(dim=1, keepdim=True)
            total += (norm.log() - picked).sum()
            if not (need_hidden or need_weight):
                continue
            probability /= norm
            probability.scatter_add_(1, label[:, None], torch.full_like(picked, -1.0))
            probability /= count
            probability = probability.to(weight.dtype)
            if need_hidden:
                grad_hidden[start + rows] = probability @ weight
            if need_weight:
                if weight.dtype is torch.float32:
                    grad_weight.addmm_(probability.t(), chunk)
                else:
                    grad_weight += probability.t() @ chunk
        ctx.kept = (
            None if grad_hidden is None else grad_hidden.view(hidden.shape),
            None if grad_weight is None else grad_weight.to(weight.dtype),
        )
        return total / count

    @staticmethod
    def backward(ctx, upstream):
        hidden, weight = ctx.kept
        return (None if hidden is None else hidden * upstream), (None if weight is None else weight * upstream), None


def loss(hidden_BTD, weight_VD, targets_BT):
    return _Loss.apply(hidden_BTD, weight_VD, targets_BT)
