"""The secret key of a local machine, so that people stay signed in over a restart."""

import os
import secrets
from pathlib import Path


def kept_in(folder: Path) -> str:
    """Return the key in `folder`, made on first use; of several processes that start at once, all get the same."""
    path = folder / "secret-key"
    if not path.exists():
        draft = path.with_suffix(f".{os.getpid()}")
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(48))
        try:
            # A link fails where another process was first, and never shows a half-written key.
            os.link(draft, path)
        except FileExistsError:
            pass
        draft.unlink()
    return path.read_text()
