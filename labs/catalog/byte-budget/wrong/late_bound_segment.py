# outcome: crashed
# failing: gradients, within-budget
"""The function made in the loop looks its segment up when it runs: replays run the wrong blocks."""
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
                if inside + block.saved_bytes + block.output_bytes + block.workspace_bytes > budget:
                    break
                inside += block.saved_bytes + block.output_bytes
                flops += block.forward_flops
                if j == i:
                    table[j + 1].append((inside, work, (*parts, (i, j + 1, False))))
                table[j + 1].append((kept + block.output_bytes, work + flops, (*parts, (i, j + 1, True))))
    if not table[-1]:
        raise ValueError(f"no plan keeps {budget:,} bytes")
    return min(table[-1], key=lambda label: label[1])[2]


def forward(blocks, x, budget_bytes, profile):
    for first, end, replay in plan(profile, budget_bytes):

        def run(x):
            for block in blocks[first:end]:
                x = block(x)
            return x

        x = checkpoint(run, x, use_reentrant=False) if replay else run(x)
    return x
