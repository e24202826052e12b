"""The SQL of the statistics suits two databases: on SQLite it must count what it counts on PostgreSQL."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commands import run
from tests.corpora import LABELS

pytestmark = pytest.mark.django_db

ON_SQLITE = """
import sys, django
django.setup()
from django.core.management import call_command as call
call("migrate", verbosity=0)
call("import_pairs", "here", sys.argv[1], format="jsonl", stdout=sys.stderr)
call("agreement", "here", by=sys.argv[2], pairwise=True, json=True)
print("|")
call("quality", "here", json=True)
"""


def write(path: Path) -> None:
    """Writes two hundred pairs with five labels by seven people, three pairs for each premise."""
    dice = random.Random(5)
    with path.open("w") as file:
        for n in range(200):
            people = dice.sample(range(7), 5)
            labels = dice.choices(LABELS, (5, 2, 1), k=5)
            line = {
                "premise": f"Premise {n // 3}.",
                "hypothesis": f"Hypothesis {n}.",
                "label": labels[0],
                "labels": labels,
                "author": f"p{people[0]}",
                "annotators": [f"p{each}" for each in people],
                "genre": f"g{n % 2}",
            }
            file.write(json.dumps(line) + "\n")


def near(found: Any, expected: Any) -> None:
    """Compares up to rounding, since sums are taken in another order."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for name, value in expected.items():
            near(found[name], value)
    elif isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            near(one, other)
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, abs=1e-9)
    else:
        assert found == expected


@pytest.mark.thorough
def test_agreement_and_quality_are_the_same_on_both(tmp_path):
    file = tmp_path / "pairs.jsonl"
    write(file)
    assert run("import_pairs", "here", file, format="jsonl").failure == ""
    ours = run("agreement", "here", by="validator", pairwise=True, json=True).json
    assert len(ours["by_validator"]) == 7
    assert ours["pairwise_kappa"]

    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    environment |= {
        "QUINTET_VAR": str(tmp_path / "var"),
        "DJANGO_SETTINGS_MODULE": "annotation_site.settings",
    }
    done = subprocess.run(
        [sys.executable, "-c", ON_SQLITE, str(file), "validator"],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "var" / "quintet.sqlite3").exists()
    agreement, quality = map(json.loads, done.stdout.split("|\n"))
    near(agreement, ours)
    near(quality["annotators"], run("quality", "here", json=True).json["annotators"])
