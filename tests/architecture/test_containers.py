"""Checks without a container engine that everything that the container files name exists."""

import json
import os
import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings

ROOT = settings.BASE_DIR
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = [name for name, service in SERVICES.items() if "build" in service]
# The folder stands in the Dockerfile; all containers share its volume, so that no worker fetches snapshots; and errors
# with their code are not for the public.
FIXED_IN_CONTAINERS = {"QUINTET_VAR", "SITE_URL", "SITE_TOKEN", "DEBUG"}
SETTINGS = (ROOT / "annotation_site" / "settings.py").read_text()


def test_each_part_of_production_is_a_service() -> None:
    assert set(SERVICES) == {"postgres", "redis", "prepare", "web", "worker", "clock", "answers", "trainer"}


def test_every_service_that_is_waited_for_exists_and_can_say_that_it_is_ready() -> None:
    for service in SERVICES.values():
        for name, wanted in service.get("depends_on", {}).items():
            if wanted["condition"] == "service_healthy":
                assert "healthcheck" in SERVICES[name]


def test_our_processes_have_time_to_end() -> None:
    """The usual ten seconds are less than gunicorn gives its requests (30) and Celery its jobs' checkpoints."""
    assert {name: SERVICES[name].get("stop_grace_period") for name in OURS} == dict.fromkeys(OURS, "60s")


@pytest.mark.parametrize("name", OURS)
def test_our_containers_write_into_their_volume_alone_and_gain_no_rights(name: str) -> None:
    service = SERVICES[name]
    assert (service["read_only"], service["tmpfs"]) == (True, ["/tmp"])
    assert (service["cap_drop"], service["security_opt"]) == (["ALL"], ["no-new-privileges:true"])


def test_the_lines_of_the_docs_are_those_of_the_images() -> None:
    (cmd,) = re.findall(
        r"^CMD (\[.+\])$", (ROOT / "Dockerfile").read_text().replace("\\\n", ""), re.MULTILINE
    )
    site = [word.replace("0.0.0.0:8000", "127.0.0.1:8000") for word in json.loads(cmd)]
    celery = [SERVICES[name]["command"] for name in ("worker", "trainer", "clock")]
    for page, lines in {"production": [site, *celery], "operate": celery}.items():
        text = (ROOT / "docs" / "how-to" / f"{page}.md").read_text()
        found = re.findall(r"\.venv/bin/(python -m (?:gunicorn|celery) [^`\n]+)", text)
        assert [shlex.split(line) for line in found] == lines


def test_every_named_volume_is_declared() -> None:
    mounted = {volume.split(":")[0] for service in SERVICES.values() for volume in service.get("volumes", [])}
    assert mounted == set(COMPOSE["volumes"])


@pytest.mark.parametrize("name", OURS)
def test_settings_given_to_a_container_are_settings_that_are_read(name: str) -> None:
    for key in SERVICES[name]["environment"]:
        assert f'"{key}"' in SETTINGS


def test_a_setting_written_into_the_environment_file_reaches_every_container() -> None:
    """A setting that is not passed on would have no effect, and nobody would be told."""
    documented = re.findall(
        r"^\| `([A-Z_]+)` \|", (ROOT / "docs/reference/settings.md").read_text(), flags=re.MULTILINE
    )
    assert documented
    for name in OURS:
        assert sorted(set(documented) - FIXED_IN_CONTAINERS - set(SERVICES[name]["environment"])) == []


def test_secrets_have_no_default_that_one_could_forget() -> None:
    given = SERVICES["web"]["environment"]
    assert given["SECRET_KEY"].startswith("${SECRET_KEY:?")
    assert "${POSTGRES_PASSWORD:?" in given["DATABASE_URL"]


@pytest.mark.thorough
def test_the_first_start_prepares_an_empty_database_and_an_empty_folder(tmp_path: Path) -> None:
    """Runs the commands of `prepare` as they stand there, with the settings of the containers."""
    filled = {
        "DATABASE_URL": f"sqlite:///{tmp_path / 'site.sqlite3'}",
        "SECRET_KEY": "k" + "0123456789" * 6,
        "ALLOWED_HOSTS": "quintet.example.org",
    }
    settings_of_all = {
        name: re.sub(r"\$\{\w+:-(.*)\}", r"\1", value)
        for name, value in SERVICES["prepare"]["environment"].items()
    }
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "QUINTET_VAR": str(tmp_path / "var"),
        **settings_of_all,
        **filled,
    }
    done = subprocess.run(
        SERVICES["prepare"]["command"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "var" / "static" / "staticfiles.json").exists()


@pytest.mark.parametrize("name", [name for name in OURS if isinstance(SERVICES[name].get("command"), list)])
def test_modules_that_a_container_runs_exist(name: str) -> None:
    text = " ".join(SERVICES[name]["command"])
    for module in re.findall(r"python -m (\S+)", text):
        assert find_spec(module)


def test_every_queue_has_a_worker_and_training_reserves_a_gpu() -> None:
    queues = {
        name: service["command"][service["command"].index("-Q") + 1]
        for name, service in SERVICES.items()
        if "-Q" in service.get("command", [])
    }
    assert queues == {"worker": "general", "trainer": "training"}
    devices = SERVICES["trainer"]["deploy"]["resources"]["reservations"]["devices"]
    assert [device["capabilities"] for device in devices] == [["gpu"]]
    assert SERVICES["trainer"]["profiles"] == ["gpu"]


def test_the_image_copies_what_is_there_runs_as_nobody_in_particular_and_keeps_torch_to_training() -> None:
    text = (ROOT / "Dockerfile").read_text()
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", text, flags=re.MULTILINE)
    assert all((ROOT / name).exists() for names in copied for name in names.split())
    assert "\nUSER quintet\n" in text
    assert 'ARG EXTRAS=""' in text
    assert SERVICES["trainer"]["build"]["args"] == {"EXTRAS": "train"}
    with_torch = ("trainer", "answers")
    assert SERVICES["answers"]["build"] == SERVICES["trainer"]["build"]
    assert all("args" not in SERVICES[name]["build"] for name in OURS if name not in with_torch)


def test_access_logs_hold_no_query_in_which_platforms_send_their_ids() -> None:
    formats = re.findall(r'"--access-logformat", "(.+)"\]', (ROOT / "Dockerfile").read_text())
    formats += re.findall(
        r"^log_format \w+ '(.+)';$", (ROOT / "deploy" / "nginx.conf").read_text(), re.MULTILINE
    )
    assert len(formats) == 2
    with_query = r"%\([rqf]\)s|\$(request|request_uri|args|query_string|http_referer)\b"
    assert [each for each in formats if re.search(with_query, each)] == []


def test_names_in_the_example_of_the_environment_are_used_by_the_services() -> None:
    example = re.findall(r"^([A-Z_]+)=", (ROOT / ".env.example").read_text(), flags=re.MULTILINE)
    compose = (ROOT / "docker-compose.yml").read_text()
    assert example
    assert [name for name in example if f"${{{name}" not in compose] == []
