"""The benchmark of typing measures every key, in the editor as it is; how long one takes is for `bench.keystrokes`."""

from bench import keystrokes
from tests.face.conftest import Stage


def test_every_key_is_a_sample_and_stands_in_the_file(stage: Stage) -> None:
    found = keystrokes.measured(stage, lines=800, keys=20)
    assert [len(found[what].samples) for what in ("letters", "new lines")] == [20, 2]
    assert all(sample > 0 for one in found.values() for sample in one.samples)
    assert all(one.work > 0 for one in found.values())
    code = stage.page.locator("#code").input_value()
    assert ("x" * 20 + "\n\n") in code and code.count("\n") == 800 + 2


def test_its_file_is_a_module_of_the_length_asked_for() -> None:
    for lines in keystrokes.LINES:
        assert keystrokes.source(lines).count("\n") == lines
    compile(keystrokes.source(800), "typed.py", "exec")


def test_what_is_printed_are_median_quantile_and_highest() -> None:
    figures = keystrokes.Typed([float(n) for n in range(1, 102)], 2.5).figures()
    assert figures == {"median": 51.0, "p95": 96.0, "highest": 101.0, "work": 2.5}
