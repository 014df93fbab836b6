"""Production's settings with the bare view, and static files in the data folder. For `bench.serving` alone."""

from headroom.settings import *  # noqa: F403

ROOT_URLCONF = "bench.serving_urls"
STATIC_ROOT = DATA_DIR / "static-root"  # noqa: F405
