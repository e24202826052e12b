"""Formats every error of the REST interface as problem details (RFC 9457)."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, JsonResponse
from django.urls import reverse
from rest_framework import serializers
from rest_framework.exceptions import APIException, AuthenticationFailed, ValidationError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import exception_handler

from accounts.errors import AccountsError
from accounts.idempotency import KeyReused
from accounts.people.consents import ConsentMissing
from accounts.sign_in.passwords import WrongSignIn
from accounts.sign_in.throttle import TooManyAttempts

MEDIA_TYPE = "application/problem+json"
API = "/api/"

# Titles that help more than the phrases of HTTP.
TITLES = {
    400: "This request could not be read",
    401: "Please sign in or send a token",
    403: "You have no access to this",
    404: "There is nothing here",
    405: "This address does not accept this method",
    406: "This format is not available",
    409: "Something else was faster",
    413: "The request is too large",
    412: "The file is another one",
    415: "Please send JSON",
    416: "The file has no such bytes",
    422: "A field is invalid",
    429: "Please wait a moment",
    500: "Something broke on our side",
    503: "This cannot be done now",
}


class ProblemSerializer(serializers.Serializer):
    """What every error looks like (RFC 9457)."""

    type = serializers.CharField()
    title = serializers.CharField(help_text="the kind of error, in words")
    status = serializers.IntegerField()
    detail = serializers.CharField(allow_blank=True, help_text="what is wrong here, and what to do")
    errors = serializers.DictField(  # type: ignore[assignment]
        child=serializers.ListField(child=serializers.CharField()),
        required=False,
        help_text="field -> what is wrong with it",
    )


def of_status(*codes: int) -> dict[tuple[int, str], type[ProblemSerializer]]:
    """Returns the errors of one address, for its `responses`; those common to all are in accounts/rest/openapi.py."""
    return {(code, MEDIA_TYPE): ProblemSerializer for code in codes}


def is_api(request: HttpRequest) -> bool:
    return request.path.startswith(API)


def problem_response(status: int, detail: str) -> JsonResponse:
    """Returns an error from outside the views: from middleware, or for an address that does not exist."""
    return JsonResponse(_body(status, detail), status=status, content_type=MEDIA_TYPE)


class Problem(APIException):
    """An error response: `raise Problem(status=409, title="...", detail="...")`.

    `errors` names fields: field -> one message or several. `retry_after` is in seconds.
    """

    def __init__(
        self,
        *,
        status: int,
        detail: str,
        title: str = "",
        errors: Mapping[str, str | list[str]] | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(detail)
        self.status_code = status
        self.title = title
        self.errors = dict(_flat(errors or {}))
        self.wait = retry_after


@contextmanager
def problems(wrong: Mapping[type[Exception], int | str], title: str = "") -> Iterator[None]:
    """Turns errors of the block into responses: with this status, or 422 for the field of this name."""
    try:
        yield
    except tuple(wrong) as error:
        kind = next(kind for kind in wrong if isinstance(error, kind))
        told, detail = wrong[kind], str(error)
        if isinstance(told, int):
            raise Problem(status=told, title=title, detail=detail) from error
        raise Problem(status=422, detail=detail, errors={told: detail}) from error


def problem_details(exc: Exception, context: dict[str, Any]) -> Response | None:
    """Makes problem details of an exception: {type, title, status, detail}, and `errors` by field.

    The names of nested fields have dots. Returns None for unknown exceptions, which Django answers with 500.
    """
    if isinstance(exc, AccountsError):
        exc = _problem_of(exc, context["request"])
    if isinstance(exc, RequestDataTooBig):
        most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        exc = Problem(status=413, detail=f"At most {most:,} bytes can be sent at once.")
    response = exception_handler(exc, context)
    if response is None:
        return None
    errors = getattr(exc, "errors", {})
    detail = str(getattr(exc, "detail", "") or response.data.get("detail", ""))
    if isinstance(exc, ValidationError):
        response.status_code = HTTPStatus.UNPROCESSABLE_ENTITY
        errors = dict(_flat(exc.detail))
        detail = " ".join(
            message if field == "non_field_errors" else f"{field}: {message}"
            for field, messages in errors.items()
            for message in messages
        )
    status = response.status_code
    response.data = _body(status, detail, getattr(exc, "title", ""))
    if errors:
        response.data["errors"] = {_writable(name): _writable(messages) for name, messages in errors.items()}
    # An error is JSON, whatever format was requested.
    context["request"].accepted_renderer = JSONRenderer()
    context["request"].accepted_media_type = MEDIA_TYPE
    response.content_type = MEDIA_TYPE
    return response


def _body(status: int, detail: str, title: str = "") -> dict[str, str | int]:
    title = title or TITLES.get(status) or HTTPStatus(status).phrase
    return {"type": "about:blank", "title": title, "status": status, "detail": _writable(detail)}


def _writable(text: Any) -> Any:
    """Escapes half surrogate pairs, which an error may quote and UTF-8 cannot hold."""
    if isinstance(text, list):
        return [_writable(each) for each in text]
    return text.encode("utf-8", "backslashreplace").decode() if isinstance(text, str) else text


def _problem_of(exc: AccountsError, request: Request) -> APIException:
    if isinstance(exc, ConsentMissing):
        page = request.build_absolute_uri(reverse("consent", args=[exc.form]))
        return Problem(status=403, detail=f"{exc} {page}", title="Your consent is missing")
    if isinstance(exc, WrongSignIn):
        return AuthenticationFailed(str(exc))
    if isinstance(exc, TooManyAttempts):
        return Problem(status=429, detail=str(exc), retry_after=exc.retry_after)
    return Problem(status=409 if isinstance(exc, KeyReused) else 422, detail=str(exc))


def _flat(detail: Any, name: str = "") -> list[tuple[str, list[str]]]:
    """Returns nested messages as (dotted field name, messages)."""
    if isinstance(detail, Mapping):
        parts = [(f"{name}.{key}" if name else str(key), value) for key, value in detail.items()]
    elif isinstance(detail, list) and any(isinstance(item, Mapping | list) for item in detail):
        parts = [(f"{name}.{index}" if name else str(index), value) for index, value in enumerate(detail)]
    else:
        messages = detail if isinstance(detail, list) else [detail]
        return [(name or "non_field_errors", [str(message) for message in messages])] if messages else []
    return [pair for key, value in parts for pair in _flat(value, key)]
