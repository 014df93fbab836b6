"""What authors and readers write: any text gives a page or a named fault, and never markup that was not allowed."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from courses import calculators
from courses.authoring import sums
from courses.authoring.formulas import to_mathml
from courses.authoring.frontmatter import Lines, split_page
from courses.authoring.links import slugify
from courses.authoring.numbers import Sources, evaluate, read_inputs
from courses.authoring.problems import AuthorError, Problem
from discussion.markup import links_elsewhere, tidy, to_html
from tests.courses.test_rendering import page
from tests.discussion.test_markup import faults
from tests.support.payloads import PAYLOADS

TEXT = st.text(max_size=120)
# Pieces that mean something to the engine, in any order: plain random text seldom opens a block.
MARKS = st.sampled_from(
    ["\n", "\n\n", "    ", "/// ", "///", "/// details | x", "/// term | x", "/// figure | run", 
     "/// calculator | kv-cache",
     "```", "```python run", "```output", "$", "$$", "[[=", "]]", "[[given ", "[x](", ")", "[^1]", "[^1]: ", "|",
     "|---|",
     "# ", "## ", "### ", "- ", "1. ", "> ", "!!! note", "**", "`", "<", ">", "{: #a }", "\\", "&", "lesson:kv-cache",
     "measured:run.numbers.peak_bytes", "javascript:", "time-to-train.seconds()"]
)  # fmt: skip
WRITTEN = st.lists(MARKS | TEXT | st.sampled_from(PAYLOADS), max_size=12).map("".join)
YAML = st.lists(
    st.sampled_from(
        ["a", "b: ", "- ", "\n", "\n  ", "[", "]", "{", "}", ", ", ": ", "&x ", "*x", "<<: ", "? ", "|", "> ", "'",
         '"', "#",
         "!!int ",
         "!!timestamp ", "!!binary ", "!!float ", "!!set ", "!!omap ", "!x ", "2026-13-45", "1:99:99", "0x", "0b2",
         ".inf", "~",
         "true", "---", "...", "%YAML 9.9", "\t", "\x00", "\ud800", "[" * 400, "{a: " * 300]
    ) | st.text(max_size=10),
    max_size=14,
).map("".join)  # fmt: skip
SOURCES = Sources(calculators.get, calculators.all_calculators, {"run": {"numbers": {"peak_bytes": 2**21}}})


@given(YAML, TEXT)
def test_front_matter_is_read_or_its_fault_is_named(front: str, body: str) -> None:
    problems: list[Problem] = []
    meta, rest, line = split_page(Path("page.md"), f"---\n{front}\n---\n{body}", problems)
    assert isinstance(meta, Lines) and isinstance(rest, str) and line >= 1
    assert all(each.message and each.cure for each in problems)


@given(WRITTEN)
def test_a_page_is_rendered_or_its_faults_are_named(text: str) -> None:
    renderer = page()
    made = renderer.section(text, 1)
    renderer.finish()
    assert all(each.message for each in renderer.problems)
    low = made.html.lower()
    assert "<script" not in low and "<iframe" not in low and "<base" not in low


@given(
    st.text(max_size=60) | st.lists(st.sampled_from(list("\\{}_^&$ab12")) | st.just("\\frac"), max_size=20).map("".join)
)
def test_a_formula_converts_or_its_fault_is_named(latex: str) -> None:
    try:
        made = to_mathml(latex)
    except AuthorError as fault:
        assert fault.message
    else:
        assert made.startswith("<math")


EXPRESSION = st.lists(
    st.sampled_from(
        ["1", "2e9", "9" * 400, "1e400", "0", "+", "-", "*", "/", "(", ")", " | ", "GB", "GiB", "%", ".2 ", "exact",
         "bare",
         "99 ",
         "measured:run.numbers.peak_bytes", "measured:run.x", "time-to-train.seconds", "(parameters=1e9", ", ",
         '"', "kv-cache()"]
    ) | st.text(max_size=6),
    max_size=10,
).map("".join)  # fmt: skip


@given(EXPRESSION)
def test_a_computed_number_is_finite_or_its_fault_is_named(expression: str) -> None:
    for read in (lambda: evaluate(expression, SOURCES), lambda: read_inputs(expression)):
        try:
            assert read() is not None
        except AuthorError as fault:
            assert fault.message and fault.cure


@given(EXPRESSION)
def test_a_sum_is_a_number_or_its_fault_is_named(text: str) -> None:
    def nothing(name: str) -> tuple[int | float, str]:
        raise AuthorError(f"no {name}", "name something")

    try:
        value, unit = sums.compute(text, nothing)
    except AuthorError as fault:
        assert fault.message
    else:
        assert isinstance(value, int | float) and isinstance(unit, str)


@given(WRITTEN)
def test_a_comment_leaves_the_few_tags_only(text: str) -> None:
    html = to_html(tidy(text))
    assert faults(html) == []
    assert links_elsewhere(html) >= 0


@given(st.text(max_size=200))
def test_a_heading_gives_an_id_that_an_address_can_hold(title: str) -> None:
    assert slugify(title).strip("-").replace("-", "").isalnum() or slugify(title) == ""
