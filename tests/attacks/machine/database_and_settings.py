# outcome: failed
# failing: saved-bytes, peak-bytes
"""Looks for the site's database, settings and other people's submissions, and tries to import them."""
import importlib
import os

for name in ("headroom", "headroom.settings", "accounts.models", "labs.models", "manage"):
    try:
        importlib.import_module(name)
    except ImportError:
        continue
    raise AssertionError(name)
for folder, _, files in os.walk("/"):
    if not folder.startswith(("/proc", "/usr/lib", "/usr/local/lib")) and "/lib/python" not in folder:
        found = [name for name in files if name.endswith((".sqlite3", ".env", ".sock", ".pem")) or name == "manage.py"]
        assert not found, (folder, found)


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
