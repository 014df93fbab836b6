"""What the meter says is what can be worked out by hand, and what the bare profiler sees."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import threading
import weakref

import pytest
import torch
from torch import nn
from torch.autograd.profiler import profile
from torch.utils.flop_counter import FlopCounterMode

from grader import meter, timeline
from grader.program import Program
from tests.grader import meter_models as models

FLOAT = 4


@pytest.fixture(autouse=True, scope="module")
def warmed() -> None:
    meter.warm()


def test_a_stack_of_linear_layers_saves_the_inputs_of_its_layers():
    """Each layer keeps its input. The first input was there before, the last output is kept by nobody."""
    depth, batch, width = 5, 32, 48
    metered = meter.run(models.linear_stack(depth, batch, width))
    loss = FLOAT
    assert metered.saved_bytes == (depth - 1) * batch * width * FLOAT + loss


def test_relu_and_the_next_layer_keep_the_same_tensor():
    depth, batch, width = 4, 16, 24
    metered = meter.run(models.linear_stack(depth, batch, width, relu=True))
    assert metered.saved_bytes == depth * batch * width * FLOAT + FLOAT


def test_gradients_and_optimiser_state_are_counted_to_the_byte():
    depth, width = 3, 20
    metered = meter.run(models.linear_stack(depth, 8, width, optimiser=torch.optim.AdamW))
    parameters = depth * width * width * FLOAT
    step_counter = FLOAT
    live = metered.timeline["live"]
    assert live["gradient"][-1] == parameters
    assert live["optimiser_state"][-1] == 2 * parameters + depth * step_counter
    assert live["parameter"] == [0] * len(live["parameter"]), "parameters were there before the update"


def test_the_peak_is_the_highest_moment_and_not_a_phase_end():
    def forward() -> None:
        kept.append(torch.empty(1000))
        torch.empty(5000)
        kept.append(torch.empty(10))

    kept: list[torch.Tensor] = []
    metered = meter.run(Program([("forward", forward)], dict))
    assert metered.peak_bytes == 6000 * FLOAT
    assert metered.saved_bytes == 1010 * FLOAT
    assert metered.peak["phase"] == "forward"
    assert [(t["bytes"], t["kind"]) for t in metered.peak["tensors"]] == [
        (5000 * FLOAT, "temporary"),
        (1000 * FLOAT, "saved_activation"),
    ]


def test_bytes_that_were_there_before_and_are_freed_count_below_zero():
    held = [torch.empty(256)]
    metered = meter.run(Program([("forward", held.clear)], dict))
    assert metered.saved_bytes == -256 * FLOAT
    assert metered.peak_bytes == 0
    timeline.validate(metered.timeline)


@pytest.mark.parametrize(
    ("how", "forwards"),
    [
        ("plain", 3.0),
        ("checkpoint", 3.5),
        ("checkpoint without early stop", 4.0),
        ("reentrant", 4.0),
        ("function", 4.0),
    ],
)
def test_flops_are_what_arithmetic_says(how, forwards):
    """The last of a block's two products is not needed again, so an early stop saves half a forward of the replay."""
    metered = meter.run(models.blocks(how))
    forward = models.blocks_forward_flops()
    assert metered.flops_by_phase["forward"] == forward
    assert metered.flops == forwards * forward
    assert metered.replay_flops == (forwards - 3) * forward


@pytest.mark.parametrize("kind", ["mlp", "convolution"])
@pytest.mark.parametrize("how", ["plain", "checkpoint", "reentrant", "selective", "hooks", "autocast"])
def test_flops_agree_with_torchs_own_counter(how, kind):
    program = models.blocks(how, kind)
    with FlopCounterMode(display=False) as counter:
        for _, function in program.phases:
            function()
    assert meter.run(models.blocks(how, kind)).flops == counter.get_total_flops() > 0


