"""A Function for the core that keeps queries, keys, values, the output and one number a row; backward makes the weights
again from them, as a fused kernel does, with the dropout mask drawn again from its own seed."""

import torch


class _Core(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, mask, p):
        ctx.scale, ctx.p = q.shape[-1] ** -0.5, p
        scores = (q @ k.transpose(-2, -1)).mul_(ctx.scale)
        if mask is not None:
            scores.masked_fill_(~mask, float("-inf"))
        lse = torch.logsumexp(scores.float(), dim=-1, keepdim=True)
        weights = torch.softmax(scores.float() if torch.is_autocast_enabled(q.device.type) else scores, dim=-1)
        del scores
        ctx.rng = torch.get_rng_state()
        if p:
            weights = torch.nn.functional.dropout(weights, p)
        ctx.save_for_backward(q, k, v, mask, lse)
        ctx.dtype = weights.dtype
        return weights.to(v.dtype) @ v

    @staticmethod
    def backward(ctx, grad):
        q, k, v, mask, lse = ctx.saved_tensors
        weights = (q @ k.transpose(-2, -1)).mul_(ctx.scale)
        if mask is not None:
            weights.masked_fill_(~mask, float("-inf"))
        weights = weights.float().sub_(lse).exp_()
        if ctx.p:
            here = torch.get_rng_state()
            torch.set_rng_state(ctx.rng)
            keep = torch.nn.functional.dropout(torch.ones_like(weights), ctx.p)
            torch.set_rng_state(here)
        dropped = weights * keep if ctx.p else weights
        grad_v = dropped.to(v.dtype).transpose(-2, -1) @ grad
        del dropped
        grad_w = (grad @ v.transpose(-2, -1)).to(weights.dtype)
        if ctx.p:
            grad_w.mul_(keep)
            del keep
        grad_w.sub_((grad_w * weights).sum(-1, keepdim=True)).mul_(weights)
        del weights
        grad_w = (grad_w * ctx.scale).to(q.dtype)
        return grad_w @ k, grad_w.transpose(-2, -1) @ q, grad_v, None, None


def forward(blocks, x_BLD):
    for block in blocks:
        attention = block.attention
        q, k, v = attention.split(block.norm1(x_BLD))
        out = _Core.apply(q, k, v, attention.mask, attention.dropout if attention.training else 0.0)
        x_BLD = x_BLD + attention.merge(out)
        x_BLD = x_BLD + block.mlp(block.norm2(x_BLD))
    return x_BLD
