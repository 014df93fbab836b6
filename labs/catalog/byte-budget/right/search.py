"""Depth-first search over all plans that stops where the best found so far cannot be beaten;
an autograd.Function for each replayed segment, which holds the segment's output during its backward."""
import torch


class Segment(torch.autograd.Function):
    @staticmethod
    def forward(ctx, blocks, x, *parameters):
        ctx.blocks = blocks
        ctx.save_for_backward(x)
        for block in blocks:
            x = block(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        x = ctx.saved_tensors[0].detach().requires_grad_()
        with torch.enable_grad():
            y = x
            for block in ctx.blocks:
                y = block(y)
        return None, *torch.autograd.grad(y, [x, *ctx.blocks.parameters()], grad)


def search(profile, budget):
    n = len(profile)
    best, seen = [float("inf"), None], {}

    def visit(i, kept, work, parts):
        if work >= best[0] or any(k <= kept and w <= work for k, w in seen.get(i, ())):
            return
        seen.setdefault(i, []).append((kept, work))
        if i == n:
            best[:] = work, parts
            return
        ends, inside = [], kept
        for j in range(i, n):
            if inside + profile[j].saved_bytes + profile[j].output_bytes + profile[j].workspace_bytes > budget:
                break
            inside += profile[j].saved_bytes + profile[j].output_bytes
            ends.append(j + 1)
        for end in ends:
            if end == i + 1:
                block = profile[i]
                visit(end, kept + block.saved_bytes + block.output_bytes, work, [*parts, (i, end, False)])
            flops = sum(block.forward_flops for block in profile[i:end])
            visit(end, kept + profile[end - 1].output_bytes, work + flops, [*parts, (i, end, True)])

    visit(0, 0, 0, [])
    if best[1] is None:
        raise ValueError("the budget is below what any plan needs")
    return best[1]


def forward(blocks, x, budget_bytes, profile):
    for first, end, replay in search(profile, budget_bytes):
        segment = blocks[first:end]
        if replay:
            x = Segment.apply(segment, x, *segment.parameters())
        else:
            for block in segment:
                x = block(x)
    return x
