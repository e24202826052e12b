"""System checks of the settings and of the database's migrations, each with an id and a hint."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

# The last commit with the migrations that 0001_schema of each app replaces.
LAST_WITH_FORMER_MIGRATIONS = "805360f"
# Migrations that were renamed or divided after databases had them: 7114ccaa and 7e6b13bb are the last commits before.
PAYMENT = {("collection", "0002_payment"), ("collection", "0003_hourly_floor")}
PROMISES, LEAK_AUDITS = ("collection", "0002_promises_of_pay"), ("modeling", "0002_leak_audits")
LOCAL_HOSTS = {"localhost", "127.0.0.1", "[::1]"}


def _uses_a_database_server() -> bool:
    return settings.DATABASES["default"]["ENGINE"] != "django.db.backends.sqlite3"


@register("quintet")
def settings_fit_together(app_configs: Sequence[Any] | None = None, **kwargs: object) -> list[CheckMessage]:
    """Reports settings that contradict each other."""
    found: list[CheckMessage] = []
    if settings.HTTPS and settings.DEBUG:
        found.append(
            Error(
                "DEBUG and HTTPS are both on.",
                hint="A public site shows no debug pages: DEBUG=False.",
                id="quintet.E001",
            )
        )
    if settings.HTTPS and set(settings.ALLOWED_HOSTS) <= LOCAL_HOSTS:
        found.append(
            Error(
                "HTTPS is on, but ALLOWED_HOSTS contains only this machine's own names.",
                hint="Set ALLOWED_HOSTS to the public name, such as ALLOWED_HOSTS=quintet.example.org.",
                id="quintet.E002",
            )
        )
    if settings.SECURE_HSTS_SECONDS and not settings.HTTPS:
        found.append(
            Error(
                "SECURE_HSTS_SECONDS is set, but HTTPS is off.",
                hint="Set HTTPS=True, or leave SECURE_HSTS_SECONDS out.",
                id="quintet.E003",
            )
        )
    for name in ("WRITING_LEASE_SECONDS", "VALIDATION_LEASE_SECONDS", "SIGN_IN_WINDOW_SECONDS"):
        if getattr(settings, name) < 10:
            found.append(
                Error(
                    f"{name} is under ten seconds.",
                    hint="Give it in seconds: 900 are 15 minutes.",
                    id="quintet.E004",
                )
            )
    if settings.TRUSTED_PROXIES < 0:
        found.append(
            Error(
                "TRUSTED_PROXIES is below zero.",
                hint="Set the number of proxies in front.",
                id="quintet.E005",
            )
        )
    if settings.TRAINING_THREADS < 1:
        found.append(
            Error(
                "TRAINING_THREADS is below one.",
                hint="Leave it out, or set the number of threads of a training, 1 or more.",
                id="quintet.E007",
            )
        )
    return found


@register("quintet", deploy=True)
def settings_are_advisable(app_configs: Sequence[Any] | None = None, **kwargs: object) -> list[CheckMessage]:
    """Warns about settings that will cause trouble in production. `check --deploy`, `doctor` and `demo` run these checks."""
    found: list[CheckMessage] = []
    if settings.HTTPS and not settings.TRUSTED_PROXIES:
        found.append(
            Warning(
                "HTTPS is on, but no proxy is trusted: every visitor seems to come from the proxy's address.",
                hint="Set TRUSTED_PROXIES=1, or failed sign-ins of one visitor lock everybody out.",
                id="quintet.W001",
            )
        )
    if _uses_a_database_server() and not os.environ.get("SECRET_KEY") and not settings.TESTING:
        found.append(
            Warning(
                "SECRET_KEY comes from a file of this machine while the database is a server.",
                hint="Set the same SECRET_KEY on every machine, or sign-ins made on one fail on another.",
                id="quintet.W002",
            )
        )
    if _uses_a_database_server() and settings.CELERY_BROKER_URL.startswith("filesystem"):
        found.append(
            Warning(
                "The broker is a folder of this machine while the database is a server.",
                hint="Set CELERY_BROKER_URL=redis://..., or workers on other machines get no jobs.",
                id="quintet.W003",
            )
        )
    if "*" in settings.ALLOWED_HOSTS and not settings.DEBUG:
        found.append(
            Warning(
                "ALLOWED_HOSTS is *: an attacker can make the site send links to another host.",
                hint="List the host names of the site.",
                id="quintet.W004",
            )
        )
    return found


@register("quintet")
def nobody_else_reads_the_database(
    app_configs: Sequence[Any] | None = None, **kwargs: object
) -> list[CheckMessage]:
    """Warns about a SQLite file that every account of the machine can read: it contains sessions."""
    if _uses_a_database_server():
        return []
    file = Path(settings.DATABASES["default"]["NAME"])
    folders = [folder for folder in file.parents if folder.exists()]
    if not file.exists() or not all(folder.stat().st_mode & 0o001 for folder in folders):
        return []
    if not file.stat().st_mode & 0o004:
        return []
    return [
        Warning(
            f"Every account of this machine can read the database, {file}.",
            hint=f"Stop the site, then: chmod 700 {file.parent}; chmod 600 {file}*",
            id="quintet.W005",
        )
    ]


@register("quintet")
def static_files_are_collected(
    app_configs: Sequence[Any] | None = None, **kwargs: object
) -> list[CheckMessage]:
    """Reports missing static files: with COLLECTED_STATIC, every page would fail without them."""
    if not settings.COLLECTED_STATIC or (settings.STATIC_ROOT / "staticfiles.json").exists():
        return []
    return [
        Error(
            "COLLECTED_STATIC is True, but no static files are collected.",
            hint="Run `manage.py collectstatic --noinput`, or leave COLLECTED_STATIC out.",
            id="quintet.E006",
        )
    ]


@register(Tags.database)
def migrations_are_of_this_version(
    app_configs: Sequence[Any] | None = None, databases: Sequence[str] | None = None, **kwargs: object
) -> list[CheckMessage]:
    """Reports databases of other versions, which `migrate` would leave with an error of the database, or in part."""
    disk = MigrationLoader(None).disk_migrations
    ours = {each.label for each in apps.get_app_configs() if Path(each.path).parent == settings.BASE_DIR}
    known = {*disk, *(name for each in disk.values() for name in each.replaces), *PAYMENT}
    found: list[CheckMessage] = []

    def report(what: str, hint: str) -> None:
        found.append(
            Error(f"The database was made by another version: {what}.", hint=hint, id="quintet.E008")
        )

    for using in databases or ():
        applied = MigrationRecorder(connections[using]).applied_migrations().keys()
        for migration in disk.values():
            missing = [name for app, name in migration.replaces if (app, name) not in applied]
            if 0 < len(missing) < len(migration.replaces):
                report(
                    f"it lacks {', '.join(missing)} of {migration}", first_with(LAST_WITH_FORMER_MIGRATIONS)
                )
        if unknown := sorted(f"{app}.{name}" for app, name in applied - known if app in ours):
            report(f"this one has no {', '.join(unknown)}", "Read the notes for upgraders in CHANGELOG.md.")
        if PAYMENT & applied and PROMISES not in applied:
            both = applied >= PAYMENT
            report(
                "its columns of pay came by 0002_payment", fake(*PROMISES) if both else first_with("7114ccaa")
            )
        if (
            LEAK_AUDITS not in applied
            and "modeling_leakaudit" in connections[using].introspection.table_names()
        ):
            report("its table of leak audits came by 0001_schema", fake(*LEAK_AUDITS))
    return found


def first_with(commit: str) -> str:
    return f"Run `manage.py migrate` with commit {commit}, then with this version."


def fake(app: str, name: str) -> str:
    return f"Run `manage.py migrate --skip-checks --fake {app} {name}`, then `manage.py migrate`. Nothing is lost."
