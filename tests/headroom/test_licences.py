"""docs/licences.md is current, and holds nothing that would bind us."""

import pytest

from headroom import licences


def test_the_page_is_current_and_every_licence_is_fine(capsys) -> None:
    assert licences.main(["--check"]) == 0, capsys.readouterr().err


def test_a_stale_page_is_found(monkeypatch, tmp_path, capsys) -> None:
    monkeypatch.setattr(licences, "PAGE", tmp_path / "licences.md")
    assert licences.main(["--check"]) == 1
    assert licences.main([]) == 0
    assert licences.main(["--check"]) == 0
    (tmp_path / "licences.md").write_text(licences.page().replace("| django |", "| jango |"))
    assert licences.main(["--check"]) == 1
    assert "is not current" in capsys.readouterr().err


def test_every_package_of_the_lock_and_what_the_browser_gets_is_there() -> None:
    text = licences.page()
    for row in ("| django | 5.2", "| torch | 2.13.0 |", "| htmx.org | 2.0", "| @codemirror/view | 6"):
        assert row in text
    assert "esbuild" not in text and "unknown" not in text


@pytest.mark.parametrize(
    ("licence", "fine"),
    [
        ("MIT", True),
        ("BSD License", True),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("LGPL-3.0-only", True),
        ("MIT AND GPL-3.0-only", False),
        ("AGPL-3.0", False),
        ("GNU General Public License v3 (GPLv3)", False),
        ("unknown", False),
        ("Proprietary", False),
    ],
)
def test_what_is_fine(licence: str, fine: bool) -> None:
    assert licences.is_fine(licence) is fine
