"""The artefacts of memory against work say what the meter says now, to the byte."""

import pytest

from grader import catalog, lab_code, reference, tradeoff
from grader.tradeoff import measuring

LABS = [lab for lab in catalog.all_labs() if tradeoff.load(lab)]


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.slug)
def test_every_size_that_a_grading_can_play_is_there(lab):
    reference.prepare()
    for case in measuring.sizes(lab):
        plain = reference.expected(lab, case)[1]
        made = tradeoff.find(lab, plain.peak_bytes, plain.flops)
        assert made is not None, case
        assert made.plain.peak_bytes == plain.peak_bytes


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.slug)
def test_measuring_the_smallest_size_again_gives_the_same(lab):
    assert measuring.takes_part(lab)
    sizes, held = measuring.sizes(lab), tradeoff.load(lab)
    smallest = min(range(len(held)), key=lambda place: held[place].plain.peak_bytes)
    again = measuring.measure(lab, sizes[smallest])
    assert (again.methods, again.frontier) == (held[smallest].methods, held[smallest].frontier)


def test_a_lab_whose_judge_names_no_selective_run_takes_no_part():
    lab = catalog.get("chunked-loss")
    assert not hasattr(lab_code.judge(lab), "SELECTIVE") and not measuring.takes_part(lab)
