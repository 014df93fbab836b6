"""The site's own settings in test mode; what differs from them is here and nowhere else."""

import os

os.environ["HEADROOM_MODE"] = "test"

from headroom.settings import *  # noqa: F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
# Tests that need Redis start one (tests/support/services.py); the others must not need a server for the cache.
if not os.environ.get("REDIS_URL"):
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
