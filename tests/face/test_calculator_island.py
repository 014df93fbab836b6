"""A calculator in a browser: computed again while someone types, with errors beside the field."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from courses import drawing
from courses.calculators import InputError, get
from tests.face.conftest import Stage

FORM = '<h1>Numbers</h1>{% include "components/calculator.html" %}'


@pytest.fixture
def page(stage: Stage) -> Page:
    calculator = get("time-to-train")

    def answer(fields: dict[str, str]) -> tuple[int, Any]:
        try:
            result = calculator.compute(fields)
        except InputError as error:
            return 422, {"errors": error.errors}
        figures = [
            {name: getattr(figure, name) for name in ("label", "display", "value", "unit")} for figure in result.figures
        ]
        return 200, {"figures": figures, "formula": result.formula, "establishes": result.establishes}

    stage.answers["/calculators/time-to-train/"] = answer
    return stage.show(FORM, ["calculator.js"], calc=drawing.context(calculator, {}))


def test_typing_computes_again_and_the_link_carries_the_inputs(stage: Stage, page: Page) -> None:
    before = page.locator("[data-figures] li").first.inner_text()
    page.get_by_label("Devices", exact=True).fill("2048")
    expect(page.locator("[data-figures] li").first).not_to_have_text(before)
    path, fields = stage.sent[-1]
    assert (path, fields["devices"]) == ("/calculators/time-to-train/", "2048")
    assert "devices=2048" in (page.locator("a[data-share]").get_attribute("href") or "")


def test_a_number_that_cannot_be_read_is_told_beside_its_field_and_the_old_figures_fade(
    stage: Stage, page: Page
) -> None:
    field = page.get_by_label("Devices", exact=True)
    field.fill("many")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(page.locator("[data-error-for=devices]")).to_contain_text("is not a number")
    expect(page.locator("[data-out]")).to_have_class("out stale")
    field.fill("512")
    expect(field).not_to_have_attribute("aria-invalid", "true")
    expect(page.locator("[data-out]")).to_have_class("out")
    stage.complaints.clear()  # the browser notes the 422


def test_a_slider_goes_through_values_around_what_was_typed_and_is_not_sent(stage: Stage, page: Page) -> None:
    devices = page.get_by_label("Devices", exact=True)
    slider = page.get_by_label("Devices, slider")
    devices.fill("1024")
    for key, seen in (("ArrowRight", "1536"), ("ArrowRight", "2048"), ("ArrowLeft", "1536"), ("Home", "16")):
        slider.press(key)
        expect(devices).to_have_value(seen)
    assert slider.get_attribute("aria-valuetext") == "16"
    expect(page.locator("[data-out]")).to_have_class("out")
    fields = [name for _, sent in stage.sent for name in sent]
    assert set(fields) <= {row.name for row in get("time-to-train").fields}


def test_a_slider_keeps_the_unit_that_was_typed_and_hides_beside_what_is_no_number(page: Page) -> None:
    parameters = page.get_by_label("Parameters")
    slider = page.get_by_label("Parameters", exact=False).and_(page.locator("[type=range]"))
    parameters.first.fill("70B")
    slider.press("ArrowRight")
    expect(parameters.first).to_have_value("76.3B")
    parameters.first.fill("many")
    expect(slider).to_be_hidden()


def test_every_input_has_a_label_and_ids_are_unique(page: Page) -> None:
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(one => one.id)")
    assert len(ids) == len(set(ids))
    assert page.evaluate(
        "[...document.querySelectorAll('.calc :is(input, select)')].every(one => one.labels.length || one.ariaLabel)"
    )
