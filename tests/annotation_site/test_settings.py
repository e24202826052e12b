"""Settings are read strictly: a wrong one stops the start with its name."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from annotation_site.settings import env_bool, env_int, local_secret


@pytest.mark.parametrize("value", ["no", "0", "false", "true", "", "yes"])
def test_a_switch_takes_only_true_and_false(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEBUG", value)
    with pytest.raises(ImproperlyConfigured, match="DEBUG must be True or False"):
        env_bool("DEBUG", False)


@pytest.mark.parametrize(("value", "meant"), [("True", True), ("False", False)])
def test_a_switch_means_what_it_says(value: str, meant: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEBUG", value)
    assert env_bool("DEBUG", not meant) is meant


def test_a_number_that_is_none_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WRITING_LEASE_SECONDS", "30 minutes")
    with pytest.raises(ImproperlyConfigured, match="WRITING_LEASE_SECONDS must be a whole number"):
        env_int("WRITING_LEASE_SECONDS", 1800)


def test_debug_no_stops_the_start_with_a_sentence(tmp_path: Path) -> None:
    env = {**os.environ, "DEBUG": "no", "QUINTET_VAR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "manage.py", "check"], cwd=settings.BASE_DIR, env=env, capture_output=True, text=True
    )
    assert done.returncode != 0
    assert "DEBUG must be True or False, not 'no'." in done.stderr


def test_the_secret_of_an_installation_is_made_once_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "var" / "secret-key"
    secret = local_secret(path)
    assert len(secret) >= 50
    assert local_secret(path) == secret
    assert path.stat().st_mode & 0o777 == 0o600
