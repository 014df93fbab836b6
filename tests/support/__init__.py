"""What tests of several packages share: real services, started and ended by the test run.

- `redis.running()`: a Redis of its own; fixture `redis_url`.
- `postgres.running()`: a PostgreSQL of its own. `HEADROOM_TEST_DATABASE=postgres pytest …` runs the database tests on
  one instead of SQLite; a test marked `postgres` is skipped on SQLite (`make test` runs both ways).
- `browser.find()`: a Chromium; fixture `browser` (a Playwright browser), which marks its tests `browser` by itself.
- `payments.running()`: a payment provider; `tests/billing` gives the site keys for it.
- HEADROOM_REQUIRE=browser,postgres,sandbox turns "skipped, because it is not on this machine" into a failure.
"""

import os


def required(what: str) -> bool:
    """Tell whether HEADROOM_REQUIRE names `what`: browser, postgres, sandbox, or fresh (an environment of its own)."""
    return what in os.environ.get("HEADROOM_REQUIRE", "").split(",")
