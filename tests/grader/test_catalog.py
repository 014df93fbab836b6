"""A lab's folder is read as it is, or refused with what is wrong with it; a device that is not here is said."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest
import yaml

from grader import catalog, devices

LAB = catalog.get("checkpoint-function")


@pytest.fixture
def folder(tmp_path):
    """A copy of a lab that may be spoiled."""
    return shutil.copytree(LAB.folder, tmp_path / "my-lab")


def test_a_lab_is_named_after_its_folder_and_reads_its_texts_from_it(folder):
    (folder / "statement.md").write_text("# Mine\n", encoding="utf-8")
    lab = catalog.load(folder)
    assert lab.slug == "my-lab"
    assert lab.entry_points == ("checkpoint",)
    assert lab.statement == "# Mine\n"
    assert (lab.starter, lab.harness) == (LAB.starter, LAB.harness)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: [data], r"lab\.yaml: expected a mapping"),
        (lambda data: {name: data[name] for name in data if name not in ("tier", "order")}, "missing order, tier"),
        (lambda data: data | {"colour": "red", "answer": 42}, "unknown answer, colour"),
    ],
)
def test_a_lab_file_with_other_keys_is_refused_and_they_are_named(folder, change, said):
    path = folder / "lab.yaml"
    path.write_text(yaml.safe_dump(change(yaml.safe_load(path.read_text(encoding="utf-8")))), encoding="utf-8")
    with pytest.raises(ValueError, match=said):
        catalog.load(folder)


@pytest.mark.parametrize("name", ["statement.md", "starter.py", "harness.py", "judge.py"])
def test_a_lab_without_one_of_its_files_is_refused_and_it_is_named(folder, name):
    (folder / name).unlink()
    with pytest.raises(ValueError, match=f"my-lab: {name} is missing"):
        catalog.load(folder)


def test_the_labs_of_another_catalogue_are_listed_in_order(folder, monkeypatch):
    monkeypatch.setenv("HEADROOM_CATALOG", str(folder.parent))
    later = shutil.copytree(folder, folder.parent / "a-lab") / "lab.yaml"
    data = yaml.safe_load(later.read_text(encoding="utf-8"))
    later.write_text(yaml.safe_dump(data | {"order": data["order"] + 1}), encoding="utf-8")
    assert [lab.slug for lab in catalog.all_labs()] == ["my-lab", "a-lab"]
    with pytest.raises(KeyError, match="no lab named 'b-lab'; there are: my-lab, a-lab"):
        catalog.get("b-lab")


@pytest.mark.parametrize(("here", "chosen"), [(True, "cuda"), (False, "cpu")])
def test_the_first_of_a_labs_devices_that_is_here_is_chosen(monkeypatch, here, chosen):
    monkeypatch.setattr("torch.cuda.is_available", lambda: here)
    assert devices.choose(replace(LAB, devices=("cuda", "cpu"))) == chosen


def test_a_device_that_is_not_here_says_what_it_lacks(monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert devices.choose(replace(LAB, devices=("cuda",))) is None
    assert "torch built for CUDA" in devices.missing("cuda")
    assert devices.missing("tpu") == "'tpu' is no device that the grader knows: use cpu or cuda."
    assert devices.missing("cpu") == ""
