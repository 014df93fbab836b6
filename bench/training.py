"""Whole updates of a small language model: the work that recomputation adds, and the memory that Adam adds."""

from __future__ import annotations

import itertools
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from bench.stacks import Block, Forward, drawn, numbers, plain, segmented, selective, update
from grader import meter
from grader.meter import Metered
from grader.program import Program

SEQUENCES, TOKENS, WIDTH, HEADS, LAYERS, VOCABULARY = 4, 256, 128, 4, 8, 1024


class LanguageModel(nn.Module):
    """Blocks between an embedding and the same matrix used again for the logits (tied)."""

    def __init__(self, layers: int = LAYERS, width: int = WIDTH, heads: int = HEADS) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))

    def loss(self, tokens_BS: Tensor, targets_BS: Tensor, forward: Forward = plain) -> Tensor:
        y_BSD = forward(self.blocks, self.embedding(tokens_BS))
        logits_BSV = functional.linear(y_BSD, self.embedding.weight)
        return functional.cross_entropy(logits_BSV.flatten(0, 1), targets_BS.flatten())


def made(layers: int = LAYERS, width: int = WIDTH, heads: int = HEADS) -> tuple[LanguageModel, Tensor, Tensor]:
    torch.manual_seed(0)
    tokens_BS, targets_BS = (torch.randint(VOCABULARY, (SEQUENCES, TOKENS)) for _ in range(2))
    return LanguageModel(layers, width, heads), tokens_BS, targets_BS


def recompute_work() -> dict[str, Any]:
    """FLOPs of a language model's update, plain and with recomputation, beside what the formula says."""

    def run(forward: Forward) -> Metered:
        model, tokens_BS, targets_BS = made()
        return update(model, [tokens_BS, targets_BS], lambda: model.loss(tokens_BS, targets_BS, forward))

    whole, full, late = run(plain), run(segmented(LAYERS)), run(segmented(LAYERS, early_stop=False))
    core = run(selective)
    tokens = SEQUENCES * TOKENS
    parameters = sum(parameter.numel() for parameter in made()[0].parameters())
    return {
        "title": f"{LAYERS} transformer blocks, width {WIDTH}, {SEQUENCES} sequences of {TOKENS} tokens, "
        f"a tied vocabulary of {VOCABULARY:,}, fp32",
        "timelines": drawn({"every block recomputed": full, "plain": whole}),
        "peak": full.peak,
        "numbers": {
            "parameters": parameters,
            "matrix_parameters": 12 * LAYERS * WIDTH**2 + VOCABULARY * WIDTH,
            "tokens": tokens,
            "plain_forward_flops": whole.flops_by_phase["forward"],
            "plain_backward_flops": whole.flops_by_phase["backward"],
            "counted_per_token_flops": whole.flops // tokens,
            **numbers("plain", whole),
            **numbers("full", full, whole),
            **numbers("late", late, whole),
            **numbers("selective", core, whole),
        },
    }


def adam_two_updates() -> dict[str, Any]:
    """The first two updates under AdamW: its state is made in the first step, so the second peak is higher."""

    def run(optimiser_class: type[torch.optim.Optimizer], clear: bool = True) -> tuple[Metered, dict[str, int]]:
        model, tokens_BS, targets_BS = made(layers=4, width=256)
        optimiser = optimiser_class(model.parameters(), lr=0.001)  # type: ignore[call-arg]
        held: dict[str, Tensor] = {}

        def forward() -> None:
            held["loss"] = model.loss(tokens_BS, targets_BS)

        def backward() -> None:
            held.pop("loss").backward()

        def step() -> None:
            optimiser.step()
            optimiser.zero_grad(set_to_none=clear)

        phases = [("forward", forward), ("backward", backward), ("optimiser", step)]
        inputs = [tokens_BS, targets_BS]
        found = meter.run(Program(phases * 2, dict, modules=model, inputs=inputs, optimiser=optimiser))
        parameters = sum(parameter.nbytes for parameter in model.parameters())
        state = sum(
            value.nbytes
            for entries in optimiser.state.values()
            for value in entries.values()
            if isinstance(value, Tensor)
        )
        return found, {"parameter_bytes": parameters, "state_bytes": state}

    adam, sizes = run(torch.optim.AdamW)
    held, _ = run(torch.optim.AdamW, clear=False)
    bare, _ = run(torch.optim.SGD)
    peaks = {name: highest(found) for name, found in (("adam", adam), ("held", held), ("sgd", bare))}
    return {
        "title": f"Two updates of 4 transformer blocks, width 256, {SEQUENCES} sequences of {TOKENS} tokens, fp32",
        "timelines": drawn({"AdamW": adam, "plain SGD": bare}),
        "peak": adam.peak,
        "numbers": {
            **sizes,
            "saved_bytes": adam.saved_bytes - sizes["state_bytes"],
            **{
                f"{name}_{place}_peak_bytes": peak
                for name, values in peaks.items()
                for place, peak in zip(
                    ("forward_1", "backward_1", "step_1", "forward_2", "backward_2", "step_2"), values, strict=True
                )
            },
        },
    }


def highest(run: Metered) -> list[int]:
    """Return the highest live bytes of each phase."""
    whole = run.timeline
    edges = [*(phase["start"] for phase in whole["phases"]), len(whole["total"])]
    return [max(whole["total"][start:end]) for start, end in itertools.pairwise(edges)]