@pytest.mark.parametrize(
    ("write", "flops"),
    [
        (lambda: torch.ones(3, 5).addmm_(torch.ones(3, 4), torch.ones(4, 5)), 120),
        (lambda: torch.ones(2, 3, 5).baddbmm_(torch.ones(2, 3, 4), torch.ones(2, 4, 5)), 240),
        (lambda: torch.ones(3, 5).addbmm_(torch.ones(2, 3, 4), torch.ones(2, 4, 5)), 240),
        (lambda: torch.addbmm(torch.ones(3, 5), torch.ones(2, 3, 4), torch.ones(2, 4, 5)), 240),
        (lambda: torch.ones(3).addmv_(torch.ones(3, 4), torch.ones(4)), 24),
        (lambda: torch.mm(torch.ones(3, 4), torch.ones(4, 5), out=torch.ones(3, 5)), 120),
        (lambda: torch.ones(3, 4).mv(torch.ones(4)), 24),
        (lambda: torch.ones(4).dot(torch.ones(4)), 8),
    ],
    ids=["addmm_", "baddbmm_", "addbmm_", "addbmm", "addmv_", "mm out", "mv", "dot"],
)
def test_a_product_that_torchs_counter_leaves_out_is_work_too(write, flops):
    assert meter.run(Program([("forward", write)], dict)).flops == flops


def test_the_replay_is_the_workspace_of_a_checkpointed_run():
    plain, replayed = meter.run(models.blocks("plain")), meter.run(models.blocks("checkpoint"))
    assert max(plain.timeline["live"]["replay_workspace"]) == 0
    assert max(replayed.timeline["live"]["replay_workspace"]) > 0
    assert replayed.saved_bytes < plain.saved_bytes / 3
    backward = replayed.timeline["phases"][1]["start"]
    assert max(replayed.timeline["live"]["replay_workspace"][:backward]) == 0
    assert replayed.replay_bytes == max(replayed.timeline["total"][backward:-1]) - replayed.saved_bytes


@pytest.mark.parametrize("how", models.WAYS)
@pytest.mark.parametrize("kind", ["mlp", "convolution", "attention"])
def test_metering_does_not_raise_the_peak(how, kind):
    assert meter.run(models.blocks(how, kind)).peak_bytes == bare_peak(models.blocks(how, kind))


@pytest.mark.parametrize("how", models.WAYS)
def test_kinds_sum_to_the_total_at_every_point(how):
    metered = meter.run(models.blocks(how, optimiser=torch.optim.SGD))
    checked = timeline.validate(json.loads(json.dumps(metered.timeline)))
    assert max(checked["total"]) == metered.peak_bytes
    assert metered.unseen_bytes == 0


def test_figures_repeat_to_the_byte_in_one_process_and_across_processes():
    here = [meter.run(models.blocks("checkpoint", "convolution")).to_json() for _ in range(5)]
    assert all(figures == here[0] for figures in here)
    command = (
        "import json; from grader import meter; meter.warm(); from tests.grader import meter_models as m;"
        "print(json.dumps(meter.run(m.blocks('checkpoint', 'convolution')).to_json()))"
    )
    fresh = [
        subprocess.Popen(
            [sys.executable, "-c", command], stdout=subprocess.PIPE, env={**os.environ, "PYTHONHASHSEED": seed}
        )
        for seed in ("1", "2")
    ]
    for process in fresh:
        out, _ = process.communicate(timeout=120)
        assert json.loads(out) == here[0]


def test_the_scratch_inside_a_convolution_is_seen():
    """`convolution_backward` keeps scratch that no operator returns, and that a look at tensors alone would miss."""
    metered = meter.run(models.wide_convolution())
    scratch = [tensor for tensor in metered.peak["tensors"] if tensor["shape"] is None]
    assert sum(tensor["bytes"] for tensor in scratch) > 0.1 * metered.peak_bytes
    assert {tensor["operator"] for tensor in scratch} <= {"convolution", "convolution_backward"}


@pytest.mark.parametrize("how", ["plain", "checkpoint", "reentrant", "function"])
def test_tensors_at_the_peak_name_their_module_and_operator(how):
    metered = meter.run(models.blocks(how))
    assert metered.peak["phase"] == "backward"
    assert metered.peak["module"].startswith("blocks.")
    named = {(t["module"], t["operator"]) for t in metered.peak["tensors"] if t["kind"] == "replay_workspace"}
    if how == "plain":
        assert not named
        saved = next(t for t in metered.peak["tensors"] if t["operator"] == "gelu")
        assert (saved["module"], saved["count"], saved["kind"]) == ("blocks.0–5", 6, "saved_activation")
        assert (saved["dtype"], saved["shape"]) == ("float32", [64, 128])
    else:
        number = metered.peak["module"].split(".")[1]
        assert (f"blocks.{number}.a", "addmm") in named
        assert {module.split(".")[1] for module, _ in named} == {number}, "one block is replayed at a time"


