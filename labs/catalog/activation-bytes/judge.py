"""The judge's side of `activation-bytes`: hidden configurations, bytes metered on the blocks, mistakes it knows."""

from dataclasses import replace
from pathlib import Path

from grader import catalog, formulas, lab_code, meter

PRIMARY = None

TOLERANCE = 0.02
"""Covers what the formula may leave out: two statistics a row and norm, one a row and head of the fused kernel, and the
random state that a checkpoint keeps (5,056 bytes). All of them together stay below 1.2 % at the sizes drawn."""

HARNESS = lab_code.harness(catalog.load(Path(__file__).parent))

SIZE = {"float32": 4, "bfloat16": 2}

TITLES = {
    "plain": "float32, scores written out, no dropout",
    "half-precision": "bfloat16",
    "heads": "Many heads and long sequences",
    "mlp-width": "An MLP that is not four times as wide",
    "fused": "Fused attention",
    "dropout": "Dropout",
    "gated": "Gated MLP",
    "checkpoint-attention": "The attention core checkpointed",
    "checkpoint-block": "Whole blocks checkpointed",
    "everything": "Combinations",
}

CAUSES = {
    "plain": "List for each operator what its derivative reads; a tensor that two operators keep is there once. Meter "
    "the harness to see the list: python -m grader meter harness.py.",
    "half-precision": "Every element has the size of the dtype, the scores too.",
    "heads": "The scores are sequence × sequence for each head of each sequence.",
    "mlp-width": "The MLP keeps its width in `ff`; 4 · hidden is one choice.",
    "fused": "A fused kernel keeps Q, K, V and its output, and no tensor of sequence × sequence.",
    "dropout": "Each dropout keeps a mask of one byte an element. Where the weights are dropped, the product with V "
    "reads the dropped ones and softmax its own output: both stay.",
    "gated": "silu reads its input; the product reads both factors; the last projection reads the product.",
    "checkpoint-attention": "Q, K and V stay, and the context that the projection reads; the scores do not.",
    "checkpoint-block": "A checkpointed block keeps its input and nothing else.",
    "everything": "Each option is right by itself. Which two of them meet in the combination?",
}

FEATURES = {
    "plain": {},
    "half-precision": {"dtype": "bfloat16"},
    "heads": {"heads": 12},
    "mlp-width": {},
    "fused": {"attention": "fused"},
    "dropout": {"dropout": 0.1},
    "gated": {"gated": True},
    "checkpoint-attention": {"checkpoint": "attention"},
    "checkpoint-block": {"checkpoint": "block"},
}

MIXED = [
    {"dtype": "bfloat16", "dropout": 0.2, "gated": True},
    {"dtype": "bfloat16", "attention": "fused", "dropout": 0.1},
    {"dropout": 0.1, "gated": True, "checkpoint": "attention"},
]


def cases(rng, harness, mode):
    """Draw the configurations of one grading: the public ones for Run, fresh ones for Submit."""
    if mode == "run":
        return harness.PUBLIC_CASES
    drawn = [_case(family, _config(rng, family, **features)) for family, features in FEATURES.items()]
    return [*drawn, _case("everything", *(_config(rng, "everything", **features) for features in MIXED))]


def expected(case):
    """Return what is right: the bytes live at the end of forward, metered on the blocks themselves."""
    return {f"bytes {number}": float(metered(config)) for number, config in enumerate(case["configs"], 1)}


def check(runs):
    """Return one check a case."""
    return [
        formulas.within(run, TITLES[family], TOLERANCE, CAUSES[family], _mistakes(run.case))
        for run in runs
        for family in [run.case["family"]]
    ]


def metered(config):
    """Run forward of the blocks under the meter and return the bytes that it keeps."""
    update = HARNESS.update(config)
    forward = replace(update, phases=update.phases[:1])
    return meter.run(forward).saved_bytes


