"""The site's own settings in test mode; what differs from them is here and nowhere else."""

import atexit
import os
import sys
import tempfile
from contextlib import ExitStack

os.environ["HEADROOM_MODE"] = "test"

from tests.support import postgres, required

# The server is started by the first process that reads these settings; those it starts find it in DATABASE_URL.
if os.environ.get("HEADROOM_TEST_DATABASE") == "postgres" and not os.environ.get("DATABASE_URL"):
    _services = ExitStack()
    atexit.register(_services.close)
    try:
        os.environ["DATABASE_URL"] = _services.enter_context(postgres.running())
    except postgres.NotAvailable as _error:
        if required("postgres"):
            sys.exit(f"PostgreSQL is required here (HEADROOM_REQUIRE), and {_error}.")
        os.environ["HEADROOM_NO_POSTGRES"] = str(_error)

from headroom.settings import *  # noqa: F403

# A file, as `make up` has: in memory, SQLite's threads meet table locks that the site never sees.
if "sqlite" in DATABASES["default"]["ENGINE"]:  # noqa: F405
    DATABASES["default"]["TEST"] = {"NAME": f"{tempfile.gettempdir()}/headroom-test-{os.getpid()}.sqlite3"}  # noqa: F405
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
# Tests that need Redis ask for the fixture `redis_url`; the cache of the others must not need a server.
if not os.environ.get("REDIS_URL"):
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
