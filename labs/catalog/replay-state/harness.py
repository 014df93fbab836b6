"""How your `checkpoint` is called. This file is the whole of what runs beside your code; the judge plays the same
families with sizes and seeds of its own, runs the plain update itself, and compares.

Your module defines

    checkpoint(function, *args, **kwargs)   # returns what function(*args, **kwargs) returns

`function` is an nn.Module or a bound method of one. What it writes while it runs is

- a random stream: torch's default generator, Python's `random`, `numpy.random`, or a torch.Generator that is an
  attribute of the module (or of a submodule) or an argument;
- a buffer of the module or of a submodule, changed in place or replaced;
- a plain attribute of either: a number, a string, a bool (`training` is one), a tensor, a list or a dict;
- a list or a dict that is an argument.

Lists and dicts are flat: numbers and tensors, and these tensors are replaced or added, never changed in place.
No tensor written this way carries a gradient.

Shape suffixes: R rows, D model width, H hidden width, E experts.
"""

import random

import numpy
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.parametrizations import spectral_norm

from grader.program import Program


def plain(function, *args, **kwargs):
    """The plain run: no checkpointing, no replay, everything moves once."""
    return function(*args, **kwargs)


PLAIN = {"checkpoint": plain}


class RunningScale(nn.Module):
    """Divide by a running average of the largest element: a buffer changed in place, one replaced, and read."""

    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(()))
        self.register_buffer("updates", torch.zeros((), dtype=torch.int64), persistent=False)

    def forward(self, x):
        with torch.no_grad():
            self.scale.mul_(0.8).add_(0.2 * x.abs().max())
            self.updates = self.updates + 1
        return x * (1.0 / self.scale.item())


class Memory(nn.Module):
    """Remember the mean of every input and add the mean of all of them: a list and a counter as attributes."""

    def __init__(self):
        super().__init__()
        self.seen = []
        self.calls = 0

    def forward(self, x_RD):
        self.calls += 1
        self.seen.append(x_RD.detach().mean(dim=0))
        return torch.tanh(x_RD / self.calls + torch.stack(self.seen).mean(dim=0))


class Chance(nn.Module):
    """Noise from a generator of its own, a factor from Python's `random`, another from `numpy.random`."""

    def __init__(self, seed):
        super().__init__()
        self.generator = torch.Generator().manual_seed(seed)

    def forward(self, x):
        noise = torch.randn(x.shape, generator=self.generator)
        return torch.tanh(x * (0.5 + random.random()) + noise * numpy.random.rand())


class Block(nn.Module):
    """Something with state, then two linear layers around a GELU with dropout, and a residual."""

    def __init__(self, width, hidden, state, dropout=0.1):
        super().__init__()
        self.state = state
        self.up = nn.Linear(width, hidden)
        self.down = nn.Linear(hidden, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x_RD):
        h_RH = self.dropout(F.gelu(self.up(self.state(x_RD))))
        return x_RD + self.down(h_RH)


def make_state(kind, width):
    """Build one of the four kinds of state that the chain goes through in turn."""
    return [lambda: nn.BatchNorm1d(width), RunningScale, Memory, lambda: Chance(kind)][kind % 4]()


def chain(case, checkpoint):
    """Blocks in a row with four kinds of state. The bytes, the work, the gradients and the state are judged."""
    width = case["width"]
    blocks = nn.ModuleList(Block(width, 4 * width, make_state(number, width)) for number in range(case["blocks"]))
    x_RD = torch.randn(case["rows"], width, requires_grad=True)
    direction_RD = torch.randn(case["rows"], width)
    for tensor in (x_RD, *blocks.parameters()):  # gradients are resident, so that bytes are activations
        tensor.grad = torch.zeros_like(tensor)
    loss = {}

    def forward():
        h_RD = x_RD
        for block in blocks:
            h_RD = checkpoint(block, h_RD)
        loss["loss"] = torch.dot(h_RD.flatten(), direction_RD.flatten()) / h_RD.numel()

    def backward():
        loss["loss"].backward()
        loss["loss"] = loss["loss"].detach()

    return Program(
        phases=[("forward", forward), ("backward", backward)],
        observe=lambda: {**loss, "x.grad": x_RD.grad, **gradients(blocks), **state_of(blocks), **streams()},
        modules=blocks,
        inputs=[x_RD, direction_RD],
    )


