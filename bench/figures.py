"""Measure the runs that lessons show, and write them as artefacts: JSON with the numbers, SVG with the picture.

    python -m bench.figures                 # all of them, about two minutes on one core
    python -m bench.figures checkpoint-sweep --out FOLDER

Bytes and FLOPs repeat to the unit on CPU with the torch that the lock file names; a run that gives other numbers
shows up as a changed artefact. Times are not recorded: they would say more about the machine than about the method.
"""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from grader import meter, timeline
from grader.meter import Metered
from grader.program import Program

FOLDER = Path(__file__).resolve().parents[1] / "courses" / "content" / "measured"
BATCH, TOKENS, WIDTH, HEADS, BLOCKS = 4, 128, 128, 4, 16
POINTS = 400
Loss = Callable[[], Tensor]
Forward = Callable[[nn.ModuleList, Tensor], Tensor]


class Attention(nn.Module):
    """Self-attention with its scores written out: s × s numbers per head exist and are saved."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def core(self, q_BHSK: Tensor, k_BHSK: Tensor, v_BHSK: Tensor) -> Tensor:
        scores_BHSS = (q_BHSK @ k_BHSK.transpose(-2, -1)) * q_BHSK.shape[-1] ** -0.5
        return scores_BHSS.softmax(-1) @ v_BHSK

    def forward(self, x_BSD: Tensor, selective: bool = False) -> Tensor:
        B, S, D = x_BSD.shape
        q, k, v = self.qkv(x_BSD).view(B, S, 3, self.heads, D // self.heads).permute(2, 0, 3, 1, 4)
        y = checkpoint(self.core, q, k, v, use_reentrant=False) if selective else self.core(q, k, v)
        return self.out(y.transpose(1, 2).reshape(B, S, D))


class Block(nn.Module):
    """A pre-norm transformer block with an MLP of four times the width."""

    def __init__(self, width: int = WIDTH, heads: int = HEADS, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = dropout
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x_BSD: Tensor, selective: bool = False) -> Tensor:
        x_BSD = x_BSD + self.attention(self.norm1(x_BSD), selective)
        y_BSD = self.down(functional.gelu(self.up(self.norm2(x_BSD))))
        return x_BSD + (functional.dropout(y_BSD, self.dropout) if self.dropout else y_BSD)


def plain(blocks: nn.ModuleList, x: Tensor) -> Tensor:
    for block in blocks:
        x = block(x)
    return x


def selective(blocks: nn.ModuleList, x: Tensor) -> Tensor:
    for block in blocks:
        x = block(x, selective=True)
    return x


def segmented(segments: int, *, last_plain: bool = False, **options: bool) -> Forward:
    """Return a forward that checkpoints runs of consecutive blocks, as equal as they come, longer ones first."""

    def forward(blocks: nn.ModuleList, x: Tensor) -> Tensor:
        base, longer = divmod(len(blocks), segments)
        sizes = [base + (index < longer) for index in range(segments)]
        return in_segments(blocks, x, sizes, last_plain=last_plain, **options)

    return forward


def in_segments(
    blocks: nn.ModuleList,
    x: Tensor,
    sizes: Sequence[int],
    *,
    last_plain: bool = False,
    early_stop: bool = True,
    reentrant: bool = False,
) -> Tensor:
    """Run consecutive blocks in checkpointed segments of the given sizes."""
    start = 0
    for index, size in enumerate(sizes):
        part = list(blocks)[start : start + size]
        start += size
        if last_plain and index == len(sizes) - 1:
            return run_part(part, x)
        x = checkpoint(run_part, part, x, use_reentrant=reentrant, early_stop=early_stop)
    return x


def run_part(part: Sequence[nn.Module], x: Tensor) -> Tensor:
    for block in part:
        x = block(x)
    return x


def update(modules: nn.Module, inputs: Sequence[Tensor], loss: Loss) -> Metered:
    """Meter one update with SGD after a warm-up update; gradients are allocated before and stay."""
    optimiser = torch.optim.SGD(modules.parameters(), lr=0.01)
    held: dict[str, Tensor] = {}

    def forward() -> None:
        held["loss"] = loss()

    def backward() -> None:
        held.pop("loss").backward()

    def step() -> None:
        optimiser.step()
        optimiser.zero_grad(set_to_none=False)

    phases = [("forward", forward), ("backward", backward), ("optimiser", step)]
    for _, phase in phases:
        phase()
    return meter.run(Program(phases, dict, modules=modules, inputs=inputs, optimiser=optimiser))


def stack(forward: Forward, blocks: int = BLOCKS, *, dropout: float = 0.0, input_grad: bool = False) -> Metered:
    """Meter a stack of transformer blocks under one way of running it."""
    torch.manual_seed(0)
    modules = nn.ModuleList(Block(dropout=dropout) for _ in range(blocks))
    x_BSD = torch.randn(BATCH, TOKENS, WIDTH, requires_grad=input_grad)
    return update(modules, [x_BSD], lambda: forward(modules, x_BSD).square().mean())


def drawn(runs: Mapping[str, Metered]) -> dict[str, Any]:
    """Return the runs' timelines with as many points as a page needs, extremes kept."""
    made = {}
    for name, run in runs.items():
        whole = run.timeline
        starts = [phase["start"] for phase in whole["phases"]]
        kept = timeline.thin(whole["total"], starts, POINTS)
        live = {kind: [values[point] for point in kept] for kind, values in whole["live"].items() if any(values)}
        made[name] = timeline.build([(phase["name"], phase["start"]) for phase in whole["phases"]], kept, live)
    return made


