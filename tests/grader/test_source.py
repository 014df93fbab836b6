"""What is refused before anything runs, and the sentence that says why."""

import pytest

from grader import catalog
from grader.source import examine, forbidden_imports

LAB = catalog.get("checkpoint-function")
GOOD = b"def checkpoint(function, *args, **kwargs):\n    return function(*args, **kwargs)\n"


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (b"", "empty"),
        (b"  \n\t\n", "empty"),
        (GOOD + b"#" * 1_000_000, "the limit is 64 KiB"),
        (b"def checkpoint(:\n", "Line 1"),
        (b"x = 1\n\0", "Line 2 holds a NUL byte"),
        (b"# ok\nx = '\xff'\n", "Line 2 is not UTF-8 (byte 0xff)"),
        (b"def other(): pass\n", "does not define checkpoint()"),
        (b"(" * 60_000, "Python module"),
        (b"-" * 60_000 + b"1", "Python module"),
        (b"checkpoint = a" + b".b" * 20_000, "Python module"),
    ],
)
def test_refused_with_a_sentence_that_says_what_to_do(source, sentence):
    refusal = examine(source, LAB)
    assert refusal is not None
    assert sentence in refusal.message


@pytest.mark.parametrize(
    "source",
    [
        GOOD,
        b"checkpoint = lambda f, *a, **k: f(*a, **k)\n",
        b"from math import sin as checkpoint\n",
        b"class checkpoint:\n    pass\n",
        b"globals()['checkpoint'] = print\n",
        b"if True:\n    def checkpoint(): ...\n",
        b"\xef\xbb\xbf" + GOOD,
    ],
)
def test_whatever_may_define_the_entry_point_is_run(source):
    assert examine(source, LAB) is None


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (b"import torch.utils.checkpoint\n", 1),
        (b"\nfrom torch.utils.checkpoint import checkpoint as c\n", 2),
        (b"from torch.utils import checkpoint as library\n", 1),
        (b"import torch\n\nx = torch.utils.checkpoint.checkpoint\n", 3),
        (b"import torch.utils as u\nx = u.checkpoint.checkpoint\n", 2),
        (b"from torch import utils as u\nx = u.checkpoint.checkpoint\n", 2),
    ],
)
def test_the_library_call_is_found_where_it_stands(source, line):
    assert forbidden_imports(source, LAB)[0] == ("torch.utils.checkpoint", line)


def test_naming_it_in_a_comment_or_a_string_is_no_use_of_it():
    assert forbidden_imports(b"# torch.utils.checkpoint\nx = 'torch.utils.checkpoint'\n", LAB) == []
