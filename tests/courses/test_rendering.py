"""What an author writes, and what a reader gets."""

from __future__ import annotations

from pathlib import Path

import pytest

from courses import calculators
from courses.authoring.formulas import to_mathml
from courses.authoring.links import Known
from courses.authoring.numbers import Sources
from courses.authoring.problems import AuthorError
from courses.authoring.render import Library, PageRenderer, Rendered

ARTEFACT = {
    "timelines": {"yours": {"live": {"saved_activation": [1], "input": [0]}, "note": "</script><b>"}},
    "numbers": {"peak_bytes": 2_097_152},
    "command": "make figures",
    "torch": "2.13.0",
}
TRADEOFF = {
    "title": "Two blocks",
    "methods": [
        {"name": "plain", "words": "plain: everything kept", "peak_bytes": 2_097_152, "step_flops": 1_000_000_000},
        {"name": "full", "words": "full: <all> again", "peak_bytes": 1_048_576, "step_flops": 1_250_000_000},
    ],
    "frontier": [{"name": "best", "words": "best: 1 kept", "peak_bytes": 1_500_000, "step_flops": 1_125_000_000}],
    "numbers": {},
    "command": "make figures",
    "torch": "2.13.0",
}
PICTURES = {"run": "<svg id='drawn'></svg>", "both": "<svg id='wide'></svg>", "both-narrow": "<svg id='narrow'></svg>"}


def page() -> PageRenderer:
    sources = Sources(calculators.get, calculators.all_calculators, {"run": ARTEFACT, "both": TRADEOFF})
    known = Known({"lesson": {"kv-cache"}, "question": set(), "calculator": {"time-to-train"}, "lab": {"replay"}})
    library = Library(sources, dict(PICTURES), known, lambda found, inputs, prefix: f"<form>{inputs}")
    return PageRenderer(Path("page.md"), library)


def rendered(text: str) -> Rendered:
    renderer = page()
    made = renderer.section(text, 1)
    renderer.finish()
    assert renderer.problems == []
    return made


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("**b** and `c`", "<strong>b</strong> and <code>c</code>"),
        ("$a_i$", "<msub><mi>a</mi><mi>i</mi></msub>"),
        ("it costs \\$2 and `$x$`", "&#36;2 and <code>$x$</code>".replace("&#36;", "$")),
        ("`[[= nothing ]]`", "<code>[[= nothing ]]</code>"),
        ("$$\nx\n$$", '<div class="eq" tabindex="0"><math xmlns="http://www.w3.org/1998/Math/MathML" display="block">'),
        ("$p = [[= measured:run.numbers.peak_bytes | MiB ]]$", "<mtext>2&#x000A0;MiB</mtext>"),
        ("| $a|b$ | c |\n|--|--:|\n| 1 | 2 |", '<td class="r">2</td>'),
        ("[it](lesson:kv-cache#use-it)", 'href="/lessons/kv-cache/#use-it"'),
        ("[it](lab:replay)", 'href="/labs/replay/"'),
        ("/// details | Why $n$\nIt is **so**.\n///", "<summary>Why <math"),
        ("/// interviewer\nListen.\n///", '<aside class="interviewer">'),
        ("/// term | saved tensor\nKept.\n///", 'id="term-saved-tensor"'),
        ("/// calculator | time-to-train\n///", "<form>{}"),
        ("```python run\nprint('$x$ # [[=')\n```\n```output\n$x$ # [[=\n```", '<div class="run highlight">'),
        ("!!! note\n    Mind this.", '<div class="admonition note">'),
        ("said[^1]\n\n[^1]: there", 'class="footnote-ref"'),
        ("/// figure | run\nA *caption* of [[= measured:run.numbers.peak_bytes | MiB ]].\n///", "<svg id='drawn'>"),
        ("/// figure | run\nUnder `no_grad`.\n///", "<figcaption>Under <code>no_grad</code>. "),
    ],
)
def test_markdown_becomes(source: str, html: str) -> None:
    assert html in rendered(source).html


