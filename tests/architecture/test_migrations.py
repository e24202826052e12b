"""Migrations match the models, and depend only on apps below."""

import re
from io import StringIO

import pytest
from django.core.management import call_command
from django.db.migrations.loader import MigrationLoader

APPS = ["accounts", "collection", "validation", "snapshots", "modeling"]


@pytest.mark.django_db
def test_no_model_has_changed_without_a_migration() -> None:
    out = StringIO()
    try:
        call_command("makemigrations", check_changes=True, dry_run=True, stdout=out)
    except SystemExit:
        pytest.fail(f"Migrations are missing:\n{out.getvalue()}")


def test_migrations_depend_only_on_apps_below() -> None:
    loader = MigrationLoader(None)
    upwards = [
        f"{app}.{name} depends on {other}.{other_name}"
        for (app, name), migration in loader.disk_migrations.items()
        for other, other_name in migration.dependencies
        if app in APPS and other in APPS and APPS.index(other) > APPS.index(app)
    ]
    assert upwards == []


def test_migrations_have_speaking_names() -> None:
    loader = MigrationLoader(None)
    names = [f"{app}.{name}" for app, name in loader.disk_migrations if app in APPS]
    assert [name for name in names if "auto_" in name or name.endswith("_initial")] == []


@pytest.mark.django_db
def test_one_operation_makes_all_tables_and_drops_them_in_the_other_order() -> None:
    def tables(statement: str, **options: bool) -> list[str]:
        out = StringIO()
        call_command("sqlmigrate", "collection", "0001", stdout=out, **options)
        return re.findall(rf'{statement} TABLE "(\w+)"', out.getvalue())

    (operation,) = MigrationLoader(None).disk_migrations["collection", "0001_schema"].operations
    made = [f"collection_{model.name_lower}" for model in operation.models]
    assert len(made) > 20
    assert tables("CREATE") == made
    assert tables("DROP", backwards=True) == made[::-1]
