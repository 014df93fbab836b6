"""How your functions are called, and the model whose FLOPs are counted. This file is the whole of what runs beside
your code; the judge builds `Model` for hidden configurations, trains it for a step, counts, and compares.

Your module defines

    model_flops_per_token(config)   # FLOPs of forward and backward for one token of training
    mfu(config, run, device)        # model FLOPs utilisation, a fraction
    hfu(config, run, device)        # hardware FLOPs utilisation, a fraction

config  {"layers", "hidden", "heads", "kv_heads", "head_dim", "ff", "gated", "experts", "top_k", "tied", "vocabulary",
        "sequence"}: integers and booleans. "ff" is the width of one MLP, or of one expert; "experts" is 0 in a dense
        model; "tied" says whether the output head is the embedding's matrix; "sequence" is tokens a sequence.
run     {"devices", "recompute"}, where "recompute" is "none", "attention" (what lies inside `core` below is computed a
        second time in backward) or "full" (each layer as a whole is), and one of
          {"tokens_per_second"}              of all devices together
          {"tokens_per_second_per_device"}
          {"step_seconds", "replicas", "micro_batch", "accumulation"}   seconds of one optimiser step; `replicas`
            data-parallel copies of the model (each on devices/replicas devices) take `accumulation` micro-batches of
            `micro_batch` sequences each
device  {"bf16_flops", "with_sparsity"}: the data sheet's bf16 figure of one device in FLOP/s, and whether the sheet
        states it with structured sparsity, which doubles it and which training does not use.

Shape suffixes: B batch, T tokens, D hidden, A heads, K key-value heads, Q head dimension, E experts, V vocabulary.
"""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint, set_checkpoint_early_stop

from grader.program import Program

PLAIN = {}  # what is right is counted on the model below

QUESTIONS = {"flops_per_token": "model_flops_per_token", "mfu": "mfu", "hfu": "hfu"}


class Attention(nn.Module):
    """Causal grouped-query attention; every score is computed, then masked: nothing is halved."""

    def __init__(self, config):
        super().__init__()
        self.heads, self.kv_heads, self.head_dim = config["heads"], config["kv_heads"], config["head_dim"]
        self.q = nn.Linear(config["hidden"], self.heads * self.head_dim, bias=False)
        self.k = nn.Linear(config["hidden"], self.kv_heads * self.head_dim, bias=False)
        self.v = nn.Linear(config["hidden"], self.kv_heads * self.head_dim, bias=False)
        self.o = nn.Linear(self.heads * self.head_dim, config["hidden"], bias=False)

    def forward(self, x_BTD, recompute_core):
        q_BATQ = self.q(x_BTD).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        k_BKTQ = self.k(x_BTD).unflatten(-1, (self.kv_heads, -1)).transpose(1, 2)
        v_BKTQ = self.v(x_BTD).unflatten(-1, (self.kv_heads, -1)).transpose(1, 2)
        context_BATQ = replayed(core, recompute_core, q_BATQ, k_BKTQ, v_BKTQ)
        return self.o(context_BATQ.transpose(1, 2).flatten(2))


def core(q_BATQ, k_BKTQ, v_BKTQ):
    """Scores, softmax, weighted sum. Query heads share key-value heads in groups."""
    group = q_BATQ.shape[1] // k_BKTQ.shape[1]
    k_BATQ, v_BATQ = k_BKTQ.repeat_interleave(group, dim=1), v_BKTQ.repeat_interleave(group, dim=1)
    scores_BATT = q_BATQ @ k_BATQ.transpose(-2, -1) * q_BATQ.shape[-1] ** -0.5
    later_TT = torch.ones(scores_BATT.shape[-2:], dtype=torch.bool).triu(1)
    return scores_BATT.masked_fill(later_TT, -torch.inf).softmax(dim=-1) @ v_BATQ


class MLP(nn.Module):
    """Two matrices around a GELU, or three with a gate (SwiGLU)."""

    def __init__(self, config):
        super().__init__()
        self.gate = nn.Linear(config["hidden"], config["ff"], bias=False) if config["gated"] else None
        self.up = nn.Linear(config["hidden"], config["ff"], bias=False)
        self.down = nn.Linear(config["ff"], config["hidden"], bias=False)

    def forward(self, x):
        return self.down(F.gelu(self.up(x)) if self.gate is None else F.silu(self.gate(x)) * self.up(x))


class Experts(nn.Module):
    """A router sends each token to the `top_k` of its experts; the others do nothing for that token."""

    def __init__(self, config):
        super().__init__()
        self.top_k = config["top_k"]
        self.router = nn.Linear(config["hidden"], config["experts"], bias=False)
        self.experts = nn.ModuleList(MLP(config) for _ in range(config["experts"]))

    def forward(self, x_BTD):
        x_ND = x_BTD.flatten(0, 1)
        weight_NK, chosen_NK = self.router(x_ND).softmax(dim=-1).topk(self.top_k)
        out_ND = torch.zeros_like(x_ND)
        for number, expert in enumerate(self.experts):
            token, slot = torch.where(chosen_NK == number)
            out_ND = out_ND.index_add(0, token, expert(x_ND[token]) * weight_NK[token, slot].unsqueeze(-1))
        return out_ND.unflatten(0, x_BTD.shape[:2])


class Layer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(config["hidden"]), nn.LayerNorm(config["hidden"])
        self.attention = Attention(config)
        self.mlp = Experts(config) if config["experts"] else MLP(config)

    def forward(self, x_BTD, recompute_core):
        x_BTD = x_BTD + self.attention(self.norm1(x_BTD), recompute_core)
        return x_BTD + self.mlp(self.norm2(x_BTD))


