"""Published runs come out of the calculators within their printed rounding, and printed mistakes do not."""

from __future__ import annotations

import pytest

from courses.calculators import InputError, get, transformer
from tests.calculators.facts import facts, half_a_digit

DAY = 86400
ACTIVATIONS, RUNS, CACHE = facts("activation_memory"), facts("training_runs"), facts("kv_cache")


@pytest.mark.parametrize("size", ACTIVATIONS["sizes"], ids=lambda size: f"h{size['h']}")
@pytest.mark.parametrize("case", ACTIVATIONS["formulas"], ids=lambda case: case["name"])
def test_layer_bytes_equal_the_published_formula(case, size):
    expected = eval(case["formula"], {}, size)  # the project's own test data
    inputs = {name: size.get(value, value) for name, value in case["inputs"].items()}
    sizes = {"sequence": size["s"], "batch": size["b"], "hidden": size["h"], "heads": size["a"], "layers": 48}
    result = get("activation-bytes-layer").compute(sizes | inputs)
    assert result["layer_bytes"] == pytest.approx(expected, rel=1e-12)


def test_the_22b_layer_of_the_lesson_is_exact_to_the_byte():
    assert get("activation-bytes-layer").compute({})["layer_bytes"] == 7_079_985_152


@pytest.mark.parametrize("model", ACTIVATIONS["selective_saves"])
def test_selective_recomputation_saves_the_published_share(model):
    fact = ACTIVATIONS["selective_saves"][model]
    inputs = {"sequence": fact["s"], "batch": 1, "hidden": fact["h"], "heads": fact["a"], "recompute": "selective"}
    assert get("activation-bytes-layer").compute(inputs)["saved_share"] == pytest.approx(fact["share"], abs=0.005)


def test_the_first_stage_keeps_all_layers_worth_whatever_the_pipeline_and_more_when_interleaved():
    calculator = get("activation-bytes-layer")
    alone = calculator.compute({"layers": 96})["stage_bytes"]
    assert calculator.compute({"layers": 96, "pipeline": 8})["stage_bytes"] == alone
    interleaved = calculator.compute({"layers": 96, "pipeline": 8, "interleave": 3})["stage_bytes"]
    assert interleaved == pytest.approx(alone * (1 + 7 / 24))


def test_a_fused_kernel_keeps_what_selective_recomputation_keeps():
    calculator = get("activation-bytes-layer")
    fused = calculator.compute({"attention": "fused"})["layer_bytes"]
    assert fused == calculator.compute({"recompute": "selective"})["layer_bytes"] == 34 * 2048 * 4 * 6144


@pytest.mark.parametrize("row", ACTIVATIONS["results"], ids=lambda row: row["model"])
def test_mfu_and_hfu_of_the_recomputation_paper(row):
    def utilisation(seconds: float, figure: str) -> float:
        tokens_per_s = row["batch"] * 2048 / seconds
        inputs = {
            "convention": "megatron", "layers": row["L"], "hidden": row["h"], "vocabulary": 51200, "sequence": 2048,
            "tokens_per_s": tokens_per_s, "devices": row["gpus"], "device": "A100", "recompute": "selective-published",
        }  # fmt: skip
        return get("mfu-hfu").compute(inputs)[figure]

    for figure in ("mfu", "hfu"):
        low = utilisation(row["present_s"] + 0.005, figure) - 0.0005
        high = utilisation(row["present_s"] - 0.005, figure) + 0.0005
        assert low <= row[figure] <= high


def test_the_published_hardware_form_counts_more_than_one_forward_of_the_attention_core():
    sizes = {"batch": 64, "layers": 96, "sequence": 2048, "hidden": 12288, "vocabulary": 51200}
    model = transformer.megatron_model_flops(**sizes)
    one_forward = transformer.megatron_selective_hardware_flops(**sizes, published=False) - model
    published = transformer.megatron_selective_hardware_flops(**sizes, published=True) - model
    assert one_forward == pytest.approx(4 * 64 * 96 * 2048**2 * 12288, rel=1e-6)
    assert published == pytest.approx(3 * one_forward, rel=1e-6)


@pytest.mark.parametrize(("hidden", "percent"), [(12288, 2.7), (20480, 1.6)])
def test_selective_recomputations_small_percentage_is_of_forward_flops(hidden, percent):
    sizes = {"batch": 1, "layers": 1, "sequence": 2048, "hidden": hidden, "vocabulary": 0}
    model = transformer.megatron_model_flops(**sizes)
    extra = transformer.megatron_selective_hardware_flops(**sizes, published=False) - model
    assert 100 * extra / (model / 3) == pytest.approx(percent, abs=0.05)
    assert 100 * extra / (model / 3) == pytest.approx(100 * 2048 / (6 * hidden + 2048), rel=1e-9)