def test_scripts_and_handlers_are_cleaned_away() -> None:
    made = rendered('<script>alert(1)</script><b onclick="x()" style="color:red">b</b> [x](https://example.org)').html
    assert "<script" not in made and "onclick" not in made and "style" not in made
    assert "<b>b</b>" in made


def test_data_of_a_figure_cannot_close_its_script() -> None:
    made = rendered("/// figure | run\nCaption.\n///").html
    assert made.count("</script>") == 1


def test_a_figure_says_what_measures_it_again_and_its_numbers() -> None:
    made = rendered("/// figure | run\nCaption.\n///").html
    assert "make figures" in made and "2.13.0" in made
    assert '<th scope="row">Peak</th><td class="r num" title="2,097,152 bytes">2.10 MB (2.00 MiB)</td>' in made


def test_a_figure_names_the_kinds_of_memory_that_are_in_it() -> None:
    made = rendered("/// figure | run\nCaption.\n///").html
    assert '<ul class="key"><li><i class="m-saved_activation"></i>saved activations</li></ul>' in made


def test_a_tradeoff_is_drawn_for_wide_and_narrow_places_and_holds_every_point_as_a_table() -> None:
    made = rendered("/// figure | both\nCaption.\n///").html
    assert '<figure class="measured" id="figure-both" data-name="both" data-title="Two blocks" data-plot>' in made
    assert (
        "<div class=\"at-wide\"><svg id='wide'></svg></div><div class=\"at-narrow\"><svg id='narrow'></svg></div>"
        in made
    )
    assert (
        '<th scope="row">Full: &lt;all&gt; again</th><td class="r num" title="1,048,576 bytes">1.05 MB (1.00 MiB)</td>'
        '<td class="r num" title="1,250,000,000 FLOP">1.25 GFLOP</td><td class="r num" title="0.25">25.0 %</td>'
    ) in made
    assert made.count('<th scope="row">') == 3 and "make figures" in made and "<script" not in made


def test_a_tradeoff_without_its_narrow_picture_is_an_error() -> None:
    renderer = page()
    renderer.library.pictures.pop("both-narrow")  # type: ignore[attr-defined]
    renderer.section("/// figure | both\nCaption.\n///", 1)
    assert [problem.message for problem in renderer.problems] == ["measured/both-narrow.svg is not there"]


def test_headings_get_ids_that_do_not_collide() -> None:
    renderer = page()
    first = renderer.section("### Cost\n\na", 1, prefix="one")
    second = renderer.section("### Cost\n\nb\n\n### Cost\n\nc", 5, prefix="one")
    assert 'id="one-cost"' in first.html
    assert 'id="one-cost-2"' in second.html and 'id="one-cost-3"' in second.html


def test_footnotes_of_two_sections_do_not_collide() -> None:
    renderer = page()
    first, second = (renderer.section("a[^1]\n\n[^1]: b", 1).html for _ in range(2))
    ids = [part.split('"')[0] for html in (first, second) for part in html.split('id="')[1:]]
    assert len(ids) == len(set(ids)) == 4


def test_search_reads_words_and_no_markup() -> None:
    made = rendered("Kept **bytes**, $x$.\n\n/// figure | run\nCaption.\n///")
    assert made.text.startswith("Kept bytes, x .")
    assert "svg" not in made.text and "yours" not in made.text


def test_code_is_noted_with_its_line_and_output() -> None:
    (block,) = rendered("Words.\n\n```python run\nprint(1)\n```\n```output\n1\n```").code
    assert (block.line, block.source, block.output, block.continues) == (3, "print(1)", "1", False)


@pytest.mark.parametrize(
    "latex", [r"\frac{1}", r"\foo x", "a_", "{a", "a}", r"\sqrt", " ", r"\text{<b>}", r"\begin{pmatrix} a"]
)
def test_a_formula_that_does_not_convert_whole_is_refused(latex: str) -> None:
    with pytest.raises(AuthorError):
        to_mathml(latex)


@pytest.mark.parametrize("latex", ["a < b", r"\sum_{i=1}^{n} x_i^2", r"\left(34 + \frac{5as}{h}\right)", r"40\%"])
def test_a_formula_converts(latex: str) -> None:
    assert to_mathml(latex).startswith("<math")
