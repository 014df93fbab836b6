"""Write everything that is kept of a person into one archive."""

from __future__ import annotations

import json
import tempfile
import zipfile
from datetime import datetime
from typing import IO, Any

from django.core.serializers.json import DjangoJSONEncoder

from accounts import personal
from accounts.models import User

IN_MEMORY = 8 * 2**20
"""An archive larger than this, in bytes, is written to a temporary file."""


def archive(user: User, now: datetime) -> IO[bytes]:
    """Return a zip, open at its start: README.txt, a JSON file a part, and under files/ what the person submitted."""
    spool: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115
    with zipfile.ZipFile(spool, "w", zipfile.ZIP_DEFLATED) as into:
        lines = []
        for part in personal.parts():
            count = _write_rows(into, part, user)
            lines.append(f"{part.name}.json: {part.title} ({count})")
            if part.files:
                written = _write_files(into, part, user)
                lines.append(f"files/{part.name}/: the files of these, as you sent them ({written})")
        head = f"Everything that Headroom keeps of {user.email}, at {now:%Y-%m-%d %H:%M} UTC. Times are in UTC.\n\n"
        into.writestr("README.txt", head + "\n".join(lines) + "\n")
    spool.seek(0)
    return spool


def _write_rows(into: zipfile.ZipFile, part: personal.Part, user: User) -> int:
    """Write one row after the other: a person's verdicts need not fit into memory together."""
    count = 0
    with into.open(f"{part.name}.json", "w") as out:
        out.write(b"[")
        for row in part.rows(user):
            out.write((b",\n" if count else b"\n") + _json(row))
            count += 1
        out.write(b"\n]\n")
    return count


def _write_files(into: zipfile.ZipFile, part: personal.Part, user: User) -> int:
    count = 0
    assert part.files is not None
    for name, content in part.files(user):
        into.writestr(f"files/{part.name}/{name}", content)
        count += 1
    return count


def _json(row: dict[str, Any]) -> bytes:
    return json.dumps(row, cls=DjangoJSONEncoder, ensure_ascii=False).encode("utf-8", "replace")
