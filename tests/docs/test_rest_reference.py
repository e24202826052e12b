"""The reference of REST lists the addresses of the OpenAPI description."""

import json
import re
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from drf_spectacular.generators import SchemaGenerator

from tests.docs.pages import REFERENCE

PATH = re.compile(r"`(GET|POST|PUT|PATCH|DELETE) (/api/v1/[^`?\s]*)")
METHODS = ("get", "post", "put", "patch", "delete")
# The description cannot describe itself.
BESIDE = {("GET", "/api/v1/schema/"), ("GET", "/api/v1/docs/")}


def described() -> set[tuple[str, str]]:
    schema = SchemaGenerator().get_schema(request=None, public=True)
    return {
        (method.upper(), path)
        for path, item in schema["paths"].items()
        for method in item
        if method in METHODS
    }


def test_the_reference_lists_every_path_and_no_other() -> None:
    told = set(PATH.findall((REFERENCE / "rest.md").read_text()))
    assert told - BESIDE == described()


def test_the_description_is_made_once(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    first = client.get("/api/v1/schema/?format=json")
    assert first.json()["info"]["title"] == "Quintet"
    assert first["Content-Disposition"] == 'inline; filename="Quintet.json"'
    monkeypatch.delattr(SchemaGenerator, "parse")
    assert client.get("/api/v1/schema/?format=json").content == first.content


def test_the_description_is_valid_without_a_warning_and_its_names_do_not_collide(tmp_path: Path) -> None:
    file = tmp_path / "schema.json"
    call_command(
        "spectacular", "--fail-on-warn", "--validate", "--format", "openapi-json", "--file", str(file)
    )
    schema = json.loads(file.read_text())
    names = [
        operation["operationId"]
        for item in schema["paths"].values()
        for operation in item.values()
        if isinstance(operation, dict)
    ]
    assert len(names) == len(set(names))
    # Names that drf-spectacular makes after a collision: an operation with a number, an enum with a part of a hash.
    assert not [name for name in names if re.search(r"_\d+$", name)]
    assert not [name for name in schema["components"]["schemas"] if re.search(r"[0-9a-f]{3}Enum$", name)]
