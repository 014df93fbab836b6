"""The judge's side of `mfu-meter`: hidden configurations, FLOPs counted on a live model, and the mistakes it knows."""

import json
from functools import cache
from pathlib import Path

from grader import catalog, formulas, lab_code
from grader.meter.tracing import Tracer

PRIMARY = None

TOLERANCE = 0.01

BATCH = 1
"""Sequences in the step that is counted; FLOPs per token do not depend on it."""

HARNESS = lab_code.harness(catalog.load(Path(__file__).parent))

TITLES = {
    "dense": "FLOPs per token of a dense model",
    "grouped-query": "Grouped-query attention",
    "gated": "Gated MLP",
    "experts": "Mixture of experts",
    "tied-embeddings": "Tied embeddings",
    "head-dimension": "Heads that do not fill the width",
    "everything": "All of these in one model",
    "job-rate": "MFU from the job's tokens per second",
    "device-rate": "MFU from one device's tokens per second",
    "accumulation": "MFU from step seconds, with gradient accumulation",
    "sparse-figure": "MFU on a device whose data sheet counts sparsity",
    "recompute-in-mfu": "MFU of a run that recomputes",
    "hfu-attention": "HFU with the attention core recomputed",
    "hfu-full": "HFU with every layer recomputed",
    "published-runs": "Published runs",
}

CAUSES = {
    "dense": "Write down every product in `Model` as m × k times k × n: 2·m·k·n forward and twice that in backward. "
    "The scores and the weighted sum are products too.",
    "grouped-query": "K and V have kv_heads heads; queries, scores and the output projection have all heads.",
    "gated": "A gated MLP has three matrices of hidden × ff.",
    "experts": "A token passes through the router and through top_k experts.",
    "tied-embeddings": "Tied or not, the head multiplies by a vocabulary × hidden matrix, and the look-up multiplies "
    "nothing.",
    "head-dimension": "Projections and scores are heads · head_dim wide, whatever hidden is.",
    "everything": "Each part is right by itself and the sum is not: count a model with all options product by product.",
    "job-rate": "tokens_per_second is of all devices together: per device it is that over `devices`.",
    "device-rate": "tokens_per_second_per_device is one device's already, and is set against one device's peak.",
    "accumulation": "One optimiser step takes replicas · micro_batch · accumulation sequences, on `devices` devices.",
    "sparse-figure": "Training uses no structured sparsity: the dense peak is half of a figure that counts it.",
    "recompute-in-mfu": "MFU counts what the model needs, whatever the run recomputes.",
    "hfu-attention": "The scores and the weighted sum are computed once more: one forward of these, no projection.",
    "hfu-full": "Each layer runs forward once more. The head is no layer.",
    "published-runs": "Use the job's rate and the dense peak; the models are in the harness.",
}

PUBLISHED = {
    "PaLM 540B": 0.462,  # Chowdhery et al. 2022, appendix B
    "GPT 22B": 0.415,  # Korthikanti et al. 2022, table 5, and the next two
    "GPT 175B": 0.514,
    "GPT 530B": 0.560,
}

PUBLISHED_RUNS = [
    {"label": "GPT 22B", "shape": (48, 6144, 64), "devices": 8, "batch": 4, "seconds": 1.10},
    {"label": "GPT 530B", "shape": (105, 20480, 128), "devices": 280, "batch": 280, "seconds": 37.83},
]


def cases(rng, harness, mode):
    """Draw the questions of one grading: the public ones for Run, fresh configurations for Submit."""
    if mode == "run":
        return harness.PUBLIC_CASES
    draws = {
        "dense": lambda: {},
        "grouped-query": lambda: {"heads": 8, "kv_heads": rng.choice([1, 2, 4])},
        "gated": lambda: {"gated": True, "ff": rng.randrange(120, 300)},
        "experts": lambda: _experts(rng),
        "tied-embeddings": lambda: {"tied": True},
        "head-dimension": lambda: {"head_dim": rng.choice([6, 8, 24, 32, 40])},
        "everything": lambda: _experts(rng) | _MIXED,
    }
    drawn = [
        _case(family, {"ask": "flops_per_token", "config": _config(rng, **draw())}) for family, draw in draws.items()
    ]
    whole, one = ({"tokens_per_second": 1.0}, {"tokens_per_second_per_device": 1.0})
    drawn += [
        _case("job-rate", _utilisation(rng, "mfu", whole)),
        _case("device-rate", _utilisation(rng, "mfu", one)),
        _case("accumulation", *(_utilisation(rng, "mfu", _step(rng)) for _ in range(2))),
        _case("sparse-figure", _utilisation(rng, "mfu", whole, sparse=True)),
        _case("recompute-in-mfu", *(_utilisation(rng, "mfu", whole, again) for again in ("attention", "full"))),
        _case("hfu-attention", _utilisation(rng, "hfu", whole, "attention")),
        _case("hfu-full", _utilisation(rng, "hfu", whole, "full")),
    ]
    published = next(case for case in harness.PUBLIC_CASES if case["family"] == "published-runs")
    return [*drawn, _case("published-runs", *published["questions"], *map(_published, PUBLISHED_RUNS))]


