"""A verdict's place on memory against work: where it is shown, what it says, and what can be downloaded."""

import csv
import json
import re

import pytest

from grader.verdict import Measurements, Outcome, Verdict
from labs import tradeoff_page
from labs.models import Submission
from tests.labs.conftest import new_submission, write_lab

MIB = 2**20
PLAIN = {"name": "plain", "words": "plain: everything kept", "peak_bytes": 100 * MIB, "step_flops": 1000}
METHODS = [
    PLAIN,
    {"name": "full", "words": "full: every block run again", "peak_bytes": 30 * MIB, "step_flops": 1333},
    {"name": "root", "words": "square root: 4 segments run again", "peak_bytes": 40 * MIB, "step_flops": 1333},
    {"name": "selective", "words": "selective: products kept", "peak_bytes": 60 * MIB, "step_flops": 1000},
]
FRONTIER = [
    {"name": "best", "words": "best: 1 block kept", "peak_bytes": 25 * MIB, "step_flops": 1300},
    {"name": "best", "words": "best: 4 blocks kept", "peak_bytes": 50 * MIB, "step_flops": 1150},
    {"name": "best", "words": "best: everything kept", "peak_bytes": 100 * MIB, "step_flops": 1000},
]


@pytest.fixture(autouse=True)
def catalogue(tmp_path, monkeypatch):
    write_lab(tmp_path, "free-lab", "free", 1)
    write_lab(tmp_path, "other-lab", "free", 2)
    sizes = [{"case": "chain", "methods": METHODS, "frontier": FRONTIER}]
    made = {"command": "python -m grader tradeoff free-lab", "torch": "2.13.0", "sizes": sizes}
    (tmp_path / "free-lab" / "tradeoff.json").write_text(json.dumps(made))
    monkeypatch.setenv("HEADROOM_CATALOG", str(tmp_path))


def verdict(peak=45 * MIB, flops=1200, lab="free-lab", device="cpu", plain_flops=1000):
    measured = Measurements(
        peak_bytes=peak, step_flops=flops, plain_peak_bytes=100 * MIB, plain_flops=plain_flops, recomputed_flops=0
    )
    return Verdict(lab, Outcome.FAILED, device=device, measurements=measured)


class TestPlace:
    @pytest.mark.parametrize(
        "other",
        [
            verdict(lab="other-lab"),
            verdict(lab="gone-lab"),
            verdict(device="cuda"),
            verdict(plain_flops=999),
            Verdict("free-lab", Outcome.CRASHED),
        ],
    )
    def test_only_the_update_that_was_measured_has_a_place(self, other):
        assert tradeoff_page.place(verdict()) is not None
        assert tradeoff_page.place(other) is None
        assert tradeoff_page.context(other) == {}

    @pytest.mark.parametrize(
        ("peak", "flops", "said"),
        [
            (20, 1333, "No schedule of whole blocks needs so few bytes."),
            (60, 1000, "No schedule of whole blocks does so little again in so few bytes."),
            (50, 1150, "No schedule of whole blocks does less in as many bytes."),
            (
                70,
                1333,
                "The best schedule of whole blocks in as many bytes does 15.0 % of the plain update's work again.",
            ),
            (
                150,
                1333,
                "The best schedule of whole blocks in as many bytes does none of the plain update's work again.",
            ),
        ],
    )
    def test_it_is_compared_with_the_best_in_as_many_bytes(self, peak, flops, said):
        sentence = tradeoff_page.sentence(tradeoff_page.place(verdict(peak * MIB, flops)))
        assert sentence.endswith(said)
        assert sentence.startswith(f"Your run needs {peak}")


@pytest.mark.django_db
class TestPage:
    def graded(self, user, made):
        submission = new_submission(user, lab=made.lab)
        attempt = Submission.objects.claim(submission.pk, worker="w").attempt
        Submission.objects.finish(submission.pk, attempt, made.to_json(), grader_version="1")
        return f"/labs/submissions/{submission.public_id}/"

    def test_the_verdict_shows_picture_and_table(self, owner_client, owner):
        page = owner_client.get(self.graded(owner, verdict())).content.decode()
        assert page.count('class="mine"') == 2  # once wide, once narrow
        row = re.search(r'<tr class="at-peak"><th scope="row">Your run</th>(.*?)</tr>', page)[1]
        assert re.findall(r">([^<]+)</td>", row) == ["45.0 MiB", "1.20 kFLOP", "20.0 %"]
        assert "python -m grader tradeoff free-lab" in page and " style=" not in page
        assert len(set(re.findall(r' id="(tradeoff[^"]*)"', page))) == len(re.findall(r' id="(tradeoff[^"]*)"', page))

    def test_a_lab_without_one_shows_none(self, owner_client, owner):
        address = self.graded(owner, verdict(lab="other-lab"))
        assert "Memory against work" not in owner_client.get(address).content.decode()
        assert owner_client.get(f"{address}tradeoff.csv").status_code == 404

    def test_csv_and_svg_are_files(self, owner_client, owner):
        address = self.graded(owner, verdict())
        rows = list(csv.DictReader(owner_client.get(f"{address}tradeoff.csv").content.decode().splitlines()))
        assert (rows[0]["run"], rows[0]["peak_bytes"], len(rows)) == ("your run", str(45 * MIB), 8)
        response = owner_client.get(f"{address}tradeoff.svg")
        assert response["Content-Type"] == "image/svg+xml" and b"<svg" in response.content

    @pytest.mark.parametrize("part", ["tradeoff.csv", "tradeoff.svg"])
    def test_they_are_the_owners(self, client, owner, subscriber, part):
        address = self.graded(owner, verdict())
        client.force_login(subscriber)
        assert client.get(address + part).status_code == 404
