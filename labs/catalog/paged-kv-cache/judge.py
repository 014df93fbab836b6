"""The judge's side of `paged-kv-cache`: hidden operations, the model of what is right, the checks and their hints."""

from pathlib import Path

import torch

from grader import catalog, lab_code
from grader.compare import compare
from grader.verdict import Check

PRIMARY = "pool"

POOL_TOLERANCE = 0.02
"""How far the live bytes may lie above 2 · blocks · block_tokens · kv_heads · head_dim · 4: room for tables."""

GATHER_ROOM = 2.5
"""What one gather may need above the pool, in sizes of the sequence: the result, whole blocks of it, and half more."""

TITLES = {
    "append-gather": "Sequences appended to in turn, gathered in order",
    "callers-tensors": "The k and v that append was given may be written over",
    "waste": "Less than one block is wasted a sequence",
    "fork": "A fork and its parent go separate ways",
    "fork-blocks": "A fork takes no block, and copies one block at most",
    "exhausted": "An exhausted pool raises MemoryError and harms nothing",
    "free": "Freed blocks come back, shared ones with their last user",
    "unknown": "Unknown sequences raise KeyError, an existing child ValueError",
    "traces": "A long random trace",
    "two-pools": "Two pools at once",
    "pool": "Contents of the pool whose bytes are measured",
}

CAUSES = {
    "append-gather": "Token t of a sequence lies in the block that its table names at t // block_tokens, in row "
    "t % block_tokens.",
    "callers-tensors": "Copy k and v into the pool when append is called: the caller uses its tensors again.",
    "waste": "Fill a sequence's last block before you take another, however few tokens an append brings, and reserve "
    "nothing ahead.",
    "fork": "Before a token is written into a block that another sequence uses too, the sequence that appends needs a "
    "copy of its own. Blocks that are full can stay shared for ever.",
    "fork-blocks": "A fork copies the table, not the blocks. On append only a partly filled last block is copied, and "
    "only while another sequence uses it: the last one to append writes in place.",
    "exhausted": "Count the blocks that an append needs before you write or take the first of them, and raise "
    "MemoryError if so many are not free. A sequence that could not begin does not exist.",
    "free": "Count the users of each block: a fork adds one to all of the parent's blocks, free takes one away, and so "
    "does a copy on write from the block that was copied. A block is free when nobody uses it, not before.",
    "unknown": "Look the sequence up before anything else: gather, fork and free raise KeyError for one that is not "
    "there, fork raises ValueError for a child that is. Neither changes anything.",
    "traces": "Small rules that hold one by one fail together somewhere: play the trace against a model that keeps "
    "each sequence as a list, and look at the first difference.",
    "two-pools": "Tables and blocks belong to one object: a list or dict in the class body is shared by all of them.",
    "pool": "The same code is right on small cases: look at what depends on the size of the pool.",
}


class Block:
    """One block of the model: how many sequences use it."""

    def __init__(self):
        self.users = 1


