# outcome: failed
# failing: recomputed-work
"""Right, and small, but backward makes each chunk's logits twice: once for each of its two gradients."""
import torch


class Loss(torch.autograd.Function):
    @staticmethod
    def error(h, weight, t, count):
        kept = (t != -100).float()
        label = t.clamp(min=0)[:, None]
        p = torch.softmax((h @ weight.t()).float(), dim=1)
        p.scatter_add_(1, label, -torch.ones_like(label, dtype=torch.float32))
        return (p * (kept / count)[:, None]).to(weight.dtype)

    @staticmethod
    def forward(ctx, hidden, weight, targets):
        rows, labels = hidden.reshape(-1, hidden.shape[-1]), targets.reshape(-1)
        ctx.count = (labels != -100).sum().clamp(min=1)
        ctx.save_for_backward(hidden, weight, targets)
        total = torch.zeros(())
        for h, t in zip(rows.split(64), labels.split(64)):
            total += torch.nn.functional.cross_entropy((h @ weight.t()).float(), t, ignore_index=-100, reduction="sum")
        return total / ctx.count

    @staticmethod
    def backward(ctx, upstream):
        hidden, weight, targets = ctx.saved_tensors
        rows, labels = hidden.reshape(-1, hidden.shape[-1]), targets.reshape(-1)
        pairs = list(zip(rows.split(64), labels.split(64)))
        grad_rows = torch.cat([Loss.error(h, weight, t, ctx.count) @ weight for h, t in pairs])
        grad_weight = torch.zeros_like(weight)
        for h, t in pairs:
            grad_weight += Loss.error(h, weight, t, ctx.count).t() @ h
        return grad_rows.view(hidden.shape) * upstream, grad_weight * upstream, None


def loss(hidden, weight, targets):
    return Loss.apply(hidden, weight, targets)
