"""docker-compose.yml without a Docker engine: what it starts is what this code understands."""

import copy
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docker-compose.yml").read_text()
COMPOSE = yaml.safe_load(TEXT)
SERVICES = COMPOSE["services"]
SCHEMA = json.loads((Path(__file__).parent / "data/compose-spec/compose-spec.json").read_text())
OURS = {name: service for name, service in SERVICES.items() if "build" in service}


def test_the_file_is_what_the_compose_specification_allows():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert [error.message for error in jsonschema.Draft202012Validator(SCHEMA).iter_errors(COMPOSE)] == []


@pytest.mark.parametrize(
    "change", [{"comand": ["x"]}, {"ports": "8000"}, {"depends_on": {"redis": {"condition": "up"}}}, {"image": 3}]
)
def test_the_schema_refuses_what_compose_would_refuse(change):
    broken = copy.deepcopy(COMPOSE)
    broken["services"]["web"] |= change
    assert list(jsonschema.Draft202012Validator(SCHEMA).iter_errors(broken))


def test_every_part_of_the_design_is_there():
    assert {"postgres", "redis", "web", "beat", "worker", "gpu-worker"} <= SERVICES.keys()
    queues = {
        name: service["command"][service["command"].index("-Q") + 1]
        for name, service in OURS.items()
        if "-Q" in service["command"]
    }
    assert queues == {"short-worker": "short", "worker": "cpu", "gpu-worker": "gpu"}


def test_no_secret_stands_in_the_file_or_goes_into_the_image():
    for name, service in SERVICES.items():
        for key, value in service.get("environment", {}).items():
            if re.search("KEY|PASSWORD|_URL", key) and key != "REDIS_URL":
                assert "${" in value, f"{name} sets {key} in the file"
    assert not re.search("SECRET_KEY|PASSWORD", (ROOT / "Dockerfile").read_text())
    assert ".env" in (ROOT / ".dockerignore").read_text().split()


def test_every_setting_that_production_asks_for_is_given():
    optional = re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", yaml.dump(SERVICES["web"]["environment"]))
    given = re.sub(r"\$\{(\w+)[^}]*\}", "x" * 60, optional)
    environment = {key: str(value or "") for key, value in yaml.safe_load(given).items()}
    environment |= {"MAIL_URL": "smtp://mail.example:25", "TRUSTED_PROXIES": "1", "PATH": os.environ["PATH"]}
    command = [sys.executable, "manage.py", "check"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", [name for name in OURS if name != "release"])
def test_each_command_line_is_one_that_its_program_accepts(name):
    command = OURS[name]["command"]
    check = [*command, "--check-config"] if command[0] == "gunicorn" else [*command, "--help"]
    environment = {**os.environ, "HEADROOM_MODE": "test", "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(check, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_only_the_workers_that_grade_loosen_the_containers_confinement():
    loosened = {name for name, service in SERVICES.items() if "security_opt" in service}
    assert loosened == {"worker", "gpu-worker"}
    for name in loosened:
        assert SERVICES[name]["cap_drop"] == ["ALL"]
        assert "privileged" not in SERVICES[name]
    assert "USER headroom" in (ROOT / "Dockerfile").read_text()
