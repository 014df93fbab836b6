"""Measure the runs that lessons show, and write them as artefacts: JSON with the numbers, SVG with the pictures.

    python -m bench.figures                 # all of them, about four minutes on one core
    python -m bench.figures checkpoint-sweep --out FOLDER

Bytes and FLOPs repeat to the unit on CPU with the torch that the lock file names; a run that gives other numbers
shows up as a changed artefact. Times are not recorded: they would say more about the machine than about the method.
"""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from bench import (
    budgets,
    decoding,
    latents,
    losses,
    replays,
    rounding,
    selecting,
    sharding,
    splitting,
    tradeoffs,
    training,
)
from bench.stacks import (
    BATCH,
    BLOCKS,
    SHAPE,
    TOKENS,
    WIDTH,
    Block,
    Forward,
    drawn,
    in_segments,
    numbers,
    plain,
    segmented,
    selective,
    stack,
    update,
)
from grader import meter, timeline
from grader.meter import Metered

FOLDER = Path(__file__).resolve().parents[1] / "courses" / "content" / "measured"


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
    "recompute-work": training.recompute_work,
    "adam-two-updates": training.adam_two_updates,
    "decode-cache": decoding.decode_cache,
    "latent-decode": latents.latent_decode,
    "replay-dropout": replays.replay_dropout,
    "selective-policies": selecting.selective_policies,
    "byte-frontier": budgets.byte_frontier,
    "chunked-loss": losses.chunked_loss,
    "compressed-activations": rounding.compressed_activations,
    "sharded-state": sharding.sharded_state,
    "sequence-parallel": splitting.sequence_parallel,
    "stack-tradeoff": tradeoffs.stack,
    "pyramid-tradeoff": tradeoffs.pyramid,
}


def write(ident: str, folder: Path) -> None:
    """Measure one artefact and write its JSON and its pictures (SVG, by the end of their names) into the folder."""
    made = ARTEFACTS[ident]()
    if "timelines" in made:
        pictures = {"": timeline.svg(made["timelines"], peak=made.pop("peak"), prefix=ident)}
    else:
        pictures = tradeoffs.pictures(made, ident)
    artefact = {
        "command": f"python -m bench.figures {ident}",
        "torch": torch.__version__.split("+")[0],
        "machine": f"{platform.machine()} CPU, one thread",
        **made,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{ident}.json").write_text(json.dumps(artefact, separators=(",", ":"), ensure_ascii=False) + "\n")
    for end, picture in pictures.items():
        (folder / f"{ident}{end}.svg").write_text(picture + "\n")
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