class Model(nn.Module):
    """Embedding (a look-up, no product), layers, head (a product with a V × D matrix, tied or not)."""

    def __init__(self, config):
        super().__init__()
        self.embedding = nn.Embedding(config["vocabulary"], config["hidden"])
        self.layers = nn.ModuleList(Layer(config) for _ in range(config["layers"]))
        self.norm = nn.LayerNorm(config["hidden"])
        self.head = nn.Linear(config["hidden"], config["vocabulary"], bias=False)
        if config["tied"]:
            self.head.weight = self.embedding.weight

    def forward(self, ids_BT, recompute):
        x_BTD = self.embedding(ids_BT)
        for layer in self.layers:
            x_BTD = replayed(layer, recompute == "full", x_BTD, recompute == "attention")
        return self.head(self.norm(x_BTD))


def replayed(function, again, *args):
    """Call the function; with `again`, keep only its arguments and compute the whole of it again in backward."""
    if not again:
        return function(*args)
    with set_checkpoint_early_stop(False):
        return checkpoint(function, *args, use_reentrant=False)


def training_step(config, recompute="none", batch=2, seed=0):
    """One forward and backward of `batch` sequences, ready to be counted: divide its FLOPs by batch · sequence.

    Meter it yourself: `from grader import meter; meter.run(training_step(config)).flops`. A product of an m × k and a
    k × n matrix counts as 2·m·k·n; look-ups, norms, softmax and everything elementwise count as nothing.
    """
    torch.manual_seed(seed)
    model = Model(config)
    ids_BT = torch.randint(config["vocabulary"], (batch, config["sequence"] + 1))
    state = {}

    def forward():
        logits_BTV = model(ids_BT[:, :-1], recompute)
        state["loss"] = F.cross_entropy(logits_BTV.flatten(0, 1), ids_BT[:, 1:].flatten())

    return Program(
        phases=[("forward", forward), ("backward", lambda: state.pop("loss").backward())],
        observe=dict,
        modules=model,
        inputs=[ids_BT],
    )


def dense(layers, hidden, heads, vocabulary, sequence, **other):
    """A configuration with heads that fill the width, 4·hidden in the MLP and a head of its own, but for `other`."""
    usual = {"kv_heads": heads, "head_dim": hidden // heads, "ff": 4 * hidden, "gated": False}
    usual |= {"experts": 0, "top_k": 0, "tied": False}
    sizes = {"layers": layers, "hidden": hidden, "heads": heads, "vocabulary": vocabulary, "sequence": sequence}
    return sizes | usual | other


SMALL = dense(2, 64, 4, 300, 64)
TIED = SMALL | {"tied": True}
A100 = {"bf16_flops": 312e12, "with_sparsity": False}

PALM = dense(118, 18432, 48, 256_000, 2048, kv_heads=1, head_dim=256, gated=True, tied=True)
GPT_175B = dense(96, 12288, 96, 51_200, 2048, tied=True)


def _step(devices, replicas, micro_batch, accumulation, seconds, recompute="none"):
    batch = {"replicas": replicas, "micro_batch": micro_batch, "accumulation": accumulation}
    return {"devices": devices, "recompute": recompute, "step_seconds": seconds, **batch}


PUBLIC_CASES = [
    {"name": name, "family": name, "seed": 1, "measure": False, "questions": questions}
    for name, questions in {
        "dense": [{"ask": "flops_per_token", "config": SMALL}],
        "grouped-query": [{"ask": "flops_per_token", "config": SMALL | {"kv_heads": 1}}],
        "gated": [{"ask": "flops_per_token", "config": SMALL | {"gated": True, "ff": 176}}],
        "experts": [{"ask": "flops_per_token", "config": SMALL | {"experts": 4, "top_k": 2, "ff": 96}}],
        "tied-embeddings": [{"ask": "flops_per_token", "config": TIED}],
        "head-dimension": [{"ask": "flops_per_token", "config": SMALL | {"head_dim": 32}}],
        "job-rate": [
            {
                "ask": "mfu",
                "config": TIED,
                "run": {"devices": 8, "recompute": "none", "tokens_per_second": 1.5e9},
                "device": A100,
            }
        ],
        "accumulation": [{"ask": "mfu", "config": TIED, "run": _step(8, 2, 4, 16, 6e-6), "device": A100}],
        "recompute-in-mfu": [{"ask": "mfu", "config": TIED, "run": _step(8, 2, 4, 1, 4e-7, "full"), "device": A100}],
        "hfu-full": [{"ask": "hfu", "config": TIED, "run": _step(8, 2, 4, 1, 4e-7, "full"), "device": A100}],
        "published-runs": [
            {
                "ask": "mfu",
                "config": PALM,
                "run": {"devices": 6144, "recompute": "none", "tokens_per_second": 238_300},
                "device": {"bf16_flops": 275e12, "with_sparsity": False},
                "label": "PaLM 540B",
            },
            {
                "ask": "mfu",
                "config": GPT_175B,
                "run": _step(64, 1, 1, 64, 13.75, "attention"),
                "device": A100,
                "label": "GPT 175B",
            },
        ],
    }.items()
]


def prepare(case, entry):
    """Ask your functions this case's questions; answer i is named after what was asked."""
    answers = {}

    def ask():
        for number, question in enumerate(case["questions"], 1):
            arguments = [dict(question[name]) for name in ("config", "run", "device") if name in question]
            answers[f"{question['ask']} {number}"] = plain_number(entry[QUESTIONS[question["ask"]]](*arguments))

    return Program(phases=[("answers", ask)], observe=lambda: answers)


def plain_number(value):
    """Return any kind of real number as a float, and anything else as it is."""
    if isinstance(value, (bool, str)) or not hasattr(value, "__float__"):
        return value
    return float(value)
