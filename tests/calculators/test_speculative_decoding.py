"""Speculative decoding: the expectation against a play of it, and the limits where it is worth nothing."""

from __future__ import annotations

import random

import pytest

from courses.calculators import get

compute = get("speculative-decoding").compute


@pytest.mark.parametrize(("acceptance", "guesses"), [(0.7, 4), (0.9, 8), (0.2, 3)])
def test_tokens_a_step_are_what_a_play_of_it_says(acceptance, guesses):
    draw = random.Random(1)
    steps = 40_000
    said = 0
    for _ in range(steps):
        accepted = 0
        while accepted < guesses and draw.random() < acceptance:
            accepted += 1
        said += accepted + 1
    expected = compute({"acceptance": acceptance, "guesses": guesses})["tokens"]
    assert expected == pytest.approx(said / steps, rel=0.02)


def test_the_closed_form_of_the_paper():
    result = compute({"acceptance": 0.8, "guesses": 5, "draft": 0.1})
    assert result["tokens"] == pytest.approx((1 - 0.8**6) / (1 - 0.8))
    assert result["speedup"] == pytest.approx((1 - 0.8**6) / ((1 - 0.8) * (5 * 0.1 + 1)))


def test_all_accepted_says_every_guess_and_one_more():
    assert compute({"acceptance": 1, "guesses": 4})["tokens"] == 5


def test_no_guess_is_plain_decoding():
    assert compute({"guesses": 0, "check": 3})["speedup"] == 1


def test_a_draft_dearer_than_its_acceptance_is_best_left_out():
    result = compute({"acceptance": 0.3, "draft": 0.5})
    assert (result["best_guesses"], result["best_speedup"]) == (0, 1)
    assert result["speedup"] < 1


def test_dear_checking_takes_the_gain_away():
    assert compute({"check": 2.6})["speedup"] < 1 < compute({})["speedup"]
