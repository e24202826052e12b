"""Contradicting settings are reported at start, each with an id and what to do."""

from pathlib import Path
from typing import Any

import pytest
from django.core.checks import run_checks
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from annotation_site.management.commands.doctor import settings_part
from annotation_site.operation import settings_checks
from annotation_site.operation.health import all_parts
from annotation_site.operation.settings_checks import (
    migrations_are_of_this_version,
    settings_are_advisable,
    settings_fit_together,
    static_files_are_collected,
)


@pytest.fixture
def deployed(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Settings of a well-kept site; the database is a server, as in all tests."""
    settings.DEBUG = False
    settings.HTTPS = True
    settings.TRUSTED_PROXIES = 1
    settings.ALLOWED_HOSTS = ["quintet.example"]
    settings.CELERY_BROKER_URL = "redis://broker/0"
    settings.COLLECTED_STATIC = False
    settings.TESTING = False
    monkeypatch.setenv("SECRET_KEY", "x" * 50)
    return settings


def ids() -> list[str | None]:
    return [message.id for message in (*settings_fit_together(), *settings_are_advisable())]


def test_a_well_kept_site_hears_nothing(deployed: Any) -> None:
    assert ids() == []


def test_the_embedded_default_hears_nothing(deployed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    deployed.HTTPS, deployed.TRUSTED_PROXIES = False, 0
    deployed.ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
    deployed.CELERY_BROKER_URL = "filesystem://"
    monkeypatch.setattr(settings_checks, "_uses_a_database_server", lambda: False)
    monkeypatch.delenv("SECRET_KEY")
    assert ids() == []


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("DEBUG", True, "quintet.E001"),
        ("ALLOWED_HOSTS", ["localhost"], "quintet.E002"),
        ("VALIDATION_LEASE_SECONDS", 5, "quintet.E004"),
        ("TRUSTED_PROXIES", -1, "quintet.E005"),
        ("TRAINING_THREADS", 0, "quintet.E007"),
        ("TRUSTED_PROXIES", 0, "quintet.W001"),
        ("CELERY_BROKER_URL", "filesystem://", "quintet.W003"),
        ("ALLOWED_HOSTS", ["*"], "quintet.W004"),
    ],
)
def test_each_contradiction_has_its_id(deployed: Any, name: str, value: Any, found: str) -> None:
    setattr(deployed, name, value)
    assert ids() == [found]


def test_hsts_without_https_is_an_error(deployed: Any) -> None:
    deployed.HTTPS, deployed.SECURE_HSTS_SECONDS = False, 3600
    assert ids() == ["quintet.E003"]


def test_a_key_of_one_machine_alone_is_told(deployed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SECRET_KEY")
    assert ids() == ["quintet.W002"]


def test_every_message_says_what_to_do(deployed: Any) -> None:
    deployed.DEBUG, deployed.ALLOWED_HOSTS, deployed.TRUSTED_PROXIES = True, ["localhost"], 0
    messages = [*settings_fit_together(), *settings_are_advisable()]
    assert len(messages) == 3
    assert all(message.hint for message in messages)


def test_static_files_that_nobody_collected_are_an_error(deployed: Any, tmp_path: Path) -> None:
    deployed.COLLECTED_STATIC, deployed.STATIC_ROOT = True, tmp_path
    assert [message.id for message in static_files_are_collected()] == ["quintet.E006"]
    (tmp_path / "staticfiles.json").write_text("{}")
    assert static_files_are_collected() == []


def test_warnings_are_told_where_somebody_looks_and_not_before_each_command(deployed: Any) -> None:
    deployed.CELERY_BROKER_URL = "filesystem://"
    assert "quintet.W003" not in {message.id for message in run_checks()}
    assert "quintet.W003" in {message.id for message in run_checks(include_deployment_checks=True)}
    assert "quintet.W003" in settings_part().says


def migrated() -> list[str]:
    """Runs `migrate` on the database of the test. Returns the sentence with which it is refused, if it is."""
    try:
        call_command("migrate", verbosity=0, skip_checks=False)
    except SystemCheckError as error:
        return [line for line in str(error).splitlines() if "quintet.E008" in line or "HINT" in line]
    return []


@pytest.mark.django_db
def test_a_database_with_a_part_of_the_replaced_migrations_is_not_migrated() -> None:
    assert migrations_are_of_this_version(databases=["default"]) == []
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("modeling", "0001_schema")
    assert migrations_are_of_this_version(databases=["default"]) == []
    recorder.record_unapplied("modeling", "0004_marks_of_phenomena")
    problem, hint = migrated()
    assert "it lacks 0004_marks_of_phenomena of modeling.0001_schema" in problem
    assert "with commit 805360f" in hint


@pytest.mark.django_db
def test_a_database_of_migrations_that_this_version_lacks_is_sent_to_the_notes() -> None:
    MigrationRecorder(connection).record_applied("accounts", "0002_people_qualify")
    problem, hint = migrated()
    assert "this one has no accounts.0002_people_qualify" in problem
    assert "notes for upgraders in CHANGELOG.md" in hint
    assert [part.state for part in all_parts() if part.name == "database"] == ["ok"], "nothing waits"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("missing", "had", "problem"),
    [
        (("modeling", "0002_leak_audits"), [], "its table of leak audits came by 0001_schema"),
        (
            ("collection", "0002_promises_of_pay"),
            ["0002_payment", "0003_hourly_floor"],
            "its columns of pay came by 0002_payment",
        ),
    ],
)
def test_a_database_whose_migrations_were_renamed_is_told_how_to_go_on(
    missing: tuple[str, str], had: list[str], problem: str
) -> None:
    recorder = MigrationRecorder(connection)
    _, *later = reversed(MigrationLoader(connection).graph.backwards_plan(missing))
    for key in [missing, *later]:
        recorder.record_unapplied(*key)
    for name in had:
        recorder.record_applied("collection", name)
    said = " ".join(migrated())
    assert problem in said
    way = f"manage.py migrate --skip-checks --fake {missing[0]} {missing[1]}"
    assert way in said
    (part,) = [part for part in all_parts() if part.name == "database"]
    assert (part.state, way in part.says) == ("down", True)
    call_command("migrate", *missing, verbosity=0, skip_checks=True, fake=True)
    for key in later:
        recorder.record_applied(*key)
    assert migrated() == []