def kept(config, **slip):
    """Return the same by formula, here only to name mistakes; the keywords make them.

    size          bytes an element
    scores        tensors of T × T a head kept without dropout; more_scores: those that dropout adds
    fused_scores  whether a fused kernel keeps scores
    heads, ff, gated_widths, widths, mask, layers, boundary (tensors of hidden outside the MLP's inside)
    """
    size = slip.get("size", SIZE[config["dtype"]])
    tokens, hidden = config["batch"] * config["sequence"], config["hidden"]
    layers = slip.get("layers", config["layers"])
    mask = slip.get("mask", 1) if config["dropout"] else 0
    if config["checkpoint"] == "block" and not slip.get("no_checkpoint"):
        return layers * tokens * hidden * size
    widths = slip.get("gated_widths", 4) if config["gated"] else slip.get("widths", 2)
    elements = slip.get("boundary", 8) * hidden + widths * slip.get("ff", config["ff"])
    masks = 2 * hidden * mask
    stored = config["attention"] == "materialised" or slip.get("fused_scores")
    if stored and (config["checkpoint"] != "attention" or slip.get("no_checkpoint")):
        weights = slip.get("heads", config["heads"]) * config["sequence"]
        elements += weights * (slip.get("scores", 1) + (slip.get("more_scores", 1) if config["dropout"] else 0))
        masks += weights * slip.get("score_mask", mask)
    return layers * tokens * (elements * size + masks)


def published(config):
    """sbh(34 + 5as/h) as it stands, whatever the configuration."""
    s, b, h, a = config["sequence"], config["batch"], config["hidden"], config["heads"]
    return config["layers"] * s * b * h * (34 + 5 * a * s / h)


def _mistakes(case):
    found = {}
    for number, config in enumerate(case["configs"], 1):
        size = SIZE[config["dtype"]]
        slips = {
            "The elements are counted with 2 bytes; float32 has 4.": {"size": 2},
            "The elements are counted with 4 bytes; bfloat16 has 2.": {"size": 4},
            "The scores are missing: softmax keeps its output, sequence × sequence for each head.": {
                "scores": 0,
                "more_scores": 0,
                "score_mask": 0,
            },
            "The scores are counted once a sequence. Each head has its own.": {"heads": 1},
            "The scores are kept once, as softmax's output: its backward does not read its input.": {"scores": 2},
            "Scores are counted for a fused kernel, which never stores them.": {"fused_scores": True},
            "The masks are missing: one byte for each element that dropout sees.": {"mask": 0},
            "The masks are counted in the dtype of what they mask. They are booleans: one byte.": {"mask": size},
            "With dropout on the weights, two tensors of scores stay: softmax's output and the dropped weights.": {
                "more_scores": 0
            },
            "The MLP is counted as 4 · hidden wide. The configuration says `ff`.": {"ff": 4 * config["hidden"]},
            "A gated MLP is counted as an ordinary one: it keeps four tensors of ff, not two.": {"gated_widths": 2},
            "A gated MLP keeps four tensors of ff: the gate's projection, its silu, up, and their product.": {
                "gated_widths": 3
            },
            "The block's input and its output are both counted: one block's output is the next one's input.": {
                "boundary": 9
            },
            "The outputs of the norms are missing: the projections after them read these.": {"boundary": 6},
            "One block is counted; there are `layers`.": {"layers": 1},
            "The checkpoint is ignored.": {"no_checkpoint": True},
        }
        name = f"bytes {number}"
        for sentence, slip in slips.items():
            found.setdefault(sentence, {})[name] = kept(config, **slip)
        sentence = "That is the published rule for bf16, dropout, ff = 4h and scores written out. Which hold here?"
        found.setdefault(sentence, {})[name] = published(config)
    return found


def _config(rng, family, **features):
    """Draw sizes at which each term of the inventory is worth more than the tolerance, and a checkpoint's 5 kB less."""
    heads = features.get("heads", rng.choice([4, 6, 8]))
    hidden = heads * rng.choice([16, 24]) if family == "heads" else heads * rng.choice([32, 40, 48])
    config = {
        "dtype": "float32",
        "layers": 2,
        "batch": rng.choice([2, 3]),
        "sequence": rng.randrange(120, 177, 8),
        "hidden": hidden,
        "heads": heads,
        "ff": 4 * hidden,
        "gated": False,
        "attention": "materialised",
        "dropout": 0.0,
        "checkpoint": "none",
        **features,
    }
    if config["gated"] or family in ("mlp-width", "everything"):
        config["ff"] = hidden * rng.choice([5, 6, 7]) // 2
    if config["checkpoint"] == "block":
        config["batch"] *= 3
    return config


def _case(family, *configs):
    return {"name": family, "family": family, "seed": 0, "measure": False, "configs": list(configs)}
