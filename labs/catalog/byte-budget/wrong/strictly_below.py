# outcome: failed
# failing: possible-budgets, ample-budget
"""Wants the peak below the budget, where equal is enough: refuses what is just possible."""
from torch.utils.checkpoint import checkpoint


def plan(profile, budget):
    """Labels (kept bytes, recomputed FLOPs, parts) at each cut; a label that another beats in both is dropped."""
    table = [[] for _ in range(len(profile) + 1)]
    table[0] = [(0, 0, ())]
    for i in range(len(profile)):
        least = None
        for kept, work, parts in sorted(table[i]):
            if least is not None and work >= least:
                continue
            least = work
            inside, flops = kept, 0
            for j in range(i, len(profile)):
                block = profile[j]
                if inside + block.saved_bytes + block.output_bytes + block.workspace_bytes >= budget:
                    break
                inside += block.saved_bytes + block.output_bytes
                flops += block.forward_flops
                if j == i:
                    table[j + 1].append((inside, work, (*parts, (i, j + 1, False))))
                table[j + 1].append((kept + block.output_bytes, work + flops, (*parts, (i, j + 1, True))))
    if not table[-1]:
        raise ValueError(f"no plan keeps {budget:,} bytes")
    return min(table[-1], key=lambda label: label[1])[2]


def sequence(blocks):
    def run(x):
        for block in blocks:
            x = block(x)
        return x

    return run


def execute(blocks, x, parts):
    for first, end, replay in parts:
        run = sequence(blocks[first:end])
        x = checkpoint(run, x, use_reentrant=False) if replay else run(x)
    return x


def forward(blocks, x, budget_bytes, profile):
    return execute(blocks, x, plan(profile, budget_bytes))
