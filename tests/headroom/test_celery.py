"""Every process sends its messages to the queue that the settings name."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ASK = "import headroom.wsgi; from labs.tasks import grade; print(grade.app.main, grade.app.conf.broker_url)"


def test_a_web_process_knows_the_queue(tmp_path):
    ours = {"DJANGO_SETTINGS_MODULE", "HEADROOM_TEST_DATABASE", "DATABASE_URL"}
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    environment |= {
        "HEADROOM_MODE": "local",
        "HEADROOM_DATA": str(tmp_path),
        "REDIS_URL": "redis://queue.example:6380/3",
    }
    said = subprocess.run(
        [sys.executable, "-c", ASK], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert said.stdout.split() == ["headroom", "redis://queue.example:6380/3"]
