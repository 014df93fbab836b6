"""How your `loss` is called. This file is the whole of what runs beside your code; the judge plays the same families
with sizes and seeds of its own, runs the plain update itself, and compares.

Your module defines

    loss(hidden_BTD, weight_VD, targets_BT)   # returns a float32 scalar, the mean over the targets that are not -100

`hidden_BTD` and `weight_VD` have the same dtype, float32 or bfloat16, and either may come without requires_grad.
`targets_BT` holds int64 token ids, or -100 where a position does not count; with no position left the loss is 0.

Shape suffixes: B batch, T time, N = B·T positions, D model width, V vocabulary.
"""

import torch
import torch.nn.functional as F

from grader.program import Program

IGNORED = -100


def plain(hidden_BTD, weight_VD, targets_BT):
    """The plain run: all logits at once, in float32 from the product on."""
    logits_NV = F.linear(hidden_BTD.reshape(-1, hidden_BTD.shape[-1]), weight_VD).float()
    targets_N = targets_BT.reshape(-1)
    kept = (targets_N != IGNORED).sum().clamp(min=1)
    return F.cross_entropy(logits_NV, targets_N, ignore_index=IGNORED, reduction="sum") / kept


PLAIN = {"loss": plain}


class Data:
    """Hidden states, head and targets of one call, drawn from the case's seed. Logits are of the order of 1."""

    def __init__(self, case, batch, time, dtype=torch.float32):
        self.device = case.get("device", "cpu")
        width, vocabulary = case["width"], case["vocabulary"]
        self.hidden_BTD = torch.randn(batch, time, width).to(self.device, dtype).requires_grad_()
        self.weight_VD = (torch.randn(vocabulary, width) / width**0.5).to(self.device, dtype).requires_grad_()
        self.targets_BT = torch.randint(vocabulary, (batch, time)).to(self.device)

    def gradients(self, prefix=""):
        return {f"{prefix}hidden.grad": self.hidden_BTD.grad, f"{prefix}weight.grad": self.weight_VD.grad}


def large(case, loss):
    """One update with a large vocabulary. Its bytes and its work are judged, and value and gradients as well."""
    data = Data(case, case["batch"], case["time"])
    for tensor in (data.hidden_BTD, data.weight_VD):  # gradients are resident, so that bytes are the loss's own
        tensor.grad = torch.zeros_like(tensor)
    inputs = [data.hidden_BTD, data.weight_VD, data.targets_BT]
    return program(lambda: loss(*inputs), data.gradients, inputs)


def odd_lengths(case, loss):
    """B·T positions of several sizes, one among them, none a multiple of a usual chunk."""
    calls = [Data(case, batch, time) for batch, time in case["shapes"]]
    seen = {}

    def body():
        for data in calls:
            seen[f"{shape(data)}: loss"] = loss(data.hidden_BTD, data.weight_VD, data.targets_BT)
        return sum(seen.values())

    return program(body, lambda: {**seen, **merged(data.gradients(f"{shape(data)}: ") for data in calls)})


