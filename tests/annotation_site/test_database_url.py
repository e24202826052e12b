"""A child process gets the address of the very database that this one uses."""

from types import SimpleNamespace
from typing import Any

import environ
import pytest

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
