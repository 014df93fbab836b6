"""Attention of a decode step: FLOPs as torch counts them, and what changes their ratio to bytes."""

from __future__ import annotations

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from courses.calculators import InputError, get

compute = get("decode-attention").compute
H, G, D, C, R, T = 8, 2, 16, 32, 4, 24


def counted(run):
    with FlopCounterMode(display=False) as counter:
        run()
    return counter.get_total_flops()


def grouped():
    q, kv = torch.randn(G, H // G, D), torch.randn(2, G, T, D)
    scores = q @ kv[0].mT
    scores @ kv[1]


def absorbed():
    q, latent, rope = torch.randn(H, C + R), torch.randn(T, C), torch.randn(T, R)
    scores = q @ torch.cat([latent, rope], 1).T
    scores @ latent


def expanded():
    q, latent, rope = torch.randn(H, 1, D + R), torch.randn(T, C), torch.randn(T, R)
    k, v = (torch.matmul(latent, torch.randn(C, H * D)).view(T, H, D).transpose(0, 1) for _ in range(2))
    scores = q @ torch.cat([k, rope.expand(H, T, R)], 2).mT
    scores @ v


@pytest.mark.parametrize("way", [grouped, absorbed, expanded])
def test_flops_are_what_torch_counts(way):
    inputs = {"layers": 1, "heads": H, "kv_heads": G, "head_dim": D, "latent": C, "rope": R, "tokens": T}
    assert compute(inputs | {"kind": way.__name__})["flops"] == counted(way)


def test_bytes_are_those_of_the_cache():
    for kind, name in (("grouped", "grouped"), ("latent", "absorbed"), ("latent", "expanded")):
        cache = get("kv-cache").compute({"kind": kind, "batch": 3})
        assert compute({"kind": name, "batch": 3})["moved"] == cache["total_bytes"]


@pytest.mark.parametrize("inputs", [{"batch": 64}, {"tokens": 100_000}, {"layers": 2}])
def test_batch_length_and_layers_leave_the_intensity_as_it_is(inputs):
    assert compute(inputs)["intensity"] == compute({})["intensity"] == 4


def test_sharing_a_key_and_checking_guesses_raise_it():
    assert compute({"kv_heads": 1})["intensity"] == 32
    assert compute({"positions": 5})["intensity"] == 20


def test_a_latent_of_512_and_64_is_as_large_as_two_and_a_quarter_heads_of_128():
    assert compute({"kind": "absorbed"})["equal_kv_heads"] == 2.25


def test_heads_that_do_not_divide_are_refused():
    with pytest.raises(InputError) as refused:
        compute({"heads": 30, "kv_heads": 8})
    assert "kv_heads" in refused.value.errors
