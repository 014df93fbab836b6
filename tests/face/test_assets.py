"""The built files: there, small enough, self-contained, and named by the templates."""

import gzip
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ASSETS = ROOT / "assets"
BUILD = ASSETS / "build"
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))

EVERY_PAGE = ["htmx.min.js", "keys.js"]
LESSON = [*EVERY_PAGE, "calculator.js", "timeline.js"]
LAB = [*EVERY_PAGE, "editor.js", "timeline.js"]


def compressed(names: list[str]) -> int:
    return sum(len(gzip.compress((BUILD / name).read_bytes(), 9)) for name in names)


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT / "templates")))
def test_every_static_file_a_template_names_is_built(template: Path) -> None:
    for name in re.findall(r"{% static ['\"]([^'\"]+)['\"] %}", template.read_text()):
        assert (BUILD / name).is_file(), f"{template.name} names {name}, which assets/build does not hold"


def test_every_font_the_stylesheet_names_is_built_and_no_other_address_is_named() -> None:
    addresses = re.findall(r"url\(([^)]+)\)", (BUILD / "headroom.css").read_text())
    assert addresses
    for address in addresses:
        assert (BUILD / address.strip("\"'")).is_file(), address


def test_a_lesson_loads_at_most_60_kilobytes_of_script() -> None:
    assert compressed(LESSON) <= 60_000


def test_a_lab_loads_at_most_250_kilobytes_of_script() -> None:
    assert compressed(LAB) <= 250_000


def test_the_stylesheet_is_at_most_12_kilobytes() -> None:
    assert compressed(["headroom.css"]) <= 12_000


def test_the_fonts_a_page_of_text_needs_are_at_most_200_kilobytes() -> None:
    fonts = ["source-serif-4", "source-serif-4-italic", "ibm-plex-sans", "jetbrains-mono"]
    assert sum((BUILD / "fonts" / f"{name}.woff2").stat().st_size for name in fonts) <= 200_000


def test_htmx_is_version_2() -> None:
    assert re.search(r'version:"2\.\d+\.\d+"', (BUILD / "htmx.min.js").read_text())


def test_no_script_names_another_host() -> None:
    for script in BUILD.glob("*.js"):
        hosts = set(re.findall(r"https?://([\w.-]+)", script.read_text()))
        assert hosts <= {"www.w3.org"}, f"{script.name}: {hosts}"


def test_the_lock_file_pins_contents_and_names_no_registry() -> None:
    packages = json.loads((ASSETS / "package-lock.json").read_text())["packages"]
    wanted = json.loads((ASSETS / "package.json").read_text())["devDependencies"]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in wanted.values())
    for name, package in packages.items():
        if not name:
            continue
        assert "resolved" not in package, name
        assert package["integrity"].startswith("sha512-"), name
