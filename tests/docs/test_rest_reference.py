"""The reference of REST lists what the OpenAPI description describes."""

import re

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
