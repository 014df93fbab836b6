"""Calculators: the list, and each as a page, a shareable link and JSON."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from courses import calculators, drawing


@require_GET
def index(request: HttpRequest) -> HttpResponse:
    """List the calculators."""
    return render(request, "courses/calculators.html", {"calculators": calculators.all_calculators()})


@require_GET
def calculator(request: HttpRequest, calculator_id: str) -> HttpResponse:
    """Compute with the inputs in the address: as a page, or as JSON (Accept: application/json, or ?format=json)."""
    try:
        found = calculators.get(calculator_id)
    except KeyError:
        raise Http404("no such calculator") from None
    inputs = {name: str(value) for name, value in request.GET.items() if name != "format"}
    calc = drawing.context(found, inputs, own_page=True)
    as_json = request.GET.get("format") == "json" or request.get_preferred_type(["text/html", "application/json"]) == (
        "application/json"
    )
    if as_json:
        return _json(calc)
    unknown = [sentence for name, sentence in calc["errors"].items() if name not in {f.name for f in found.fields}]
    status = 422 if calc["errors"] else 200
    others = [each for each in calculators.all_calculators() if each.id != found.id]
    context = {"calculator": found, "calc": calc, "unknown": unknown, "others": others}
    return render(request, "courses/calculator.html", context, status=status)


def _json(calc: dict[str, Any]) -> JsonResponse:
    if calc["errors"]:
        return JsonResponse({"errors": calc["errors"]}, status=422)
    result = calc["result"]
    body = {
        "calculator": calc["calculator"].id,
        "inputs": {row["field"].name: row["value"] for row in calc["rows"]},
        "figures": [
            {"name": each.name, "label": each.label, "value": each.value, "unit": each.unit, "display": each.display}
            for each in result.figures
        ],
        **{name: getattr(result, name) for name in ("formula", "establishes", "to_measure", "convention")},
        "link": calc["share"],
    }
    return JsonResponse(body)