class Noise(nn.Module):
    """Draw from torch's default generator in every way there is a name for."""

    def forward(self, x_RD):
        rows, width = x_RD.shape
        h = F.dropout(x_RD, 0.2) + F.alpha_dropout(x_RD, 0.1) * F.dropout1d(x_RD, 0.3)
        h = h * torch.rand_like(h) + torch.randn(width) * x_RD
        h = h[torch.randperm(rows)] * torch.empty_like(h).normal_(1.0, 0.5)
        h = h * torch.bernoulli(torch.full_like(h, 0.7)) + x_RD[torch.randint(rows, (rows,))].sin()
        chosen = torch.multinomial(h.detach().softmax(dim=-1), 3)
        h = h + h.gather(1, chosen).sum(dim=1, keepdim=True) * torch.empty(rows, 1).exponential_()
        h = F.gumbel_softmax(h, tau=2.0) * x_RD + F.rrelu(h, training=True)
        return torch.tanh(h * torch.poisson(torch.full_like(h, 2.0)) * torch.empty_like(h).uniform_(0.5, 1.5))


def random_operators(case, checkpoint):
    """Dropout of every kind, rand_like, normal_, randint, multinomial and others: the replay sees the same draws."""
    first, second = Noise(), Noise()
    x = torch.randn(case["rows"], case["width"], requires_grad=True)
    weight = torch.randn(case["width"], case["width"], requires_grad=True)

    def body():
        return checkpoint(second, checkpoint(first, x @ weight)).square().mean()

    return simple(body, lambda: {"x.grad": x.grad, "weight.grad": weight.grad})


def random_stream(case, checkpoint):
    """Two updates that draw between forward and backward: each draw is the one that the plain run makes there."""
    block = Block(case["width"], 2 * case["width"], nn.Identity(), dropout=0.4)
    seen = {}

    def update():
        for number in range(2):
            x = torch.randn(case["rows"], case["width"])
            loss = checkpoint(block, checkpoint(block, x)).square().mean()
            seen[f"drawn before backward {number}"] = torch.rand(4)
            loss.backward()
            seen[f"drawn after backward {number}"] = torch.rand(4)

    return Program([("update", update)], lambda: {**seen, **gradients(block)}, modules=block)


class Jitter(nn.Module):
    """Noise from a generator that comes as an argument, and from one that is an attribute."""

    def __init__(self, width, seed):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.own = torch.Generator().manual_seed(seed)

    def forward(self, x, generator=None):
        h = self.linear(x) * torch.rand(x.shape, generator=generator)
        keep = torch.empty_like(h).bernoulli_(0.8, generator=self.own)
        return torch.tanh(h * keep)


def generators(case, checkpoint):
    """torch.Generator as an argument and as an attribute: same draws in the replay, and left where forward left it."""
    layer = Jitter(case["width"], case["seed"] + 1)
    given = torch.Generator().manual_seed(case["seed"] + 2)
    x = torch.randn(case["rows"], case["width"], requires_grad=True)
    drawn = {}

    def body():
        h = checkpoint(layer, checkpoint(layer, x, given), generator=given)
        drawn["from the argument, before backward"] = torch.rand(4, generator=given)
        return h.square().mean()

    def observe():
        after = {"argument": torch.rand(4, generator=given), "attribute": torch.rand(4, generator=layer.own)}
        return {"x.grad": x.grad, **drawn, **{f"next of the {k}": v for k, v in after.items()}, **gradients(layer)}

    return simple(body, observe)


class Branches(nn.Module):
    """Take three of six branches by Python's `random`, mix rows by a permutation of numpy's."""

    def __init__(self, width):
        super().__init__()
        self.branches = nn.ModuleList(nn.Linear(width, width) for _ in range(6))

    def forward(self, x):
        for _ in range(3):
            x = x + random.choice(self.branches)(x).tanh()
        order = torch.from_numpy(numpy.random.permutation(x.shape[0]))
        return x * x[order].sigmoid() * random.choice([0.5, 1.0, 2.0])


