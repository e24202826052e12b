"""The way from SQLite to PostgreSQL, by the lines of the docs."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import call_command

from annotation_site.operation.invariants import INVARIANTS
from tests.annotation_site.test_embedded import manage

EXAMPLE = "from annotation_site.management.commands.demo import load_example; load_example()"


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_all_rows_of_a_sqlite_site_come_over(tmp_path: Path) -> None:
    page = (settings.BASE_DIR / "docs" / "how-to" / "operate.md").read_text()
    (dump,) = re.findall(r"manage\.py (dumpdata .+) -o rows\.json$", page, flags=re.MULTILINE)
    rows = tmp_path / "rows.json"
    manage(tmp_path / "var", "migrate", "--verbosity", "0")
    manage(tmp_path / "var", "shell", "-c", EXAMPLE)
    manage(tmp_path / "var", *dump.split(), "-o", str(rows))
    told = Counter(row["model"] for row in json.loads(rows.read_text()))
    assert {"accounts.user", "collection.pair", "validation.label"} <= told.keys()
    call_command("loaddata", str(rows), verbosity=0)
    assert {label: apps.get_model(label).objects.count() for label in told} == dict(told)
    assert [rule for rule, rows in INVARIANTS.items() if rows.exists()] == []