def numbers(prefix: str, run: Metered, whole: Metered | None = None) -> dict[str, Any]:
    """Return a run's figures under names that say their unit; with `whole`, the plain run, its shares of that."""
    made: dict[str, Any] = {
        f"{prefix}_saved_bytes": run.saved_bytes,
        f"{prefix}_peak_bytes": run.peak_bytes,
        f"{prefix}_step_flops": run.flops,
    }
    if whole is not None:
        forward = whole.flops_by_phase["forward"]
        made |= {
            f"{prefix}_replay_bytes": run.replay_bytes,
            f"{prefix}_peak_of_plain_fraction": run.peak_bytes / whole.peak_bytes,
            f"{prefix}_replayed_flops": run.replay_flops,
            f"{prefix}_replayed_of_forward_fraction": run.replay_flops / forward,
            f"{prefix}_extra_step_fraction": (run.flops - whole.flops) / whole.flops,
        }
    return made


SHAPE = f"{BLOCKS} transformer blocks, width {WIDTH}, {HEADS} heads, {BATCH} sequences of {TOKENS} tokens, fp32"


def checkpoint_segments() -> dict[str, Any]:
    """Four segments of four blocks against the plain run."""
    whole, four = stack(plain), stack(segmented(4))
    return {
        "title": f"One update of {SHAPE}",
        "timelines": drawn({"four segments of four": four, "plain": whole}),
        "peak": four.peak,
        "numbers": numbers("plain", whole) | numbers("four", four, whole),
    }


def checkpoint_every_block() -> dict[str, Any]:
    """Every block checkpointed: with early stop, without, reentrant, under dropout; and the attention core alone."""
    each = segmented(BLOCKS)
    whole, full = stack(plain), stack(each)
    late = stack(segmented(BLOCKS, early_stop=False))
    reentrant = stack(segmented(BLOCKS, reentrant=True), input_grad=True)
    noisy_plain, noisy = stack(plain, dropout=0.1), stack(each, dropout=0.1)
    return {
        "title": f"One update of {SHAPE}",
        "timelines": drawn({"every block": full, "plain": whole}),
        "peak": full.peak,
        "numbers": {
            **numbers("plain", whole),
            "plain_forward_flops": whole.flops_by_phase["forward"],
            "plain_backward_flops": whole.flops_by_phase["backward"],
            **numbers("full", full, whole),
            **numbers("whole_replay", late, whole),
            **numbers("reentrant", reentrant, whole),
            **numbers("dropout", noisy, noisy_plain),
            **numbers("selective", stack(selective), whole),
            "block_saved_bytes": (stack(plain, 8).saved_bytes - stack(plain, 4).saved_bytes) // 4,
            "boundary_bytes": BATCH * TOKENS * WIDTH * 4,
        },
    }


def thin_stack(sizes: Sequence[int] | None) -> Metered:
    """Meter 36 layers tanh(Wx + b), each of which keeps one tensor: its output, which is the next one's input."""
    torch.manual_seed(0)
    modules = nn.ModuleList(nn.Sequential(nn.Linear(128, 128), nn.Tanh()) for _ in range(36))
    x = torch.randn(2048, 128)

    def loss() -> Tensor:
        y = plain(modules, x) if sizes is None else in_segments(modules, x, sizes)
        return y.square().mean()

    return update(modules, [x], loss)