def python_and_numpy(case, checkpoint):
    """Branches chosen by Python's `random`, rows permuted by `numpy.random`: same path, both streams in place."""
    layers = nn.ModuleList(Branches(case["width"]) for _ in range(2))
    x = torch.randn(case["rows"], case["width"], requires_grad=True)

    def body():
        return checkpoint(layers[1], checkpoint(layers[0], x)).square().mean()

    return simple(body, lambda: {"x.grad": x.grad, **gradients(layers), **streams()})


def batchnorm(case, checkpoint):
    """BatchNorm's running statistics move once for each call, with a fixed momentum and with a cumulative average."""
    width = case["width"]
    blocks = nn.ModuleList(
        Block(width, 2 * width, nn.BatchNorm1d(width, momentum=momentum), dropout=0.0) for momentum in (0.1, None)
    )
    batches = [torch.randn(case["rows"], width) * (number + 1) + number for number in range(2)]

    def update():
        for batch in batches:
            h = checkpoint(blocks[1], checkpoint(blocks[0], batch))
            checkpoint(blocks[0], h).square().mean().backward()

    return Program([("update", update)], lambda: {**state_of(blocks), **gradients(blocks)}, modules=blocks)


def buffers(case, checkpoint):
    """Buffers that forward writes and reads: a running scale, and spectral norm's power iteration."""
    width = case["width"]
    layer = nn.Sequential(RunningScale(), spectral_norm(nn.Linear(width, width)), nn.Tanh(), RunningScale(), nn.GELU())
    x = torch.randn(case["rows"], width, requires_grad=True)

    def body():
        return (checkpoint(layer, checkpoint(layer, x)) * 10).square().mean()

    return simple(body, lambda: {"x.grad": x.grad, **gradients(layer), **state_of(layer)})


class Diary(nn.Module):
    """Counters, a running number, a dict and a tensor as plain attributes; the path depends on the counter."""

    def __init__(self, width):
        super().__init__()
        self.cold, self.warm = nn.Linear(width, width), nn.Linear(width, width)
        self.memory = Memory()
        self.calls = 0
        self.largest = 0.0
        self.last = {}
        self.average = torch.zeros(width)

    def forward(self, x_RD):
        self.calls += 1
        h_RD = self.cold(x_RD).tanh() if self.calls <= 1 else self.warm(x_RD).sigmoid() * x_RD
        self.largest = 0.5 * self.largest + float(h_RD.detach().abs().max())
        self.last[f"mean {self.calls}"] = h_RD.detach().mean(dim=0)
        self.last["rows"] = self.last.get("rows", 0) + len(h_RD)
        self.average = 0.9 * self.average + h_RD.detach().mean(dim=0)
        return self.memory(h_RD * self.largest - self.average).exp()


def attributes(case, checkpoint):
    """Counters, lists, dicts and tensors as attributes, written once; the third call must replay as the third."""
    layer = Diary(case["width"])
    x = torch.randn(case["rows"], case["width"], requires_grad=True)

    def body():
        h = x
        for _ in range(3):
            h = checkpoint(layer, h)
        return h.square().mean()

    return simple(body, lambda: {"x.grad": x.grad, **gradients(layer), **state_of(layer)})


class Attention(nn.Module):
    """One step of attention over everything cached so far. The cache belongs to the caller."""

    def __init__(self, width):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)

    def step(self, x_RD, keys, *, values, facts):
        q_RD, k_RD, v_RD = self.qkv(x_RD).chunk(3, dim=-1)
        past_k_RND, past_v_RND = (torch.stack([*past, new], dim=1) for past, new in ((keys, k_RD), (values, v_RD)))
        keys.append(k_RD.detach())
        values.append(v_RD.detach())
        facts["tokens"] = facts.get("tokens", 0) + 1
        facts["last"] = v_RD.detach()
        weights_RN = torch.einsum("rd,rnd->rn", q_RD, past_k_RND).softmax(dim=-1)
        return torch.einsum("rn,rnd->rd", weights_RN, past_v_RND) * facts["tokens"]


