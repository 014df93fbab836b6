"""List what Headroom comes with and under which licences: `python -m headroom.licences`, into docs/licences.md.

Python packages are those of requirements.lock, by what their own metadata say; what is built into assets/build is that
of assets/package-lock.json, without the tool that builds it. `--check` leaves with 1 where the page is not current or a
licence is none of those that we know to be fine with distributing under our own terms.
"""

from __future__ import annotations

import importlib.metadata
import json
import re
import sys
from pathlib import Path
from typing import Any

HOME = Path(__file__).resolve().parent.parent
PAGE = HOME / "docs" / "licences.md"
FINE = re.compile(
    r"\b(MIT|BSD|0BSD|Apache|ISC|MPL|Mozilla Public License|LGPL|Lesser General Public License|PSF|Zlib|CC0|BSL|OFL"
    r"|LLVM)\b"
)
BUILD_TOOLS = re.compile(r"node_modules/(@esbuild/|esbuild$)")
HEAD = """# Licences of what Headroom uses

Written by `python -m headroom.licences`; a test fails where it is not current. Fonts in `assets/src/fonts`: see
`LICENSES.md` there. `bubblewrap` and `psycopg` are under the LGPL and used as they come, as packages of their own.

## Python packages (requirements.lock)

| package | version | licence |
|---|---|---|
"""
BROWSER = """
## Browser code (assets/package-lock.json)

| package | version | licence |
|---|---|---|
"""


def locked(text: str) -> list[tuple[str, str]]:
    """Return the packages of a lock file with their versions."""
    return re.findall(r"^([A-Za-z0-9._-]+)==(\S+)", text, re.M)


def of_package(name: str) -> str:
    """Return a package's licence: the expression in its metadata, else its classifiers, else its licence's name.

    Raises importlib.metadata.PackageNotFoundError where it is not installed.
    """
    metadata: Any = importlib.metadata.metadata(name)
    if expression := metadata.get("License-Expression"):
        return str(expression)
    ends = [line.split(" :: ")[-1] for line in metadata.get_all("Classifier") or [] if line.startswith("License ::")]
    named = [end for end in ends if end not in ("OSI Approved", "Other/Proprietary License")]
    text = (metadata.get("License") or "").strip()
    return " OR ".join(named) or (text if text and "\n" not in text and len(text) < 60 else "unknown")


def in_browser(lock: dict[str, dict[str, dict[str, str]]]) -> list[tuple[str, str, str]]:
    """Return what npm's lock file names and the built files contain: package, version, licence."""
    return [
        (path.removeprefix("node_modules/"), row["version"], row.get("license", "unknown"))
        for path, row in lock["packages"].items()
        if path and not BUILD_TOOLS.match(path)
    ]


def rows() -> tuple[list[tuple[str, str, str]], list[tuple[str, str, str]]]:
    """Return both lists: package, version, licence."""
    python = [(name, version, of_package(name)) for name, version in locked((HOME / "requirements.lock").read_text())]
    return python, in_browser(json.loads((HOME / "assets" / "package-lock.json").read_text()))


def page() -> str:
    python, browser = rows()
    lines = ["".join(f"| {' | '.join(row)} |\n" for row in part) for part in (python, browser)]
    return HEAD + lines[0] + BROWSER + lines[1]


def not_fine() -> list[str]:
    """Return the packages whose licence has to be looked at."""
    return [f"{name}: {licence}" for part in rows() for name, _, licence in part if not is_fine(licence)]


def is_fine(licence: str) -> bool:
    """Say whether each licence that a text names is one that we know."""
    return all(FINE.search(word) for word in re.split(r" (?:AND|OR|WITH) ", licence.strip("()")))


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        sys.stderr.write("usage: python -m headroom.licences [--check]\n")
        return 2
    wanted, problems = page(), not_fine()
    if not arguments:
        PAGE.write_text(wanted)
    elif not PAGE.exists() or PAGE.read_text() != wanted:
        problems.append("docs/licences.md is not current: run python -m headroom.licences")
    for problem in problems:
        sys.stderr.write(problem + "\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
