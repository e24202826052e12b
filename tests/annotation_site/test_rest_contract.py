"""Every response of the REST interface fits its OpenAPI description, whatever the request and the sender.

schemathesis draws the requests from the description: valid and invalid ones.
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
from tests.made_once import made_once

# Requests drawn for each address, of those that its description allows and as many of those that it forbids.
CASES = 10
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
]

pytestmark = pytest.mark.django_db
site = made_once(sample_site)


@pytest.fixture(scope="module")
def description() -> dict[str, Any]:
    return SchemaGenerator().get_schema(request=None, public=True)


@pytest.fixture(autouse=True)
def connection_stays() -> Iterator[None]:
    """Keeps requests from closing the connection at their end, and with it the test's transaction."""
    ends = (request_started, request_finished)
    for signal in ends:
        signal.disconnect(close_old_connections)
    yield
    for signal in ends:
        signal.connect(close_old_connections)


def whole_answers(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    """Returns the site as a WSGI application whose responses are read to the end and closed."""
    answer = WSGIHandler()(environ, start_response)
    try:
        return [b"".join(answer)]
    finally:
        answer.close()


@contextmanager
def taken_back() -> Iterator[None]:
    """Rolls back everything that happens inside."""
    block = transaction.atomic()
    block._from_testcase = True  # some views want the outermost transaction: this one does not count
    with block:
        yield
        transaction.set_rollback(True)


def known_objects(site: Site) -> dict[str, Any]:
    """Returns place in an address, or key of a body -> an existing value."""
    places = site.places
    return {
        "slug": site.corpus.slug,
        "corpus": site.corpus.slug,
        "partition": "train",  # not withheld: that rewrites files, which no transaction takes back
        "snapshot": str(site.snapshot),
        "baseline": "majority",
        "format_name": "snli_txt",
        "kind": "corpus",
        "snapshots": site.snapshot.pk,
        "runs": places["runs/"]["pk"],
        "number": places["api/v1/corpora/"]["number"],
        "code": places["api/v1/corpora/"]["code"],
        "files": "manifest.json",
        "exports": places["snapshots/<int:pk>/exports/"]["name"],
        "genre": "fiction",
        "username": "vera",
        "because": "The labels are wrong.",
    }


def name_known_objects(case: Any, objects: dict[str, Any]) -> None:
    """Puts existing values into the address and the body; drawn texts would never name anything."""
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


@pytest.mark.thorough
def test_every_answer_is_described(site: Site, description: dict[str, Any]) -> None:
    """Each drawn request is sent by everyone: to draw it takes longer than to answer it."""
    objects = known_objects(site)
    headers: dict[str, dict[str, str]] = {"anonymous": {}}
    for role in ("annotator", "researcher"):
        token = create_api_token(user=site.people[role], name="contract")
        headers[role] = {"Authorization": f"Token {token}"}
    schema = schemathesis.openapi.from_dict(description)
    schema.app = whole_answers
    failures = []
    for result in schema.get_all_operations():
        operation = result.ok()
        for mode in GenerationMode:

            @hypothesis.seed(7)
            @hypothesis.settings(
                max_examples=CASES,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
                database=None,
                deadline=None,
            )
            @hypothesis.given(case=operation.as_strategy(generation_mode=mode), known=strategies.booleans())
            def ask(case: Any, known: bool) -> None:
                if known:
                    name_known_objects(case, objects)
                for role, sent in headers.items():
                    with taken_back():
                        answer = case.call(headers=sent)
                        checks = [*CHECKS]
                        if answer.status_code != 206:  # a part of a file is no JSON
                            checks.append(response_schema_conformance)
                        if not known:
                            checks.append(negative_data_rejection)
                        try:
                            case.validate_response(answer, checks=checks)
                        except (FailureGroup, Failure) as error:
                            failures.append(f"{role}: {case.operation.method} {case.operation.path}: {error}")

            ask()
    assert not failures, "\n\n".join(failures)