def cache(case, checkpoint):
    """A key/value cache in lists, and a dict, given as arguments: one entry a step, also after the replays."""
    layer = Attention(case["width"])
    x = torch.randn(case["rows"], case["width"], requires_grad=True)
    keys, values, facts = [], [], {}

    def body():
        h = x
        for _ in range(3):
            h = h + checkpoint(layer.step, h, keys, values=values, facts=facts)
        return h.square().mean()

    def observe():
        entries = {f"key {i}": k for i, k in enumerate(keys)} | {f"value {i}": v for i, v in enumerate(values)}
        said = {f"facts.{name}": value for name, value in facts.items()}
        return {"x.grad": x.grad, "steps": len(keys), **entries, **said, **gradients(layer)}

    return simple(body, observe)


class Router(nn.Module):
    """Noisy top-2 of E experts, balanced by a bias that every forward moves: another route saves other shapes."""

    def __init__(self, width, experts=5):
        super().__init__()
        self.gate = nn.Linear(width, experts, bias=False)
        self.experts = nn.ModuleList(nn.Linear(width, width) for _ in range(experts))
        self.register_buffer("bias", torch.zeros(experts))
        self.register_buffer("load", torch.zeros(experts, dtype=torch.int64))

    def forward(self, x_RD):
        scores_RE = self.gate(x_RD) + torch.randn(x_RD.shape[0], len(self.experts))
        chosen_R2 = (scores_RE + self.bias).topk(2, dim=-1).indices
        load_E = torch.bincount(chosen_R2.flatten(), minlength=len(self.experts))
        self.load += load_E
        self.bias += 0.3 * torch.sign(load_E.float().mean() - load_E)
        weights_RE = scores_RE.softmax(dim=-1)
        out_RD = torch.zeros_like(x_RD)
        for number, expert in enumerate(self.experts):
            rows = (chosen_R2 == number).any(dim=-1).nonzero().squeeze(-1)
            part = expert(x_RD[rows]).tanh() * weights_RE[rows, number, None]
            out_RD = out_RD.index_add(0, rows, part)
        return x_RD + out_RD


def router(case, checkpoint):
    """A mixture of experts whose balancing bias moves in forward: the replay takes the route that forward took."""
    layer = Router(case["width"])
    x = torch.randn(case["rows"], case["width"], requires_grad=True)

    def body():
        return checkpoint(layer, checkpoint(layer, x)).square().mean()

    return simple(body, lambda: {"x.grad": x.grad, **gradients(layer), **state_of(layer)})


def autocast(case, checkpoint):
    """Forward under autocast with statistics, a running scale and dropout; backward outside it."""
    width = case["width"]
    blocks = nn.ModuleList(Block(width, 2 * width, make_state(kind, width), dropout=0.2) for kind in range(4))
    x = torch.randn(case["rows"], width, requires_grad=True)

    def body():
        h = x
        with torch.autocast("cpu", dtype=torch.bfloat16):
            for block in blocks:
                h = checkpoint(block, h)
        return h.float().square().mean()

    return simple(body, lambda: {"x.grad": x.grad, **gradients(blocks), **state_of(blocks), **streams()})


def nesting(case, checkpoint):
    """A module that checkpoints its own submodules, checkpointed itself: all of them have state."""
    width = case["width"]

    class Pair(nn.Module):
        def __init__(self, first, second):
            super().__init__()
            self.first, self.second = first, second
            self.calls = 0

        def forward(self, x):
            self.calls += 1
            return checkpoint(self.second, checkpoint(self.first, x).tanh()) * self.calls

    def block(kind):
        return Block(width, 2 * width, make_state(kind, width), dropout=0.2)

    model = Pair(Pair(block(0), block(1)), Pair(block(2), block(3)))
    x = torch.randn(case["rows"], width, requires_grad=True)

    def body():
        return checkpoint(model, checkpoint(model, x)).square().mean()

    return simple(body, lambda: {"x.grad": x.grad, **gradients(model), **state_of(model), **streams()})


def order(case, checkpoint):
    """Backwards in another order than forwards, a forward in between, and a trainer that changes state meanwhile."""
    width = case["width"]
    kinds = [nn.BatchNorm1d(width), RunningScale(), Memory(), Chance(case["seed"] % 1000)]
    model = nn.Sequential(*(Block(width, width, kind, dropout=0.2) for kind in kinds))
    model.note = 1
    batches = [torch.randn(case["rows"], width, requires_grad=True) for _ in range(3)]

    def update():
        losses = [checkpoint(model, batch).square().mean() for batch in batches[:2]]
        losses[0].backward()
        losses.append(checkpoint(model, batches[2]).square().mean())
        model.note = 2
        model[1].state.scale.mul_(3)
        model[2].state.seen.append(torch.ones(width))
        losses[2].backward()
        losses[1].backward()

    def observe():
        named = {f"batch {i}.grad": batch.grad for i, batch in enumerate(batches)}
        return {"note": model.note, **named, **gradients(model), **state_of(model), **streams()}

    return Program([("update", update)], observe, modules=model)