def checkpoint_sweep() -> dict[str, Any]:
    """Thin layers and transformer blocks by number of segments, and a last segment left plain."""
    thin, whole = thin_stack(None), stack(plain)
    found = numbers("thin_plain", thin) | {"thin_layer_bytes": 2048 * 128 * 4}
    runs = {count: thin_stack([36 // count] * count) for count in (1, 2, 3, 4, 6, 9, 12, 18, 36)}
    for count, run in runs.items():
        found |= numbers(f"thin_k{count}", run, thin)
    found |= numbers("thin_falling", thin_stack([8, 7, 6, 5, 4, 3, 2, 1]), thin)
    found |= numbers("plain", whole)
    for count in (1, 2, 4, 8, 16):
        found |= numbers(f"k{count}", stack(segmented(count)), whole)
    found |= numbers("k4_last_plain", stack(segmented(4, last_plain=True)), whole)
    return {
        "title": "36 layers tanh(Wx + b), width 128, 2,048 rows, fp32: six segments of six",
        "timelines": drawn({"six segments of six": runs[6], "plain": thin}),
        "peak": runs[6].peak,
        "numbers": found,
    }


def checkpoint_logits() -> dict[str, Any]:
    """Four blocks under a vocabulary of 16,384: the loss, not the blocks, makes the peak."""
    vocabulary, blocks = 16_384, 4

    def language_model(forward: Forward) -> Metered:
        torch.manual_seed(0)
        modules = nn.ModuleDict({
            "blocks": nn.ModuleList(Block() for _ in range(blocks)),
            "embedding": nn.Embedding(vocabulary, WIDTH),
            "head": nn.Linear(WIDTH, vocabulary, bias=False),
        })  # fmt: skip
        tokens_BS = torch.randint(vocabulary, (BATCH, TOKENS))
        targets_BS = torch.randint(vocabulary, (BATCH, TOKENS))

        def loss() -> Tensor:
            x_BSD = forward(modules["blocks"], modules["embedding"](tokens_BS))  # type: ignore[arg-type]
            return functional.cross_entropy(modules["head"](x_BSD).flatten(0, 1), targets_BS.flatten())

        return update(modules, [tokens_BS, targets_BS], loss)

    whole, full = language_model(plain), language_model(segmented(blocks))
    return {
        "title": f"{blocks} transformer blocks and a vocabulary of {vocabulary:,}, fp32",
        "timelines": drawn({"every block": full, "plain": whole}),
        "peak": full.peak,
        "numbers": numbers("plain", whole)
        | numbers("full", full, whole)
        | {"logits_bytes": BATCH * TOKENS * vocabulary * 4},
    }


def autograd_saves() -> dict[str, Any]:
    """A stack of MLP blocks, run plain: what forward leaves behind, and when backward lets go of it."""
    torch.manual_seed(0)
    width, layers, rows = 256, 6, 1024
    modules = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
    x = torch.randn(rows, width)

    def loss() -> Tensor:
        y = x
        for layer in modules:
            y = torch.tanh(layer(y))
        return y.square().mean()

    def without_gradients() -> Tensor:
        with torch.no_grad():
            return loss().detach().requires_grad_()

    run = update(modules, [x], loss)
    bare = update(modules, [x], without_gradients)
    return {
        "title": f"{layers} layers tanh(Wx + b), width {width}, {rows} rows, fp32",
        "timelines": drawn({"training": run, "forward without gradients": bare}),
        "peak": run.peak,
        "numbers": numbers("training", run)
        | {
            "no_grad_peak_bytes": bare.peak_bytes,
            "no_grad_saved_bytes": bare.saved_bytes,
            "activation_bytes": rows * width * 4,
        },
    }


ARTEFACTS: dict[str, Callable[[], dict[str, Any]]] = {
    "autograd-saves": autograd_saves,
    "checkpoint-segments": checkpoint_segments,
    "checkpoint-every-block": checkpoint_every_block,
    "checkpoint-sweep": checkpoint_sweep,
    "checkpoint-logits": checkpoint_logits,
}


def write(ident: str, folder: Path) -> None:
    """Measure one artefact and write its JSON and its SVG into the folder."""
    made = ARTEFACTS[ident]()
    picture = timeline.svg(made["timelines"], peak=made.pop("peak"), prefix=ident)
    artefact = {
        "command": f"python -m bench.figures {ident}",
        "torch": torch.__version__.split("+")[0],
        "machine": f"{platform.machine()} CPU, one thread",
        **made,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{ident}.json").write_text(json.dumps(artefact, separators=(",", ":"), ensure_ascii=False) + "\n")
    (folder / f"{ident}.svg").write_text(picture + "\n")
    print(ident, json.dumps(made["numbers"], indent=1))


def main() -> None:
    """Write the named artefacts, or all of them."""
    parser = argparse.ArgumentParser(prog="python -m bench.figures", description="Measure the figures of the lessons.")
    parser.add_argument("names", nargs="*", choices=[[], *ARTEFACTS], metavar="NAME", help=", ".join(ARTEFACTS))
    parser.add_argument("--out", type=Path, default=FOLDER)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    meter.warm()
    for name in chosen.names or ARTEFACTS:
        write(name, chosen.out)


if __name__ == "__main__":
    main()
