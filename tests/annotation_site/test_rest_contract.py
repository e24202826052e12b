"""Every answer of the REST interface is one that its OpenAPI description knows, whatever is sent, whoever sends it.

Requests are drawn by schemathesis from the description: what it allows, and what it forbids.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import hypothesis
import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, Phase, strategies
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from accounts.sign_in.tokens import create_api_token
from tests.addresses import Site, sample_site

# Requests drawn for each address, of those that its description allows and of those that it forbids.
CASES = {"anonymous": 3, "annotator": 6, "researcher": 6}
FEW = 1  # in `make test`
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
]

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def description() -> dict[str, Any]:
    return SchemaGenerator().get_schema(request=None, public=True)


@pytest.fixture(autouse=True)
def connection_stays() -> Iterator[None]:
    """A real request may close the connection at its end, and with it the test's transaction."""
    ends = (request_started, request_finished)
    for signal in ends:
        signal.disconnect(close_old_connections)
    yield
    for signal in ends:
        signal.connect(close_old_connections)


def whole_answers(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    """The site, its answers read to the end and closed."""
    answer = WSGIHandler()(environ, start_response)
    try:
        return [b"".join(answer)]
    finally:
        answer.close()


@contextmanager
def taken_back() -> Iterator[None]:
    """What happens inside leaves nothing in the database."""
    block = transaction.atomic()
    block._from_testcase = True  # some views want the outermost transaction: this one does not count
    with block:
        yield
        transaction.set_rollback(True)


def known_objects(site: Site) -> dict[str, Any]:
    """Place in an address, or key of a body -> what there is."""
    places = site.places
    return {
        "slug": site.corpus.slug,
        "corpus": site.corpus.slug,
        "snapshot": str(site.snapshot),
        "baseline": "majority",
        "format_name": "snli_txt",
        "kind": "corpus",
        "snapshots": site.snapshot.pk,
        "runs": places["runs/"]["pk"],
        "files": "manifest.json",
        "exports": places["snapshots/<int:pk>/exports/"]["name"],
        "genre": "fiction",
        "username": "vera",
        "because": "The labels are wrong.",
    }


def name_known_objects(case: Any, objects: dict[str, Any]) -> None:
    """Puts what there is into the address and the body: drawn texts would only ever find nothing."""
    for name in case.path_parameters or ():
        if name in ("id", "name"):
            part = case.operation.path.removeprefix("/api/v1/").split("/")
            name_of = part[0] if name == "id" else part[part.index("{name}") - 1]
            known = objects.get(name_of, objects["exports"])
        else:
            known = objects[name]
        case.path_parameters[name] = known
    if isinstance(case.body, dict):
        case.body |= {key: objects[key] for key in case.body if key in objects}


@pytest.mark.parametrize(
    ("role", "cases"),
    [
        *((role, FEW) for role in CASES),
        *(pytest.param(role, cases, marks=pytest.mark.thorough) for role, cases in CASES.items()),
    ],
)
def test_every_answer_is_described(role: str, cases: int, description: dict[str, Any]) -> None:
    site = sample_site()
    objects = known_objects(site)
    headers = {}
    if role != "anonymous":
        headers["Authorization"] = f"Token {create_api_token(user=site.people[role], name='contract')}"
    schema = schemathesis.openapi.from_dict(description)
    schema.app = whole_answers
    failures = []
    for result in schema.get_all_operations():
        operation = result.ok()
        for mode in GenerationMode:

            @hypothesis.seed(7)
            @hypothesis.settings(
                max_examples=cases,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
                database=None,
                deadline=None,
            )
            @hypothesis.given(case=operation.as_strategy(generation_mode=mode), known=strategies.booleans())
            def ask(case: Any, known: bool) -> None:
                if known:
                    name_known_objects(case, objects)
                with taken_back():
                    answer = case.call(headers=headers)
                    checks = [*CHECKS]
                    if answer.status_code != 206:  # a part of a file is no JSON
                        checks.append(response_schema_conformance)
                    if not known:
                        checks.append(negative_data_rejection)
                    case.validate_response(answer, checks=checks)

            try:
                ask()
            except (FailureGroup, Failure) as error:
                failures.append(f"{operation.method} {operation.path}: {error}")
    assert not failures, "\n\n".join(failures)