def evaluation(case, checkpoint):
    """Evaluation mode moves nothing, with and without gradients; a switch to it before backward changes no replay."""
    width = case["width"]
    model = nn.Sequential(nn.Linear(width, width), nn.BatchNorm1d(width), nn.Dropout(0.3), nn.Linear(width, width))
    frozen = nn.Sequential(nn.Linear(width, width), nn.BatchNorm1d(width), nn.Dropout(0.3), nn.Tanh()).eval()
    x = torch.randn(case["rows"], width, requires_grad=True)
    seen = {}

    def update():
        loss = checkpoint(model, checkpoint(frozen, x)).square().mean()
        model.eval()
        with torch.no_grad():
            seen["evaluated"] = checkpoint(model, x)
        loss.backward()
        seen["drawn"] = torch.rand(4)
        seen["modes"] = str([module.training for module in (*model.modules(), *frozen.modules())])

    def observe():
        states = {**state_of(model), **{f"frozen.{k}": v for k, v in state_of(frozen).items()}}
        return {"x.grad": x.grad, **seen, **gradients(model), **gradients(frozen, "frozen."), **states}

    return Program([("update", update)], observe, modules=model)


FAMILIES = {
    "chain": chain,
    "random-operators": random_operators,
    "random-stream": random_stream,
    "generators": generators,
    "python-and-numpy": python_and_numpy,
    "batchnorm": batchnorm,
    "buffers": buffers,
    "attributes": attributes,
    "cache": cache,
    "router": router,
    "autocast": autocast,
    "nesting": nesting,
    "order": order,
    "evaluation": evaluation,
}

SMALL = {"rows": 24, "width": 16}

PUBLIC_CASES = [
    {"name": "chain", "family": "chain", "seed": 1, "measure": True, "blocks": 8, "rows": 512, "width": 128},
    *({"name": name, "family": name, "seed": 2, "measure": False, **SMALL} for name in FAMILIES if name != "chain"),
]


def prepare(case, entry):
    """Build one update of one case. `entry["checkpoint"]` is your function, or `plain`."""
    torch.manual_seed(case["seed"])
    random.seed(case["seed"])
    numpy.random.seed(case["seed"])
    return FAMILIES[case["family"]](case, entry["checkpoint"])


def gradients(module, prefix=""):
    """Name every parameter's gradient (None where there is none)."""
    return {f"{prefix}{name}.grad": parameter.grad for name, parameter in module.named_parameters()}


def state_of(model):
    """Name every buffer, and every number, tensor, list and dict that is an attribute, of a module and below."""
    found = dict(model.named_buffers())
    for path, module in model.named_modules():
        for name, value in vars(module).items():
            where = f"{path}.{name}".lstrip(".")
            if name.startswith("_") or name == "training":
                continue
            if isinstance(value, int | float | torch.Tensor):
                found[where] = value
            elif isinstance(value, list):
                found[f"{where}, entries"] = len(value)
                found |= {f"{where}[{i}]": entry for i, entry in enumerate(value)}
            elif isinstance(value, dict):
                found[f"{where}, entries"] = len(value)
                found |= {f"{where}[{key!r}]": entry for key, entry in value.items()}
            elif isinstance(value, torch.Generator):
                found[f"next of {where}"] = torch.rand(4, generator=value)
    return found


def streams():
    """Draw once from each global stream: where do they stand?"""
    python, nump = random.random(), float(numpy.random.rand())
    return {"next of torch": torch.rand(4), "next of random": python, "next of numpy.random": nump}


def simple(body, observe):
    """One forward that returns a loss, one backward."""
    state = {}

    def forward():
        state["loss"] = body()

    def backward():
        state["loss"].backward()
        state["loss"] = state["loss"].detach()

    return Program([("forward", forward), ("backward", backward)], lambda: {"loss": state["loss"], **observe()})