def test_palm_mfu():
    assert get("mfu-hfu").compute(RUNS["palm"]["inputs"])["mfu"] == pytest.approx(RUNS["palm"]["mfu"], abs=0.0005)


def test_mosaic_70b_mfu_and_hfu_with_full_recomputation():
    result = get("mfu-hfu").compute(RUNS["mosaic_70b"]["inputs"])
    assert result["mfu"] == pytest.approx(RUNS["mosaic_70b"]["mfu"], abs=0.0005)
    assert result["hfu"] == pytest.approx(RUNS["mosaic_70b"]["hfu"], abs=0.0006)


def test_llama3_405b_mfu_to_a_whole_per_cent():
    for row in RUNS["llama3_405b"]["rows"]:
        result = get("time-to-train").compute({"achieved": row["tflops_per_gpu"], "device": "H100-SXM"})
        assert result["utilisation"] == pytest.approx(row["mfu"], abs=0.01)


def test_opt_175b_days():
    assert round(get("time-to-train").compute(RUNS["opt_175b"]["inputs"])["seconds"] / DAY) == RUNS["opt_175b"]["days"]


def test_days_of_175b_with_full_recomputation_by_the_long_form():
    fact = RUNS["narayanan"]
    model = fact["model"]
    sizes = {"layers": model["L"], "sequence": model["s"], "hidden": model["h"], "vocabulary": model["V"]}
    total = transformer.megatron_full_recompute_flops(1, **sizes) / model["s"] * 300e9
    for row in fact["rows"]:

        def days(tflops: float, gpus: int = row["gpus"]) -> float:
            return (
                get("time-to-train").compute(
                    {
                        "total_flops": total,
                        "tokens": fact["tokens"],
                        "devices": gpus,
                        "device": "A100",
                        "achieved": tflops,
                    }
                )["seconds"]
                / DAY
            )

        assert days(row["tflops"] + 0.5) - 0.5 <= row["days"] <= days(row["tflops"] - 0.5) + 0.5


def test_days_of_175b_by_the_short_form():
    fact = RUNS["narayanan"]
    model = fact["model"]
    parameters = transformer.dense_parameters(model["L"], model["h"], model["V"], model["s"])
    result = get("time-to-train").compute(
        {
            "parameters": parameters,
            "tokens": fact["tokens"],
            "convention": "8",
            "devices": 384,
            "device": "A100",
            "achieved": 153,
        }
    )
    assert result["seconds"] / DAY == pytest.approx(fact["short_form_days"], abs=0.06)


def test_llama2_gpu_hours_sum():
    assert sum(RUNS["llama2_gpu_hours"]["hours"]) == RUNS["llama2_gpu_hours"]["total"]


@pytest.mark.parametrize("stage", ["0", "1", "2", "3"])
def test_zero_gigabytes_per_device(stage):
    printed = ACTIVATIONS["zero"]["gigabytes"][stage]
    result = get("training-memory").compute({"parameters": "7.5B", "data_parallel": 64, "shard": stage})
    assert result["device_bytes"] / 1e9 == pytest.approx(printed, abs=half_a_digit(printed))


@pytest.mark.parametrize("row", CACHE["bytes_per_token_bf16"], ids=lambda row: row["model"])
def test_cache_bytes_per_token(row):
    assert get("kv-cache").compute(row["inputs"])["bytes_per_token"] == row["bytes"]


def test_a_sliding_window_stops_the_cache_growing():
    inputs = {"layers": 32, "kv_heads": 8, "window": 4096}
    for tokens in (4096, 32768, 1_000_000):
        assert get("kv-cache").compute(inputs | {"tokens": tokens})["sequence_bytes"] == CACHE["mistral_at_most"]


@pytest.mark.parametrize("error", facts("field_errors"), ids=lambda error: error["says"])
def test_a_wrong_number_in_print_is_not_what_the_calculator_says(error):
    value = get(error["calculator"]).compute(error["inputs"])[error["figure"]]
    assert value == error["right"]
    assert value != pytest.approx(float(error["wrong"]), rel=0.005)


def test_an_a100_peak_on_an_h100_run_is_refused_instead_of_showing_more_than_the_peak():
    inputs = {"parameters": "7B", "convention": "short", "scope": "device", "tokens_per_s": 12_000}
    assert get("mfu-hfu").compute(inputs | {"device": "H100-SXM"})["mfu"] == pytest.approx(0.51, abs=0.01)
    with pytest.raises(InputError, match="device the one that ran"):
        get("mfu-hfu").compute(inputs | {"device": "A100"})


def test_a_rate_per_device_and_the_rate_of_all_give_one_mfu():
    total = get("mfu-hfu").compute({"tokens_per_s": 238_300, "scope": "all", "devices": 6144})
    each = get("mfu-hfu").compute({"tokens_per_s": 238_300 / 6144, "scope": "device", "devices": 6144})
    assert each["mfu"] == pytest.approx(total["mfu"], rel=1e-12)
