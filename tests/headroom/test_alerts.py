"""The alert rules: each can be read, speaks of what is exposed, and says what to do."""

import re
from pathlib import Path

import promql_parser
import pytest
import yaml
from django.test import Client

from labs import runners
from telemetry import tally
from tests.headroom.test_metrics import BEARER, TOKEN

ROOT = Path(__file__).resolve().parents[2]
RULES = [rule for group in yaml.safe_load((ROOT / "ops/alerts.yml").read_text())["groups"] for rule in group["rules"]]
MADE_BY_PROMETHEUS = {"up"}


def selectors(expression: object) -> list[tuple[str, dict[str, str]]]:
    """Return each metric that an expression reads, with the labels that it asks for."""
    found = re.findall(r"\b(headroom_[a-z_]+|up)\b(?:\{([^}]*)\})?", str(expression))
    return [(name, dict(re.findall(r'(\w+)(?:=~|!=|=)"([^"]*)"', labels))) for name, labels in found]


@pytest.fixture
def exposed(client: Client, settings, db: None) -> dict[str, set[str]]:
    """What /metrics says after one of everything: each metric, with the names of its labels."""
    settings.METRICS_TOKEN = TOKEN
    tally.forget()
    for kind in tally.declared.values():
        labels = ["x"] * len(kind.labels)
        if isinstance(kind, tally.Counter):
            kind.add(*labels)
        elif isinstance(kind, tally.Histogram):
            kind.observe(1, *labels)
        else:
            kind.set(1, *labels)
    runners.beat("one@host", "cpu,gpu")
    found: dict[str, set[str]] = {}
    for line in client.get("/metrics", headers=BEARER).text.splitlines():
        if matched := re.match(r"([a-z_]+)(?:\{(.*)\})? ", line):
            found[matched[1]] = set(re.findall(r'(\w+)="', matched[2] or ""))
    tally.forget()
    return found


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_a_rule_reads_only_what_is_exposed(rule, exposed) -> None:
    promql_parser.parse(rule["expr"])
    read = selectors(rule["expr"])
    assert read, f"{rule['expr']} reads no metric"
    for name, labels in read:
        if name not in MADE_BY_PROMETHEUS:
            assert name in exposed
            assert labels.keys() <= exposed[name], name


def test_the_check_would_find_a_wrong_name_or_label() -> None:
    assert selectors('rate(headroom_a_total[5m]) / headroom_b{x="y", z=~"w"} > 3') == [
        ("headroom_a_total", {}),
        ("headroom_b", {"x": "y", "z": "w"}),
    ]
    with pytest.raises(ValueError):
        promql_parser.parse("rate(headroom_a_total[5m]")


def test_every_alert_says_what_to_do_and_every_section_is_an_alerts() -> None:
    text = (ROOT / "docs/operating.md").read_text()
    runbook = text[text.index("\n## Runbook") + 1 :].split("\n## ")[0]
    sections = dict(re.findall(r"### (\w+)\n(.+?)(?=\n### |\Z)", runbook, re.S))
    names = [rule["alert"] for rule in RULES]
    assert sorted(sections) == sorted(names) and len(set(names)) == len(names)
    for rule in RULES:
        assert rule["annotations"]["runbook"] == f"docs/operating.md#{rule['alert'].lower()}"
        assert len(sections[rule["alert"]].strip()) > 60
        assert rule["labels"]["severity"] in ("page", "ticket")
