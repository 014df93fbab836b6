"""The compiler stays away where nobody asks for it, and is there where somebody does."""

import subprocess
import sys
import types

import pytest

from grader import compiler, judge

BEGIN = """
import sys
import torch
from grader import compiler, meter
compiler.put_off()
meter.warm()
x = torch.ones(3, requires_grad=True)
before = len(sys.modules)
"""
END = "\nprint('torch._dynamo.eval_frame' in sys.modules, len(sys.modules) - before < 10)"


@pytest.mark.parametrize(
    ("code", "imported"),
    [
        ("", False),
        ("torch.optim.AdamW([x]).step()", False),
        ("torch.utils.checkpoint.checkpoint(torch.sin, x, use_reentrant=True).sum().backward()", False),
        ("torch.utils.checkpoint.checkpoint(torch.sin, x, use_reentrant=False).sum().backward()", False),
        ("(2 * x).backward(torch.ones(3))", False),
        ("assert torch.func.vjp(torch.sin, x)[1](x)[0].shape == (3,)", True),
        ("assert torch.compile(lambda a: a * 2, backend='eager')(x).sum() == 6", True),
        ("from torch._dynamo import config; assert config.suppress_errors is False", True),
        ("import torch._dynamo.utils; assert torch._dynamo is sys.modules['torch._dynamo']", True),
        ("compiler.load(); torch.optim.AdamW([x]).step()", True),
    ],
)
def test_only_what_compiles_imports_the_compiler(code, imported):
    found = subprocess.run([sys.executable, "-c", BEGIN + code + END], capture_output=True, text=True, check=True)
    assert found.stdout.split() == [str(imported), str(not imported)]


def test_a_compiler_that_is_there_already_is_left_alone(monkeypatch):
    there = types.ModuleType(compiler.NAME)
    monkeypatch.setitem(sys.modules, compiler.NAME, there)
    compiler.put_off()
    assert sys.modules[compiler.NAME] is there


def test_the_stand_in_does_what_running_uncompiled_needs_and_answers_no_inspection(monkeypatch):
    monkeypatch.setattr(compiler, "load", lambda: pytest.fail("the compiler was asked for"))
    stand_in = compiler._StandIn(compiler.NAME)
    assert stand_in.disable(len) is stand_in.disable()(len) is len
    assert stand_in.graph_break("here") is None
    with pytest.raises(AttributeError, match="__wrapped__"):
        _ = stand_in.__wrapped__


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        (b"import torch\n\ndef checkpoint(function, *args): ...", False),
        (b"from torch.func import vjp", True),
        (b"torch.compile(f)", True),
        (b"import torch._dynamo as d", True),
        (b"functions = function", False),
    ],
)
def test_a_source_says_whether_it_may_want_the_compiler(source, wanted):
    assert compiler.wanted(source) is wanted


THROUGH_VJP = b'''
import torch


class Replayed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, function, *args):
        ctx.function, ctx.args = function, args
        ctx.random = torch.get_rng_state()
        return function(*args)

    @staticmethod
    def backward(ctx, grad):
        return None, None


def checkpoint(function, *args):
    """Not right in the gradients, but its bytes must not be blamed for what torch imports."""
    torch.func.vjp(torch.sin, torch.ones(3))[1](torch.ones(3))
    return function(*args)
'''


def test_the_compilers_memory_is_not_the_submissions():
    verdict = judge.grade("checkpoint-function", THROUGH_VJP, mode="run")
    own, kernel = verdict.measurements.peak_bytes, verdict.measurements.kernel_peak_bytes
    assert own and kernel and kernel < own + 6_000_000, verdict.message
