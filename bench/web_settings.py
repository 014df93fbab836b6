"""Production's settings with the bare view, and static files in the data folder. For `bench.web` alone."""

from headroom.settings import *  # noqa: F403

ROOT_URLCONF = "bench.web_urls"
STATIC_ROOT = DATA_DIR / "static-root"  # noqa: F405
