"""Time to train: inverses agree, conventions are not mixed, impossible inputs say why."""

from __future__ import annotations

import math

import pytest

from courses.calculators import InputError, get

DAY = 86400
compute = get("time-to-train").compute
WORK = {"parameters": "70B", "tokens": "2T", "device": "A100", "utilisation": 0.45}


def test_the_devices_for_a_deadline_meet_it_and_one_fewer_does_not():
    needed = compute(WORK | {"deadline": 30})["devices_for_deadline"]
    assert (
        compute(WORK | {"devices": needed})["seconds"] <= 30 * DAY < compute(WORK | {"devices": needed - 1})["seconds"]
    )


def test_device_hours_do_not_depend_on_the_device_count():
    assert compute(WORK | {"devices": 8})["device_hours"] == compute(WORK | {"devices": 8192})["device_hours"]


def test_goodput_is_charged_once():
    whole, half = compute(WORK), compute(WORK | {"goodput": "50 %"})
    assert half["seconds"] == pytest.approx(2 * whole["seconds"])
    assert half["device_hours"] == pytest.approx(2 * whole["device_hours"])
    assert half["tokens_per_second"] == whole["tokens_per_second"]


def test_hfu_with_8_and_mfu_with_6_give_the_same_days():
    by_mfu = compute(WORK | {"convention": "6", "utilisation": 0.39})
    by_hfu = compute(WORK | {"convention": "8", "utilisation": 0.52})
    assert by_mfu["seconds"] == pytest.approx(by_hfu["seconds"])
    assert "twice" in by_hfu.convention


def test_days_by_hand():
    result = compute({"parameters": 1e9, "tokens": 1e12, "devices": 100, "achieved": 100, "device": "A100"})
    assert result["seconds"] == pytest.approx(6e21 / (100 * 100e12))
    assert result["device_hours"] == pytest.approx(6e21 / 100e12 / 3600)
    assert result["devices_for_deadline"] == math.ceil(6e21 / 100e12 / 86400 / 90)


@pytest.mark.parametrize(
    ("inputs", "field", "words"),
    [
        ({"deadline": 0}, "deadline", "at least"),
        ({"deadline": 0.01, "tokens": "900T", "parameters": "2T"}, "deadline", "more than exist"),
        ({"achieved": 500, "device": "A100"}, "achieved", "dense peak"),
        ({"utilisation": 45}, "utilisation", "45 %"),
        ({"utilisation": "0"}, "utilisation", "at least"),
        ({"devices": "1.5"}, "devices", "whole"),
        ({"goodput": "120 %"}, "goodput", "at most"),
        ({"device": "A1000"}, "device", "Choose one of"),
        ({"colour": 1}, "colour", "no such input"),
    ],
)
def test_impossible_input_says_why_in_its_field(inputs, field, words):
    with pytest.raises(InputError) as refused:
        compute(inputs)
    assert words in refused.value.errors[field]


def test_every_wrong_field_is_named_at_once():
    with pytest.raises(InputError) as refused:
        compute({"devices": "many", "goodput": "nan", "tokens": "1,5T"})
    assert set(refused.value.errors) == {"devices", "goodput", "tokens"}