def test_backward_of_an_operator_is_named_after_the_module_that_ran_it():
    metered = meter.run(models.activations())
    assert (metered.peak["phase"], metered.peak["module"]) == ("backward", "second")
    named = {(t["module"], t["operator"], t["kind"]) for t in metered.peak["tensors"]}
    assert ("second", "tanh_backward", "temporary") in named


def test_work_in_inference_mode_is_counted():
    """Linear arrives whole there, and torch's registry has no formula for it."""
    layer, x = nn.Linear(8, 16), torch.ones(4, 8)

    def forward() -> None:
        with torch.inference_mode():
            layer(x)

    assert meter.run(Program([("forward", forward)], dict)).flops == 2 * 4 * 8 * 16


@pytest.mark.parametrize("backend_free", [True, False])
def test_attention_counts_its_products(backend_free):
    batch, heads, length, width = 2, 3, 16, 8
    q = torch.ones(batch, heads, length, width)

    def forward() -> None:
        if backend_free:
            torch.softmax(q @ q.transpose(-1, -2), -1) @ q
        else:
            nn.functional.scaled_dot_product_attention(q, q, q)

    assert meter.run(Program([("forward", forward)], dict)).flops == 2 * (2 * batch * heads * length * length * width)


def test_double_backward_and_nested_gradients_run_metered():
    x = torch.ones(16, requires_grad=True)

    def forward() -> None:
        (slope,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
        losses.append(slope.square().sum())

    losses: list[torch.Tensor] = []
    metered = meter.run(Program([("forward", forward), ("backward", lambda: losses[0].backward())], dict, inputs=[x]))
    assert torch.equal(x.grad, torch.full((16,), 36.0))
    assert metered.timeline["live"]["gradient"][-1] == 16 * FLOAT


def test_an_exception_of_the_step_comes_through_and_leaves_nothing_switched_on():
    def forward() -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        meter.run(Program([("forward", forward)], dict))
    assert gc.isenabled()
    assert not torch.nn.modules.module._global_forward_hooks
    assert torch.utils._python_dispatch._get_current_dispatch_mode() is None
    assert meter.run(models.linear_stack(2, 4, 4)).saved_bytes > 0


def test_the_meter_keeps_no_tensor_alive():
    seen: list[weakref.ref[torch.Tensor]] = []

    gone: list[bool] = []

    def forward() -> None:
        kept = torch.ones(64).exp()
        seen.append(weakref.ref(kept))

    meter.run(Program([("forward", forward), ("backward", lambda: gone.append(seen[0]() is None))], dict))
    assert gone == [True]


def test_what_another_thread_allocates_is_counted_and_reported():
    def forward() -> None:
        thread = threading.Thread(target=lambda: kept.append(torch.ones(10_000)))
        thread.start()
        thread.join()
        kept.append(torch.ones(10))

    kept: list[torch.Tensor] = []
    metered = meter.run(Program([("forward", forward)], dict))
    assert metered.unseen_bytes == 10_000 * FLOAT
    assert metered.saved_bytes == 10_010 * FLOAT
    timeline.validate(metered.timeline)


def test_a_step_in_one_piece_is_cut_where_autograd_runs():
    whole, pieces = meter.run(models.in_one_piece(models.blocks("checkpoint"))), meter.run(models.blocks("checkpoint"))
    assert [phase["name"] for phase in whole.timeline["phases"]] == ["forward", "backward", "optimiser"]
    assert whole.peak_bytes == pieces.peak_bytes
    assert whole.flops_by_phase["backward"] == pieces.flops_by_phase["backward"]
    # The gradient of the loss, one float, is made before autograd starts.
    assert whole.saved_bytes == pieces.saved_bytes + FLOAT


def bare_peak(program: Program) -> int:
    """Return the peak as the profiler alone sees it: no hooks, no dispatch mode."""
    gc.collect()
    gc.disable()
    with profile(profile_memory=True, use_kineto=True) as profiler:
        torch.empty(1)
        for _, function in program.phases:
            function()
    gc.enable()
    totals = []
    waiting = list(reversed(profiler.kineto_results.experimental_event_tree()))
    while waiting:
        event = waiting.pop()
        if event.typed[0].name == "Allocation":
            fields = event.typed[1]
            totals += [fields.total_allocated - fields.alloc_size] * (not totals) + [fields.total_allocated]
        waiting.extend(reversed(event.children))
    return max(totals) - totals[0]