class Model:
    """What is right, with every sequence as a list of tokens, and blocks that are only counted.

    `append` also says whether the answer is beyond doubt: a pool in which the tokens would fit by a cleverer scheme
    than a copy of the shared last block may answer either way, so no case asks.
    """

    def __init__(self, blocks, block_tokens):
        self.blocks, self.block_tokens, self.free_blocks = blocks, block_tokens, blocks
        self.tokens = {}
        self.tables = {}
        self.written = 0

    def need(self, sequence, count):
        """Return the blocks that an append takes, the copy of a shared last block included."""
        length = len(self.tokens.get(sequence, ()))
        more = -(-(length + count) // self.block_tokens) - -(-length // self.block_tokens)
        return more + (length % self.block_tokens > 0 and self.tables[sequence][-1].users > 1)

    def alive(self):
        """Return how many different tokens the sequences hold: no pool can do with fewer places."""
        return len({token for tokens in self.tokens.values() for token in tokens})

    def doubtful(self, sequence, count):
        fits = self.need(sequence, count) <= self.free_blocks
        return not fits and self.alive() + count <= self.blocks * self.block_tokens

    def append(self, sequence, count):
        need = self.need(sequence, count)
        if need > self.free_blocks:
            return "MemoryError"
        self.free_blocks -= need
        tokens, table = self.tokens.setdefault(sequence, []), self.tables.setdefault(sequence, [])
        if len(tokens) % self.block_tokens and table[-1].users > 1:
            table[-1].users -= 1
            table[-1] = Block()
        tokens += range(self.written, self.written + count)
        self.written += count
        table += [Block() for _ in range(-(-len(tokens) // self.block_tokens) - len(table))]
        return "done"

    def fork(self, sequence, child):
        if sequence not in self.tokens:
            return "KeyError"
        if child in self.tokens:
            return "ValueError"
        self.tokens[child], self.tables[child] = list(self.tokens[sequence]), list(self.tables[sequence])
        for block in self.tables[child]:
            block.users += 1
        return "done"

    def free(self, sequence):
        if sequence not in self.tokens:
            return "KeyError"
        del self.tokens[sequence]
        for block in self.tables.pop(sequence):
            block.users -= 1
            self.free_blocks += block.users == 0
        return "done"

    def gather(self, sequence):
        return "done" if sequence in self.tokens else "KeyError"

    def play(self, operation):
        """Do one operation; return "done" or the name of the exception."""
        verb, *numbers = operation
        return getattr(self, verb)(*numbers)


def expected(case):
    """Return what a right cache does in each operation of a case, and what it gathers."""
    harness = lab_code.harness(catalog.load(Path(__file__).parent))
    given = harness.contents(case)
    model, found = Model(case["blocks"], case["block_tokens"]), {}
    brought = iter(given)
    rows = []
    for step, operation in enumerate(case["operations"]):
        pair = next(brought) if operation[0] == "append" else None
        outcome = model.play(operation)
        if pair is not None and outcome == "done":
            rows.append(torch.stack(pair, dim=1))
        if case["family"] == "pool":
            continue
        name = harness.label(step, operation)
        found[name] = outcome
        if operation[0] == "gather" and outcome == "done":
            both = torch.cat(rows)[model.tokens[operation[1]]]
            found[f"{name}: k"], found[f"{name}: v"] = both[:, 0], both[:, 1]
    if case["family"] == "two-pools":
        found |= {f"other pool, {name}": value for name, value in found.items() if ", append" in name}
    for sequence in case.get("gathered", ()):
        both = torch.cat(rows)[model.tokens[sequence]]
        for name, tensor in (("k", both[:, 0]), ("v", both[:, 1])):
            found[f"sequence {sequence}: length of {name}"] = len(tensor)
            found[f"sequence {sequence}: {name}"] = tensor[::16].clone()
    return found


class Trace:
    """Operations in the making, beside the model that says what each of them does."""

    def __init__(self, blocks, block_tokens):
        self.model, self.operations = Model(blocks, block_tokens), []

    def __call__(self, verb, *numbers):
        if verb == "append" and self.model.doubtful(*numbers):
            raise ValueError(f"append {numbers} may fit or not: no case asks")
        self.operations.append([verb, *numbers])
        return self.model.play(self.operations[-1])

    def gather_all(self):
        for sequence in self.model.tokens:
            self("gather", sequence)


def _append_gather(rng, trace):
    for _ in range(14):
        sequence = rng.randrange(1, 4)
        trace("append", sequence, rng.randrange(1, 2 * trace.model.block_tokens + 2))
        if rng.random() < 0.4:
            trace("gather", sequence)
    trace.gather_all()


def _waste(rng, trace):
    """Sequences grow by odd counts until the last block of each is the last block of the pool."""
    size, model = trace.model.block_tokens, trace.model
    lengths = {}
    while (left := model.blocks - sum(-(-n // size) for n in lengths.values())) > 0:
        lengths[len(lengths) + 1] = rng.randrange(1, min(left, 4) * size + 1)
    while lengths:
        sequence = rng.choice(list(lengths))
        count = min(lengths[sequence], rng.randrange(1, size))
        trace("append", sequence, count)
        lengths[sequence] -= count
        if not lengths[sequence]:
            del lengths[sequence]
    trace.gather_all()


def _fork(rng, trace):
    size = trace.model.block_tokens
    trace("append", 1, rng.randrange(1, 3) * size + rng.randrange(1, size))
    trace("fork", 1, 2)
    trace("append", 1, rng.randrange(1, size))
    trace("append", 2, rng.randrange(1, size))
    trace.gather_all()
    trace("fork", 2, 3)
    trace("append", 3, rng.randrange(1, 2 * size))
    trace("append", 2, 1)
    trace("free", 1)
    trace("append", 4, 2 * size)  # takes over what was freed
    trace("fork", 4, 5)  # at the edge of a block
    trace("append", 4, rng.randrange(1, size))
    trace("append", 5, rng.randrange(1, size))
    trace.gather_all()


def _fork_blocks(rng, trace):
    """Every block of the pool is needed if and only if each fork but the last to append copies one block."""
    model = trace.model
    forks = rng.randrange(2, 5)
    full = model.blocks - forks - 1
    trace("append", 1, full * model.block_tokens + rng.randrange(1, model.block_tokens - 1))
    family = [1, *range(2, 2 + forks)]
    for child in family[1:]:
        trace("fork", 1, child)
    rng.shuffle(family)
    for sequence in family:
        trace("append", sequence, 1)
    trace("fork", rng.choice(family), 9)  # no block is left, and none is needed
    trace("free", family[0])
    trace("fork", 9, 10)
    trace.gather_all()


def _exhausted(rng, trace):
    model, size = trace.model, trace.model.block_tokens
    first = rng.randrange(1, model.blocks - 2)
    trace("append", 1, first * size)
    trace("append", 2, (model.blocks - first - 1) * size)
    trace("append", 3, size + rng.randrange(1, size))  # one block is free: too much for a new sequence,
    trace("append", 1, size + 1)  # and for an old one
    trace("gather", 3)
    trace.gather_all()
    part = rng.randrange(1, size)
    trace("append", 1, part)
    trace("append", 1, size)
    trace("append", 2, size)
    trace("append", 1, size - part)
    for sequence in (1, 2, 4):
        trace("append", sequence, 1)
    trace.gather_all()
    trace("free", 2)
    trace("append", 4, (model.blocks - first - 1) * size)
    trace("append", 4, 1)
    trace.gather_all()


def _free(rng, trace):
    """Fill the pool and empty it, again and again; a child keeps its parent's blocks alive."""
    model, size = trace.model, trace.model.block_tokens
    writers = rng.sample(["parent", "child"] * 2, 4)
    for turn, writer in enumerate(writers):
        parent, child, other = 10 * turn + 1, 10 * turn + 2, 10 * turn + 3
        half = model.blocks // 2
        trace("append", parent, (half - 1) * size + rng.randrange(1, size))
        trace("fork", parent, child)
        trace("append", parent if writer == "parent" else child, 1)
        trace("free", parent)
        trace("append", other, (model.free_blocks) * size)  # would write over what was freed too early
        trace.gather_all()
        for sequence in rng.sample((child, other), 2):
            trace("free", sequence)
        trace("append", 10 * turn + 4, model.blocks * size)  # the whole pool is there again
        trace("free", 10 * turn + 4)
    trace("append", 99, model.blocks * size)
    trace("gather", 99)


def _unknown(rng, trace):
    size = trace.model.block_tokens
    for verb, numbers in rng.sample([("gather", (1,)), ("free", (1,)), ("fork", (1, 2))], 3):
        trace(verb, *numbers)
    trace("gather", 2)
    trace("append", 1, size + 1)
    trace("append", 2, 2)
    trace("fork", 1, 2)
    trace("fork", 1, 1)
    trace("free", 3)
    trace.gather_all()
    trace("fork", 1, 3)
    trace("free", 1)
    for verb, numbers in rng.sample([("gather", (1,)), ("free", (1,)), ("fork", (1, 4)), ("free", (1,))], 4):
        trace(verb, *numbers)
    trace("append", 1, rng.randrange(1, size))  # the same number, a new sequence
    trace.gather_all()


def _traces(rng, trace):
    model = trace.model
    for _ in range(220):
        living = list(model.tokens)
        sequence = rng.choice(living) if living and rng.random() < 0.9 else rng.randrange(1, 30)
        verb = rng.choices(("append", "fork", "free", "gather"), (50, 15, 15, 20))[0]
        if verb == "append":
            count = rng.randrange(1, 2 * model.block_tokens + 2) if rng.random() < 0.9 else 5 * model.block_tokens
            if model.doubtful(sequence, count):
                count = model.blocks * model.block_tokens + 1
            trace("append", sequence, count)
        elif verb == "fork":
            trace("fork", sequence, rng.randrange(1, 30))
        else:
            trace(verb, sequence)
    trace.gather_all()
    for sequence in list(model.tokens):
        trace("free", sequence)
    trace("append", 40, model.blocks * model.block_tokens + 1)
    trace("gather", 40)
    trace("append", 41, model.block_tokens + 1)
    trace("fork", 41, 42)
    trace("append", 41, 1)
    trace("append", 42, (model.blocks - 3) * model.block_tokens + 1)
    trace.gather_all()


def _pool(rng, trace):
    """Fill most of the pool; fork a sequence of a tenth of it eight times; append to all of them."""
    model, size = trace.model, trace.model.block_tokens
    trace("append", 1, model.blocks // 10 * size + rng.randrange(1, size - 1))
    for sequence in range(2, 10):
        trace("append", sequence, model.blocks * size // 11)
        trace("append", sequence, rng.randrange(1, 4))
    for child in range(10, 18):
        trace("fork", 1, child)
    for sequence in range(1, 18):
        for _ in range(3):
            trace("append", sequence, 1)


MAKERS = {
    "append-gather": _append_gather,
    "callers-tensors": _append_gather,
    "waste": _waste,
    "fork": _fork,
    "fork-blocks": _fork_blocks,
    "exhausted": _exhausted,
    "free": _free,
    "unknown": _unknown,
    "traces": _traces,
    "two-pools": _fork,
    "pool": _pool,
}


def cases(rng, harness, mode):
    """Draw the cases of one grading: public ones for Run, fresh operations and contents for Submit."""
    return harness.PUBLIC_CASES if mode == "run" else [draw(rng, family) for family in harness.FAMILIES]


def draw(rng, family):
    """Draw one case of a family."""
    roomy = family in ("append-gather", "callers-tensors", "fork", "two-pools")
    sizes = {
        "blocks": 60 if roomy else rng.randrange(8, 14),
        "block_tokens": rng.randrange(3, 7),
        "kv_heads": rng.randrange(1, 4),
        "head_dim": rng.choice((4, 6, 8)),
    }
    if family == "pool":
        sizes = {"blocks": 1024, "block_tokens": 16, "kv_heads": 8, "head_dim": 128, "gathered": [1, 5, 12, 17]}
    trace = Trace(sizes["blocks"], sizes["block_tokens"])
    MAKERS[family](rng, trace)
    case = {"name": family, "family": family, "seed": rng.getrandbits(31), "measure": family == "pool", **sizes}
    return case | {"operations": trace.operations, "overwrite": family == "callers-tensors"}


class ReferenceCache:
    """Two tensors for the pool, a list of free blocks, a count of users for each, a table for each sequence."""

    def __init__(self, blocks, block_tokens, kv_heads, head_dim):
        self.kv = torch.zeros(2, blocks, block_tokens, kv_heads, head_dim)
        self.size = block_tokens
        self.unused = list(range(blocks))
        self.users = [0] * blocks
        self.sequences = {}

    def take(self):
        block = self.unused.pop()
        self.users[block] = 1
        return block

    def release(self, block):
        self.users[block] -= 1
        if not self.users[block]:
            self.unused.append(block)

    def append(self, sequence, k, v):
        table, length = self.sequences.get(sequence, ((), 0))
        shared = length % self.size > 0 and self.users[table[-1]] > 1
        end = length + len(k)
        more = -(-end // self.size) - len(table)
        if more + shared > len(self.unused):
            raise MemoryError(f"{more + shared} blocks are needed and {len(self.unused)} are free")
        table = list(table)
        if shared:
            copy = self.take()
            self.kv[:, copy] = self.kv[:, table[-1]]
            self.release(table[-1])
            table[-1] = copy
        table += [self.take() for _ in range(more)]
        at = length
        while at < end:
            block, row = table[at // self.size], at % self.size
            count = min(self.size - row, end - at)
            for store, new in zip(self.kv, (k, v), strict=True):
                store[block, row : row + count] = new[at - length : at - length + count]
            at += count
        self.sequences[sequence] = (table, end)

    def gather(self, sequence):
        table, length = self.sequences[sequence]
        k, v = (store[table].flatten(0, 1)[:length] for store in self.kv)
        return k, v

    def fork(self, sequence, child):
        table, length = self.sequences[sequence]
        if child in self.sequences:
            raise ValueError(f"sequence {child} exists")
        for block in table:
            self.users[block] += 1
        self.sequences[child] = (list(table), length)

    def free(self, sequence):
        for block in self.sequences.pop(sequence)[0]:
            self.release(block)


REFERENCE = {"PagedCache": ReferenceCache}


def check(runs):
    """Return the checks of one grading; `runs` are grader.runs.CaseRun, one a case."""
    found = []
    for run in runs:
        found.append(_same(run))
        if run.crash is None and run.case["family"] == "pool":
            found += [_pool_bytes(run), _peak_bytes(run)]
    return found


def _same(run):
    """Judge what each operation did, and every tensor that was gathered; name the first difference."""
    family = run.case["family"]
    title, cause = TITLES[family], CAUSES[family]
    if run.crash is not None:
        where = f" (line {run.crash.line})" if run.crash.line else ""
        return Check(family, title, False, "as the model", "error", "", f"{run.crash.error}{where}. {cause}")
    shown = {name: value.partition(":")[0] if isinstance(value, str) else value for name, value in run.observed.items()}
    for name, right in run.expected.items():  # in the order of the operations
        difference = compare({name: right}, {name: shown.get(name)})
        if not difference.equal:
            hint = f"{_sentence(name, right, run.observed.get(name), difference)} {cause}"
            return Check(family, title, False, "as the model", "differs", "", hint)
    if extra := sorted(shown.keys() - run.expected.keys()):
        return Check(
            family, title, False, "as the model", "differs", "", f"{extra[0]} should not have been returned. {cause}"
        )
    return Check(family, title, True, "as the model", "as the model")


def _sentence(name, right, seen, difference):
    """Say how one operation differs. Outcomes are rules of the statement, so they may be named; contents may not."""
    if not isinstance(right, str):
        return difference.sentence()
    did = "nothing" if seen is None else "was done" if seen == "done" else f"raised {seen}"
    should = "should have been done" if right == "done" else f"should have raised {right}"
    return f"{name[0].upper()}{name[1:]}: {did}, and {should}."


def pool_bytes(case):
    """Return the bytes of the case's pool: keys and values, float32."""
    return 2 * case["blocks"] * case["block_tokens"] * case["kv_heads"] * case["head_dim"] * 4


def _pool_bytes(run):
    limit = int(pool_bytes(run.case) * (1 + POOL_TOLERANCE))
    actual = run.decided_bytes("saved_bytes")
    hint = "" if actual <= limit else (
        "More lives than the pool: sequences that are kept outside it, forks that copied their parent, a second copy."
    )  # fmt: skip
    return Check("pool-bytes", "Live bytes after appends and forks", actual <= limit, limit, actual, "bytes", hint)


def _peak_bytes(run):
    case = run.case
    model = Model(case["blocks"], case["block_tokens"])
    for operation in case["operations"]:
        model.play(operation)
    longest = max(len(model.tokens[sequence]) for sequence in case["gathered"])
    per_token = pool_bytes(case) // (case["blocks"] * case["block_tokens"])
    limit = int(pool_bytes(case) * (1 + POOL_TOLERANCE) + GATHER_ROOM * longest * per_token)
    actual = run.decided_bytes("peak_bytes")
    hint = "" if actual <= limit else (
        "Some operation made a copy of the pool, or of much of it. Write in place (pool[block, row] = k), and gather "
        "only the blocks in the table of the sequence."
    )  # fmt: skip
    return Check(
        "peak-bytes", "Peak of appends, forks, gathers and frees", actual <= limit, limit, actual, "bytes", hint
    )