def expected(case):
    """Return what is right: FLOPs counted on the live model, or what was published."""
    return {f"{question['ask']} {number}": _right(question) for number, question in enumerate(case["questions"], 1)}


def check(runs):
    """Return one check a case."""
    return [
        formulas.within(run, TITLES[family], TOLERANCE, CAUSES[family], _mistakes(run.case))
        for run in runs
        for family in [run.case["family"]]
    ]


@cache
def _counted(config_json, recompute):
    """Build the model, train it for one step, and count. Returns FLOPs per token."""
    config = json.loads(config_json)
    counter = Tracer()
    step = HARNESS.training_step(config, recompute, BATCH)
    with counter:
        for _, phase in step.phases:
            phase()
    return sum(operator.flops for operator in counter.operators) / (BATCH * config["sequence"])


def counted(config, recompute="none"):
    """Return the FLOPs per token of a live model that trains, counted operator by operator."""
    return _counted(json.dumps(config, sort_keys=True), recompute)


def _right(question):
    if "label" in question:
        return PUBLISHED[question["label"]]
    config = question["config"]
    if question["ask"] == "flops_per_token":
        return counted(config)
    work = counted(config, question["run"]["recompute"] if question["ask"] == "hfu" else "none")
    return rate(config, question["run"]) * work / peak(question["device"])


def rate(config, run, *, devices_again=False, accumulation=True):
    """Return tokens per second and device; the keywords make known mistakes."""
    if "tokens_per_second_per_device" in run:
        per_device = run["tokens_per_second_per_device"]
    elif "tokens_per_second" in run:
        per_device = run["tokens_per_second"] / run["devices"]
    else:
        sequences = run["replicas"] * run["micro_batch"] * (run["accumulation"] if accumulation else 1)
        per_device = sequences * config["sequence"] / run["step_seconds"] / run["devices"]
    return per_device / run["devices"] if devices_again else per_device


def peak(device):
    """Return the dense peak in FLOP/s."""
    return device["bf16_flops"] / (2 if device["with_sparsity"] else 1)


def work(
    config, again="none", *, core=1.0, kv="kv_heads", experts="top_k", router=True, embedding=0, head=True, **slip
):
    """Return FLOPs per token by formula, here only to name mistakes; the keywords make them.

    core       share of the attention core that is counted (0: forgotten, 0.5: causal halving)
    kv         key that gives the number of key-value heads
    experts    key that gives the number of experts at work
    embedding  look-ups counted as products
    slip       head_dim: of one's own making; matrices: of the MLP; replays: of the head, or of the core
    """
    hidden, layers = config["hidden"], config["layers"]
    head_dim = slip.get("head_dim", config["head_dim"])
    wide = config["heads"] * head_dim
    projections = 2 * hidden * wide + 2 * hidden * config[kv] * head_dim
    mlp = slip.get("matrices", 3 if config["gated"] else 2) * hidden * config["ff"]
    if config["experts"]:
        mlp = mlp * config[experts] + (hidden * config["experts"] if router else 0)
    scores = 2 * wide * config["sequence"] * core
    logits = hidden * config["vocabulary"]
    total = 6 * (layers * (projections + mlp + scores) + logits * (head + embedding))
    replayed = {
        "none": 0,
        "attention": layers * scores * slip.get("core_replays", 1),
        "full": layers * (projections + mlp + scores) + logits * slip.get("head_replays", 0),
    }
    return total + 2 * replayed[again]


def _mistakes(case):
    """Return for each known mistake what it would make of the case's questions."""
    found = {}
    for number, question in enumerate(case["questions"], 1):
        for sentence, value in _slips(question):
            found.setdefault(sentence, {})[f"{question['ask']} {number}"] = value
    return found


