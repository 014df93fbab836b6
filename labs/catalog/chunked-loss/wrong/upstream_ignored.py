# outcome: failed
# failing: upstream
"""Makes the gradients in forward and returns them as they are, whatever arrives in backward."""
import torch


class Loss(torch.autograd.Function):
    @staticmethod
    def forward(ctx, hidden, weight, targets):
        rows, labels = hidden.reshape(-1, hidden.shape[-1]), targets.reshape(-1)
        count = (labels != -100).sum().clamp(min=1)
        total = torch.zeros(())
        grad_rows, grad_weight = torch.zeros_like(rows), torch.zeros_like(weight)
        for start in range(0, len(labels), 64):
            h, t = rows[start : start + 64], labels[start : start + 64]
            kept = (t != -100).float()
            log_p = torch.log_softmax((h @ weight.t()).float(), dim=1)
            label = t.clamp(min=0)[:, None]
            total -= (log_p.gather(1, label)[:, 0] * kept).sum()
            error = log_p.exp_().scatter_add_(1, label, -torch.ones_like(label, dtype=torch.float32))
            error = (error * (kept / count)[:, None]).to(weight.dtype)
            grad_rows[start : start + 64] = error @ weight
            grad_weight += error.t() @ h
        ctx.save_for_backward(grad_rows.view(hidden.shape), grad_weight)
        return total / count

    @staticmethod
    def backward(ctx, upstream):
        return *ctx.saved_tensors, None


def loss(hidden, weight, targets):
    return Loss.apply(hidden, weight, targets)