def ignored_targets(case, loss):
    """A prompt whose targets are all -100 before an answer that counts, and -100 scattered over the other rows."""
    data = Data(case, case["batch"], case["time"])
    data.targets_BT[0, : case["time"] * 3 // 4] = IGNORED
    scattered = torch.rand(case["batch"] - 1, case["time"]) < 0.4
    data.targets_BT[1:][scattered.to(data.device)] = IGNORED
    return program(lambda: loss(data.hidden_BTD, data.weight_VD, data.targets_BT), data.gradients)


def all_ignored(case, loss):
    """No target counts: the loss is 0, backward works, and the gradients are zero (or absent)."""
    data = Data(case, case["batch"], case["time"])
    data.targets_BT.fill_(IGNORED)

    def observe():
        zeros = {"hidden.grad": data.hidden_BTD, "weight.grad": data.weight_VD}
        found = data.gradients()
        return {name: torch.zeros_like(zeros[name]) if grad is None else grad for name, grad in found.items()}

    return program(lambda: loss(data.hidden_BTD, data.weight_VD, data.targets_BT), observe)


def bfloat16(case, loss):
    """Hidden states and head in bfloat16: the gradients are bfloat16, the loss and the softmax are float32."""
    data = Data(case, case["batch"], case["time"], torch.bfloat16)
    return program(lambda: loss(data.hidden_BTD, data.weight_VD, data.targets_BT), data.gradients)


def large_logits(case, loss):
    """Logits in the hundreds, whose exponentials overflow. All of them are whole numbers, so products are exact."""
    data = Data(case, case["batch"], case["time"])
    with torch.no_grad():
        for tensor in (data.hidden_BTD, data.weight_VD):
            tensor.copy_(torch.randint(-9, 10, tensor.shape))
    return program(lambda: loss(data.hidden_BTD, data.weight_VD, data.targets_BT), data.gradients)


def upstream(case, loss):
    """The loss is not the end of the graph: it is scaled, squared, and added to another."""
    first, second = (Data(case, case["batch"], case["time"]) for _ in range(2))
    seen = {}

    def body():
        seen["first"] = loss(first.hidden_BTD, first.weight_VD, first.targets_BT)
        seen["second"] = loss(second.hidden_BTD, second.weight_VD, second.targets_BT)
        return seen["first"] * 0.25 + seen["second"].square()

    return program(body, lambda: {**seen, **first.gradients("first "), **second.gradients("second ")})


def tied_weights(case, loss):
    """The head is the embedding table too, and is used for two losses: its gradients add up."""
    data = Data(case, case["batch"], case["time"])
    table_VD, ids_BT = data.weight_VD, data.targets_BT.flip(0)

    def body():
        embedded_BTD = torch.tanh(F.embedding(ids_BT, table_VD) + data.hidden_BTD)
        return loss(embedded_BTD, table_VD, data.targets_BT) + loss(embedded_BTD * 2, table_VD, ids_BT)

    return program(body, data.gradients)


def frozen(case, loss):
    """Only the hidden states need a gradient, only the head does, and a value under no_grad."""
    first, second, third = (Data(case, case["batch"], case["time"]) for _ in range(3))
    first.weight_VD.requires_grad_(False)
    second.hidden_BTD.requires_grad_(False)
    seen = {}

    def body():
        with torch.no_grad():
            seen["value under no_grad"] = loss(third.hidden_BTD, third.weight_VD, third.targets_BT)
            seen["under no_grad, requires_grad"] = seen["value under no_grad"].requires_grad
        return loss(first.hidden_BTD, first.weight_VD, first.targets_BT) + loss(
            second.hidden_BTD, second.weight_VD, second.targets_BT
        )

    return program(body, lambda: {**seen, **first.gradients("frozen head: "), **second.gradients("frozen hidden: ")})


def layouts(case, loss):
    """Hidden states and targets that came as T·B and were transposed: no `view` flattens them."""
    data = Data(case, case["time"], case["batch"])
    hidden_BTD, targets_BT = data.hidden_BTD.transpose(0, 1), data.targets_BT.transpose(0, 1)
    return program(lambda: loss(hidden_BTD, data.weight_VD, targets_BT), data.gradients)


FAMILIES = {
    "large": large,
    "odd-lengths": odd_lengths,
    "ignored-targets": ignored_targets,
    "all-ignored": all_ignored,
    "bfloat16": bfloat16,
    "large-logits": large_logits,
    "upstream": upstream,
    "tied-weights": tied_weights,
    "frozen": frozen,
    "layouts": layouts,
}

SMALL = {"batch": 3, "time": 37, "width": 16, "vocabulary": 101, "shapes": [[1, 1], [1, 7], [3, 43], [2, 333]]}

PUBLIC_CASES = [
    {
        "name": "large",
        "family": "large",
        "seed": 1,
        "measure": True,
        "batch": 2,
        "time": 667,
        "width": 48,
        "vocabulary": 8192,
    },
    *({"name": name, "family": name, "seed": 2, "measure": False, **SMALL} for name in FAMILIES if name != "large"),
]


def prepare(case, entry):
    """Build one update of one case. `entry["loss"]` is your function, or `plain`."""
    torch.manual_seed(case["seed"])
    return FAMILIES[case["family"]](case, entry["loss"])


def shape(data):
    """Name a call by its batch and time: "B3 T43"."""
    return "B{} T{}".format(*data.targets_BT.shape)


def merged(mappings):
    return {name: value for mapping in mappings for name, value in mapping.items()}


def program(body, observe, inputs=()):
    """One forward that returns a loss, one backward."""
    state = {}

    def forward():
        state["loss"] = body()

    def backward():
        state["loss"].backward()
        state["loss"] = state["loss"].detach()

    return Program(
        phases=[("forward", forward), ("backward", backward)],
        observe=lambda: {"loss": state["loss"], **observe()},
        inputs=inputs,
    )