def _slips(question):
    config, ask = question["config"], question["ask"]
    again = question["run"]["recompute"] if ask == "hfu" else "none"
    scale = 1.0 if ask == "flops_per_token" else rate(config, question["run"]) / peak(question["device"])
    square = config["hidden"] // config["heads"]
    slips = {
        "The attention core is missing: scores and weighted sum, 12·layers·heads·head_dim·sequence FLOPs a token.": {
            "core": 0.0
        },
        "The attention core is halved. The convention here is PaLM's, and the model's: every score is computed.": {
            "core": 0.5
        },
        "That is 6N with the embedding's matrix in N. A look-up multiplies nothing; only the head does.": {
            "embedding": 1
        },
        "The head is missing: logits are a product with a vocabulary × hidden matrix, tied or not.": {"head": False},
        "K and V are counted with the query heads. They have kv_heads.": {"kv": "heads"},
        "All experts are counted. A token passes through top_k of them.": {"experts": "experts"},
        "The router is missing: it is a hidden × experts product for each token.": {"router": False},
        "head_dim is taken as hidden / heads. The configuration sets it.": {"head_dim": square},
        "The gate's matrix is missing.": {"matrices": 2},
    }
    if ask == "hfu":
        slips |= {
            "That replays the head too. It is no layer, and its input is all that is kept of it.": {"head_replays": 1},
            "That is the published s/(3h) form, which counts three replays of the attention core. There is one.": {
                "core_replays": 3
            },
        }
    for sentence, slip in slips.items():
        yield sentence, scale * work(config, again, **slip)
    yield (
        "That is one forward only. Backward computes two gradients for each product: 3 forwards in all.",
        (scale * work(config, again) / 3),
    )
    if ask != "flops_per_token":
        yield from _rate_slips(question, work(config, again), scale)


def _rate_slips(question, flops, scale):
    config, run, device = question["config"], question["run"], question["device"]
    plain = work(config)
    yield (
        "The device count divides twice: one device's rate goes with one device's peak.",
        (rate(config, run, devices_again=True) * flops / peak(device)),
    )
    yield "The device count is not divided out.", scale * flops * run["devices"]
    yield (
        "Accumulation is forgotten: an optimiser step takes `accumulation` micro-batches on each replica.",
        (rate(config, run, accumulation=False) * flops / peak(device)),
    )
    if "replicas" in run:
        ratio = run["devices"] / run["replicas"]
        yield "That is one batch a device; a replica is spread over devices/replicas of them.", scale * flops * ratio
    yield (
        "The peak counts sparsity, which training does not use: halve it.",
        (rate(config, run) * flops / device["bf16_flops"]),
    )
    if question["ask"] == "mfu":
        recomputed = work(config, run["recompute"])
        yield "Recomputed work is counted. It is in HFU, never in MFU.", scale * recomputed
    else:
        yield "Recomputed work is not counted; HFU counts it.", scale * plain
    yield "That is in per cent; a fraction is asked for.", 100 * scale * flops


_MIXED = {"heads": 8, "kv_heads": 2, "head_dim": 16, "gated": True, "tied": True}


def _config(rng, **features):
    sizes = {"layers": rng.choice([2, 3]), "hidden": rng.choice([48, 64, 80, 96]), "heads": 4}
    sizes |= {"vocabulary": rng.randrange(300, 450), "sequence": rng.randrange(64, 113)}
    return HARNESS.dense(**sizes | features)


def _experts(rng):
    """Many small experts, so that the router is more than the tolerance."""
    sizes = {"hidden": rng.choice([48, 64]), "ff": rng.randrange(32, 65)}
    return sizes | {"experts": rng.choice([16, 20]), "top_k": rng.choice([1, 2]), "layers": 2}


def _step(rng):
    replicas = rng.choice([2, 4, 8])
    batch = {"micro_batch": rng.choice([1, 2, 4]), "accumulation": rng.choice([4, 8, 16])}
    return {"devices": replicas * rng.choice([2, 4, 8]), "replicas": replicas, **batch, "step_seconds": 1.0}


def _utilisation(rng, ask, form, recompute="none", sparse=False):
    """Draw a run of a small model with tied embeddings that uses 20 to 50 % of a peak, described in the given form."""
    config = _config(rng, tied=True)
    dense_peak = rng.choice([312e12, 989e12, 1307e12])
    device = {"bf16_flops": dense_peak * (2 if sparse else 1), "with_sparsity": sparse}
    run = {"devices": rng.choice([8, 16, 64, 256]), "recompute": recompute, **form}
    share = rng.uniform(0.2, 0.5) * dense_peak / work(config) / rate(config, run)
    for key in form:
        if key.startswith("tokens"):
            run[key] *= share
        elif key == "step_seconds":
            run[key] /= share
    return {"ask": ask, "config": config, "run": run, "device": device}


def _published(facts):
    layers, hidden, heads = facts["shape"]
    batch = {"replicas": 1, "micro_batch": 1, "accumulation": facts["batch"]}
    run = {"devices": facts["devices"], "recompute": "attention", "step_seconds": facts["seconds"], **batch}
    config = HARNESS.dense(layers, hidden, heads, 51_200, 2048, tied=True)
    return {"ask": "mfu", "config": config, "run": run, "device": HARNESS.A100, "label": facts["label"]}


def _case(family, *questions):
    return {"name": family, "family": family, "seed": 0, "measure": False, "questions": list(questions)}
