# outcome: crashed
# failing: arguments, outputs, frozen-input, autograd-grad, two-updates
"""The textbook autograd.Function: tensor arguments only, gradients by .backward() inside."""
import torch


class _Checkpoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, function, *args):
        ctx.function = function
        ctx.rng = torch.get_rng_state()
        ctx.amp = torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")
        ctx.save_for_backward(*args)
        with torch.no_grad():
            return function(*args)

    @staticmethod
    def backward(ctx, *grads):
        inputs = [t.detach().requires_grad_(t.requires_grad) for t in ctx.saved_tensors]
        with torch.random.fork_rng(devices=[]), torch.enable_grad(), torch.autocast("cpu", ctx.amp[1], ctx.amp[0]):
            torch.set_rng_state(ctx.rng)
            output = ctx.function(*inputs)
        torch.autograd.backward(output, grads)
        return None, *[t.grad for t in inputs]


def checkpoint(function, *args):
    return _Checkpoint.apply(function, *args)
