"""What a process says that it metered is taken only if one real update could have said it."""

import copy
import json

import pytest
import torch

from grader import claims, meter
from grader.program import Program


@pytest.fixture(scope="module")
def honest():
    weight = torch.ones(64, 64, requires_grad=True)
    state = {}
    phases = [
        ("forward", lambda: state.update(loss=(torch.ones(8, 64) @ weight).tanh().sum())),
        ("backward", lambda: state.pop("loss").backward()),
    ]
    return json.loads(json.dumps(meter.run(Program(phases, dict)).to_json()))


def test_what_the_meter_says_is_believed(honest):
    assert claims.metered(honest).to_json() == honest


def lower_the_saved_bytes(said):
    said["saved_bytes"] = 1


def lower_the_peak(said):
    said["peak_bytes"] -= 1


def lower_the_peak_in_both_places(said):
    said["peak_bytes"] = said["peak"]["bytes"] = said["peak_bytes"] // 2


def peak_below_zero(said):
    said["timeline"]["total"] = [-10 for _ in said["timeline"]["total"]]


def flops_that_cancel(said):
    said["flops_by_phase"]["forward"] -= 10**9
    said["flops_by_phase"]["backward"] += 10**9


def more_replayed_than_done(said):
    said["replay_flops"] = said["flops"] + 1


def no_operator(said):
    said["operators"] = said["events"] = 0


def a_bool_for_a_number(said):
    said["saved_bytes"] = True


def a_figure_of_its_own(said):
    said["outcome"] = "passed"


def a_large_replay(said):
    said["replay_bytes"] = said["peak_bytes"] * 2


def flops_that_do_not_add_up(said):
    said["flops"] += 1


def saved_bytes_that_never_lived(said):
    said["saved_bytes"] = max(said["timeline"]["total"]) - 1


def a_peak_after_the_end(said):
    said["peak"]["index"] = len(said["timeline"]["total"])


def tensors_without_end(said):
    said["peak"]["tensors"] *= 60


def a_shape_of_many_sizes(said):
    said["peak"]["tensors"][0]["shape"] = [1] * 17


def a_kind_of_its_own(said):
    said["peak"]["tensors"][0]["kind"] = "mine"


def phases_without_end(said):
    said["flops_by_phase"] |= {str(n): 0 for n in range(17)}


def a_phase_without_a_name(said):
    said["peak"]["phase"] = 3


@pytest.mark.parametrize(
    "lie",
    [
        lower_the_saved_bytes,
        lower_the_peak,
        lower_the_peak_in_both_places,
        peak_below_zero,
        flops_that_cancel,
        more_replayed_than_done,
        no_operator,
        a_bool_for_a_number,
        a_figure_of_its_own,
        a_large_replay,
        flops_that_do_not_add_up,
        saved_bytes_that_never_lived,
        a_peak_after_the_end,
        tensors_without_end,
        a_shape_of_many_sizes,
        a_kind_of_its_own,
        phases_without_end,
        a_phase_without_a_name,
    ],
    ids=lambda lie: lie.__name__.replace("_", " "),
)
def test_figures_that_one_update_cannot_have_are_no_figures(honest, lie):
    said = copy.deepcopy(honest)
    lie(said)
    with pytest.raises(ValueError):
        claims.metered(said)


def test_figures_that_are_no_mapping_are_no_figures():
    with pytest.raises(ValueError, match="not a mapping"):
        claims.metered(["peak_bytes"])


def test_a_text_is_cut_and_shows_what_cannot_be_printed(honest):
    said = copy.deepcopy(honest)
    said["peak"]["module"] = "a\x1b" + "b" * 300
    assert claims.metered(said).peak["module"] == "a?" + "b" * (claims.MAX_TEXT - 2)


def test_only_an_update_that_refused_its_case_may_do_nothing():
    nothing = json.loads(
        json.dumps(meter.run(Program([("forward", lambda: None), ("backward", lambda: None)], dict)).to_json())
    )
    assert claims.metered(nothing, refused=True).operators == 0
    with pytest.raises(ValueError, match="without a single operator"):
        claims.metered(nothing)
