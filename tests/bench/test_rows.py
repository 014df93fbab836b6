"""The rows that every benchmark gives: what stands beside what, and which aim was missed."""

import pytest

from bench.results import missed, row, show_rows


def test_a_row_holds_its_median_and_its_place_beside_another():
    limit = row("limit", "ms", [4.0, 6.0, 5.0])
    made = row("ours", "ms", [40.0, 80.0, 50.0, 60.0], against=limit, better="low")
    assert (made["median"], made["low"], made["high"], made["n"]) == (55.0, 40.0, 80.0, 4)
    assert (made["against"], made["ratio"], made["better"]) == ("limit", 11.0, "low")
    assert (limit["against"], limit["ratio"], limit["better"]) == (None, None, None)


def test_another_direction_is_refused():
    with pytest.raises(ValueError, match="'more'"):
        row("ours", "ms", [1.0], better="more")


def test_a_missed_aim_is_said_and_counted(capsys):
    rows = [
        row("quick", "ms", [1.0], aim="under 2 ms", met=True),
        row("slow", "ms", [3.0], aim="under 2 ms", met=False),
        row("other", "ms", [3.0]),
    ]
    show_rows("Times", rows)
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines() if line.strip()}
    assert "MISSED" in lines["slow"] and "MISSED" not in lines["quick"] + lines["other"]
    assert missed(rows)
    assert not missed([rows[0], rows[2]])
