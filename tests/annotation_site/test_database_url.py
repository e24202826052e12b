"""A child process gets the address of the database that this process uses."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import environ
import pytest

from annotation_site import settings as settings_module
from annotation_site.operation import server


@pytest.mark.parametrize(
    "given",
    [
        {"HOST": "db.example", "PORT": 5433, "USER": "quintet", "PASSWORD": "p@ss/w:rd#1"},
        {"HOST": "/var/run/postgresql", "PORT": 5433, "USER": "root", "PASSWORD": ""},
        {"HOST": "127.0.0.1", "PORT": "", "USER": "quintet", "PASSWORD": ""},
    ],
)
def test_the_settings_read_back_what_was_written(
    given: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = SimpleNamespace(vendor="postgresql", settings_dict={**given, "NAME": "test_quintet"})
    monkeypatch.setattr(server, "connection", connection)
    config = environ.Env.db_url_config(server.database_url())
    assert {key: config[key] for key in given} == given
    assert config["NAME"] == "test_quintet"


OURS = "-c plan_cache_mode=force_generic_plan -c jit=off"


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("", {"options": OURS}),
        ("?sslmode=require", {"options": OURS, "sslmode": "require"}),
        (
            "?options=-c%20statement_timeout%3D5000&connect_timeout=3",
            {"options": f"{OURS} -c statement_timeout=5000", "connect_timeout": 3},
        ),
    ],
)
def test_options_of_the_address_stand_beside_ours(query: str, wanted: dict[str, Any]) -> None:
    there = settings_module.database(f"postgres://quintet@db.example/quintet{query}")
    assert there["OPTIONS"] == wanted


def test_options_of_the_address_win_on_sqlite(tmp_path: Path) -> None:
    options = settings_module.database(f"sqlite:///{tmp_path}/q.sqlite3?timeout=5")["OPTIONS"]
    assert (options["timeout"], options["transaction_mode"]) == (5, "IMMEDIATE")
